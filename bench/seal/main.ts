import { statSync } from 'node:fs';
import { join } from 'node:path';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { median, medianRatio } from '../harness/statistics.js';
import { costOf, freshWriter } from '../recording/measure.js';
import { messageOf } from '../recording/messages.js';
import { journalWriter } from '../recording/writers.js';

const ROUNDS = 15;
const COUNT = 10_000;
const LIMIT = 1.25;

const given = Array.from({ length: COUNT }, (_, n) => messageOf(n));
const ways = [true, false] as const;
const spent = new Map(ways.map((seals): [boolean, number[]] => [seals, []]));
const waits = new Map(ways.map((seals): [boolean, number[]] => [seals, []]));
// The way that goes first changes with each round; the first two warm up.
for (let round = -2; round < ROUNDS; round++) {
  for (const seals of round % 2 === 0 ? ways : ways.toReversed()) {
    const writer = await freshWriter(journalWriter(seals));
    const cost = await costOf(writer, given, () => writer.flush());
    await writer.end();
    if (round < 0) continue;
    spent.get(seals)?.push(cost.processor / COUNT);
    waits.get(seals)?.push(median([...cost.waits]));
  }
}

/** How large a seal is beside its journal, as a share. */
async function share(): Promise<number> {
  let inside = '';
  const writer = await freshWriter((folder) => journalWriter(true)((inside = folder)));
  for (const message of given) await writer.write(message);
  await writer.flush();
  await writer.end();
  const sizeOf = (name: string) => statSync(join(inside, '.agent-logbook/conversations/c', name)).size;
  return sizeOf('messages.seal') / sizeOf('messages.jsonl');
}

const [on, off] = [spent.get(true) ?? [], spent.get(false) ?? []];
const rows = ways.map((seals) => [
  seals ? 'sealed' : 'not sealed',
  duration(median(spent.get(seals) ?? [])),
  duration(median(waits.get(seals) ?? [])),
  seals ? figures(medianRatio(on, off)) : '1',
  seals ? figures(LIMIT) : '',
]);
const heads = [
  '1 KB messages',
  'processor, a message',
  'the caller waits, p50',
  'beside not sealed',
  'at most',
];
console.log(
  `## What a seal costs\n\n${markdownTable(heads, rows)}\n\nA seal is ${figures(100 * (await share()))} % of its journal.\n`,
);
