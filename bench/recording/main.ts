import { duration, figures, markdownTable } from '../harness/markdown.js';
import { median, medianRatio, quantile } from '../harness/statistics.js';
import { durableAfter } from './durableAfter.js';
import { costOf, freshWriter, type Cost } from './measure.js';
import { messageOf } from './messages.js';
import * as writers from './writers.js';
import type { MakeWriter } from './writers.js';

const ROUNDS = 9;
const LIMIT = 'limit: one descriptor, writeSync';

const ways: readonly (readonly [string, MakeWriter, number])[] = [
  ['Agent Logbook, until all are durable', writers.ours, 10_000],
  [LIMIT, writers.descriptor(), 10_000],
  ['the same, one fdatasync at the end', writers.descriptor('at the end'), 10_000],
  ['the same, fdatasync every 50 ms', writers.descriptor(50), 10_000],
  ['fs.appendFileSync', writers.appendSync, 10_000],
  ['fs.promises.appendFile', writers.appendPromises, 2_000],
  ['messages.json rewritten, at 1,000', writers.rewritten(messages(0, 1_000)), 50],
  ['messages.json rewritten, at 10,000', writers.rewritten(messages(0, 10_000)), 10],
  ['limit: JSON.stringify alone', writers.stringifyAlone, 10_000],
];

function messages(from: number, to: number) {
  return Array.from({ length: to - from }, (_, n) => messageOf(from + n));
}

/** All ways in turn, round by round; the first round warms up. */
async function sideBySide(): Promise<string> {
  const costs = new Map(ways.map(([name]): [string, Cost[]] => [name, []]));
  const given = messages(0, 10_000);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, make, count] of ways) {
      const writer = await freshWriter(make);
      const cost = await costOf(writer, given.slice(0, count), () => writer.flush());
      await writer.end();
      if (round > 0) costs.get(name)!.push(cost);
    }
  }
  const each = (name: string, count: number) => costs.get(name)!.map((cost) => cost.milliseconds / count);
  const limit = each(LIMIT, 10_000);
  const used = (name: string, count: number) => costs.get(name)!.map((cost) => cost.processor / count);
  const rows = ways.map(([name, , count]) => {
    const waits = (share: number) => median(costs.get(name)!.map((cost) => quantile([...cost.waits], share)));
    const perSecond = figures(1000 / median(each(name, count)));
    return [
      name,
      perSecond,
      figures(medianRatio(limit, each(name, count))),
      duration(median(used(name, count))),
      duration(waits(0.5)),
      duration(waits(0.99)),
    ];
  });
  return markdownTable(
    ['1 KB messages', 'messages/s', 'against the limit', 'processor, a message', 'wait, p50', 'wait, p99'],
    rows,
  );
}

/** A million messages in one conversation, a tenth at a time. */
async function growth(): Promise<string> {
  const tenth = Array.from({ length: 100_000 }, (_, n) => messageOf(n % 5_000));
  const warmUp = await freshWriter(writers.ours);
  await costOf(warmUp, tenth.slice(0, 50_000), () => warmUp.flush());
  await warmUp.end();
  const writer = await freshWriter(writers.ours);
  const rows: string[][] = [];
  const first: number[] = [];
  for (let number = 1; number <= 10; number++) {
    const { milliseconds, waits } = await costOf(writer, tenth, () => writer.flush());
    first.push(milliseconds);
    if (![1, 2, 5, 10].includes(number)) continue;
    const rate = figures(tenth.length / (milliseconds / 1000));
    const wait = (share: number) => duration(quantile([...waits], share));
    rows.push([
      figures(number * tenth.length),
      rate,
      figures(milliseconds / first[0]!),
      wait(0.5),
      wait(0.99),
    ]);
  }
  await writer.end();
  return markdownTable(
    ['up to message', 'messages/s', 'time against the first tenth', 'wait, p50', 'wait, p99'],
    rows,
  );
}

console.log(`## Recording\n\n${await sideBySide()}\n`);
console.log(`${await growth()}\n`);
console.log(`${await durableAfter()}\n`);
