import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';
import type { LoopCost } from './child.js';
import { loops } from './loops.js';

const ROUNDS = 5;
const LIMIT = 120_000;
const OURS = 'Agent Logbook';

/** All loops in turn, round by round, each in a fresh process. */
async function sideBySide(turns: number, names: readonly string[]): Promise<Map<string, LoopCost>> {
  const costs = new Map<string, LoopCost[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of names) {
      const cost = await costOf(name, turns);
      if (cost) costs.set(name, [...(costs.get(name) ?? []), cost]);
    }
  }
  return new Map([...costs].map(([name, rounds]) => [name, middle(rounds)]));
}

async function costOf(name: string, turns: number, atOnce = 1): Promise<LoopCost | undefined> {
  const result = await runChild<LoopCost>('loop/child', [name, String(turns), String(atOnce)], LIMIT);
  if ('answer' in result) return result.answer;
  console.error(`${name}, ${turns} turns: ${result.failure} ${result.words}`);
  return undefined;
}

function middle(costs: readonly LoopCost[]): LoopCost {
  const of = (key: keyof LoopCost) => median(costs.map((cost) => cost[key]));
  return { turn: of('turn'), first: of('first'), last: of('last') };
}

const names = Object.keys(loops);
const hundred = await sideBySide(100, names);
const threeHundred = await sideBySide(300, names);
const rows = [...threeHundred].map(([name, cost]) => [
  name,
  duration(hundred.get(name)?.turn ?? NaN),
  duration(cost.turn),
  `${figures(cost.turn / threeHundred.get(OURS)!.turn)} ×`,
  figures(cost.last / cost.first),
]);
const head = [
  'one tool call a turn',
  'a turn, of 100',
  'a turn, of 300',
  'against ours',
  'last tenth / first',
];
console.log(`## The loop\n\n${markdownTable(head, rows)}\n`);

const manyRows: string[][] = [];
for (const [label, turns, atOnce] of [
  ['1 loop of 10,000 turns', 10_000, 1],
  ['100 loops of 100 turns at once', 100, 100],
] as const) {
  const costs: LoopCost[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const cost = await costOf(OURS, turns, atOnce);
    if (cost) costs.push(cost);
  }
  const { turn, first, last } = middle(costs);
  manyRows.push([label, duration(turn), figures(last / first)]);
}
console.log(`${markdownTable([OURS, 'a turn', 'last tenth / first'], manyRows)}\n`);
