import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LogRecord } from '../../src/core/record.js';
import { silentLog } from '../../src/core/ports/log.js';
import { Recorder } from '../../src/core/record/recorder.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';

/** What a writing process is to do. */
export interface DriverTask {
  readonly root: string;
  readonly conversation: string;
  /** Agents that talk at the same time. */
  readonly agents: number;
  /** Characters of the messages, in turn. */
  readonly sizes: readonly number[];
  /** Messages of each agent; without it they talk until they are killed. */
  readonly messages?: number;
  /** Milliseconds between two messages of an agent. */
  readonly pause?: number;
  readonly segmentBytes?: number;
  /** Import so many messages at once, instead of talking. */
  readonly importing?: number;
}

const task = JSON.parse(process.argv[2] ?? '{}') as DriverTask;

/** One line to the parent. Writing to a pipe is synchronous, so what was said is said, also before a kill. */
const say = (...words: readonly (string | number)[]) => process.stdout.write(`${words.join(' ')}\n`);

async function openJournal(store: TranscriptStore) {
  for (;;) {
    const created = await store.createConversation(task.conversation).catch(() => undefined);
    if (created) return { journal: created, lastSeq: 0 };
    const resumed = await store.resumeConversation(task.conversation);
    if (!('refused' in resumed)) return resumed;
    say('REFUSED', resumed.refused);
    await sleep(20);
  }
}

async function main(): Promise<void> {
  const store = await TranscriptStore.open({
    root: task.root,
    log: silentLog,
    ...(task.segmentBytes !== undefined && { segmentBytes: task.segmentBytes }),
    limits: { retryMs: 100 },
    onProblem: ({ code }) => say('PROBLEM', code),
    onSolved: ({ code }) => say('SOLVED', code),
  });
  if (task.importing !== undefined) {
    say('READY');
    await store.importConversation(task.conversation, messages(task.importing));
    say('DONE');
    return;
  }
  const { journal, lastSeq } = await openJournal(store);
  const { conversation } = task;
  const recorder = new Recorder({
    conversation,
    lastSeq,
    onListenerFailure: (error) => say('FAILED', String(error)),
  });
  recorder.onDidRecord((record) => journal.append(record));
  say('READY');
  await Promise.all(Array.from({ length: task.agents }, (_, agent) => talk(recorder, journal, agent)));
  await journal.close();
  say('DONE');
}

function* messages(count: number): Generator<LogRecord> {
  const place = { run: 'r', call: 'k', agent: 'a', depth: 0 };
  for (let seq = 1; seq <= count; seq++) {
    const content = 'x'.repeat(task.sizes[seq % task.sizes.length] ?? 100);
    const header = { seq, id: `m_${seq}`, time: seq, conversation: task.conversation };
    yield { ...header, ...place, type: 'message', message: { role: 'tool', content } };
  }
}

async function talk(
  recorder: Recorder,
  journal: Awaited<ReturnType<typeof openJournal>>['journal'],
  agent: number,
) {
  for (let turn = 0; turn < (task.messages ?? Number.POSITIVE_INFINITY); turn++) {
    const size = task.sizes[(turn + agent) % task.sizes.length] ?? 100;
    const content = `${process.pid} ${agent} ${turn} ${'é ü 🥒 x'.repeat(Math.ceil(size / 8))}`;
    const place = { run: 'r', call: `k${agent}`, agent: `agent${agent}`, depth: 0 };
    const record = recorder.record({ ...place, type: 'message', message: { role: 'tool', content } });
    say('SAID', record.id);
    let state = await journal.flush();
    while (state.durable < record.seq) {
      await sleep(20);
      state = await journal.flush();
    }
    say('ACK', record.id, createHash('sha1').update(content).digest('hex'));
    if (task.pause !== undefined) await sleep(task.pause);
  }
}

await main();
