import { join } from 'node:path';
import type { LogRecord } from '../../src/core/record.js';
import { forEachAtOnce } from '../../src/core/forEachAtOnce.js';
import { openStore } from '../harness/openStore.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';

/** What storing many conversations cost, in the first and in the last fifth of them. */
export interface ManyCost {
  readonly first: number;
  readonly last: number;
  /** Milliseconds of processor time for each. */
  readonly processor: number;
}

const RECORDS = 20;
const AT_ONCE = 8;
const count = Number(process.argv[2] ?? '1000');
const store = await openStore(join(temporaryFolder(), '.agent-logbook'));
const ends: number[] = [];
const [before, begun] = [process.cpuUsage(), performance.now()];
const numbers = Array.from({ length: count }, (_, at) => at);
await forEachAtOnce(numbers, AT_ONCE, async (at) => {
  const source = {
    tool: 'bench',
    session: `session-${at}`,
    path: `/logs/${at}.jsonl`,
    title: `Session ${at}`,
  };
  await store.importSession({ source, records: recordsOf(at) });
  ends.push(performance.now() - begun);
});
const { user, system } = process.cpuUsage(before);
const fifth = Math.floor(count / 5);
const rate = (from: number, to: number) =>
  ((to - from) * 1_000) / ((ends[to - 1] ?? 0) - (ends[from - 1] ?? 0));
const cost: ManyCost = {
  first: rate(0, fifth),
  last: rate(count - fifth, count),
  processor: (user + system) / 1_000 / count,
};
await store.close();
console.log(JSON.stringify(cost));

function recordsOf(session: number): LogRecord[] {
  return Array.from({ length: RECORDS }, (_, at) => ({
    seq: at + 1,
    id: `m${at + 1}`,
    time: 1_790_000_000_000 + at,
    conversation: `session-${session}`,
    run: 'r1',
    call: 'k1',
    agent: 'Pickle',
    depth: 0,
    type: 'message',
    message: {
      role: at % 2 === 0 ? 'user' : 'assistant',
      content: `Text ${at} of session ${session}. `.repeat(10),
    },
  }));
}
