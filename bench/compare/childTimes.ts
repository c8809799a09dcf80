import { compareRuns } from '../../src/compare/comparison.js';
import { ALL_RULES } from '../../src/compare/normal.js';
import { RunTable } from '../../src/compare/runs.js';
import { readRun, type Run } from '../../src/compare/steps.js';
import { NO_PRICES } from '../../src/core/ports/prices.js';
import type { ReadRecord } from '../../src/core/ports/transcript.js';

/** What is compared: `[what, runs]`, each run a list of the files that it reads, one after the other. */
const CASES: Readonly<Record<string, () => readonly (readonly string[])[]>> = {
  'nothing unique': () => [0, 1].map((side) => files(10_000, (at) => `loop ${(at * (3 + side)) % 7}`)),
  'with anchors': () =>
    [0, 1].map((side) => files(10_000, (at) => (at % 10 === 0 ? `side ${side} ${at}` : `${at}`))),
  set: () =>
    Array.from({ length: 200 }, (_, run) =>
      files(500, (at) => ((at + run) % 9 === 0 ? `run ${run} ${at}` : `${at}`)),
    ),
};

function files(count: number, name: (at: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${name(at)}.mjs`);
}

async function runOf(read: readonly string[]): Promise<Run> {
  const messages = read.flatMap((path, at) => {
    const call = { name: 'read_file', arguments: JSON.stringify({ path }) };
    return [
      { role: 'assistant', content: '', tool_calls: [{ id: `c${at}`, type: 'function', function: call }] },
      { role: 'tool', tool_call_id: `c${at}`, content: `What is in ${path}.` },
    ];
  });
  const records = messages.map(
    (message, seq) => ({ type: 'message', seq, id: `m${seq}`, message }) as unknown as ReadRecord,
  );
  const source = {
    length: records.length,
    read: (from: number, to: number) => Promise.resolve(records.slice(from, to)),
  };
  const signal = new AbortController().signal;
  const run = await readRun(source, { prices: NO_PRICES, signal, rules: ALL_RULES });
  if (run.steps.length !== read.length)
    throw new Error(`${read.length} files were read in ${run.steps.length} steps.`);
  return run;
}

const [, , name = ''] = process.argv;
const runs: Run[] = [];
for (const each of CASES[name]?.() ?? []) runs.push(await runOf(each));
const [first, second] = runs;
if (!first || !second) throw new Error(`There is no case '${name}'.`);
globalThis.gc?.();
const before = process.memoryUsage().rss;
const from = process.cpuUsage();
let most = before;
/** Goes on to the end, and looks at each turn how much memory is taken. */
function done<T>(work: Generator<void, T>): T {
  for (;;) {
    const step = work.next();
    most = Math.max(most, process.memoryUsage().rss);
    if (step.done === true) return step.value;
  }
}
let way = '';
if (runs.length === 2) way = done(compareRuns(first, second)).way;
else {
  const table = new RunTable(first, 0);
  for (const [at, run] of runs.entries()) done(table.add(`run ${at}`, run));
  way = `${table.summary().facts.length} runs`;
}
const { user, system } = process.cpuUsage(from);
console.log(JSON.stringify({ ms: (user + system) / 1_000, bytes: most - before, way }));
