import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkTest, usableExpectations } from '../../src/app/sources/checkExpectations.js';
import { Sources } from '../../src/app/sources/sources.js';
import { newConversationId } from '../../src/core/ids.js';
import { silentLog } from '../../src/core/ports/log.js';
import type { LogRecord } from '../../src/core/record.js';
import { markedPrices } from '../../src/search/markedPrices.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';

/** How many expectations there are, each over a run of its own. */
const COUNT = 1_000;
/** When the first run was, in milliseconds since 1970. */
const START = Date.UTC(2026, 10, 1);

/** A run in which an agent reads some files and answers. */
function records(conversation: string, time: number): readonly LogRecord[] {
  const place = { run: 'r', call: 'c', agent: 'Cook', depth: 0, conversation, time };
  const said: object[] = [{ role: 'user', content: `What is in bowl ${time}?` }];
  for (let at = 0; at < 10; at++) {
    const call = { name: 'read_file', arguments: JSON.stringify({ path: `bowl${at}.md` }) };
    said.push({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: `c${at}`, type: 'function', function: call }],
    });
    said.push({ role: 'tool', tool_call_id: `c${at}`, content: `There is flour in bowl ${at}. `.repeat(20) });
  }
  said.push({ role: 'assistant', content: 'There is flour.' });
  const bodies: object[] = said.map((message) => ({ type: 'message', message }));
  return bodies.map(
    (body, at) => ({ seq: at + 1, id: `m${time}-${at}`, ...place, ...body }) as unknown as LogRecord,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'expectations-'));
const root = join(folder, '.agent-logbook');
const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
const ids: string[] = [];
for (let at = 0; at < COUNT; at++) {
  const time = START + at * 60_000;
  const conversation = newConversationId(time);
  ids.push(conversation);
  const about = { tool: 'bench', session: `s${at}`, title: `Bowl ${at}` };
  await store.importConversation(conversation, records(conversation, time), undefined, about);
}
await store.close();
const tests = ids.map(
  (id, at) =>
    `  - name: Run ${at}\n    session: ${id}\n    expect:\n      maxErrors: 0\n      toolSequence:\n        inOrder: [read_file, { tool: read_file, args: { path: bowl9.md } }]\n      answer: { contains: flour }\n`,
);
const { signal } = new AbortController();
const text = `tests:\n${tests.join('')}`;
/** Checks all from the beginning, as a program does that was just started. */
async function round(): Promise<number> {
  const from = process.cpuUsage();
  const sources = new Sources({
    cwd: folder,
    store: root,
    stdin: () => process.stdin,
    log: silentLog,
    mayBlock: true,
    holdsRead: true,
    signal,
    onProblem: () => undefined,
  });
  const options = { ...(await markedPrices('')), sources, signal, now: START, timeZone: 'UTC' };
  let passed = 0;
  for (const test of usableExpectations(text, 'bench').tests) {
    const result = await checkTest(test, { ...options, agents: () => Promise.resolve([]) });
    if (result.state === 'passed') passed++;
    else throw new Error(result.sentence);
  }
  await sources.close();
  if (passed !== COUNT) throw new Error(`${passed} passed.`);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}
const before = process.memoryUsage().rss;
const ms = await round();
console.log(JSON.stringify({ ms, bytes: Math.max(0, process.memoryUsage().rss - before), way: 'each anew' }));
await rm(folder, { recursive: true });
