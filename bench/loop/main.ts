import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';
import type { Load, LoopCost } from './child.js';
import { loops } from './loops.js';

const ROUNDS = 3;
const LIMIT = 120_000;
const OURS = 'Agent Logbook';
const PEER = 'pi-agent-core Agent';

/** What is measured side by side: a loop by its name, and what it has to do. */
type Run = readonly [name: string, load: Load];

/** All runs in turn, round by round, each in a fresh process; undefined for one that fails. */
async function sideBySide(runs: readonly Run[]): Promise<(LoopCost | undefined)[]> {
  const rounds = runs.map((): LoopCost[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, [name, load]] of runs.entries()) {
      const result = await runChild<LoopCost>('loop/child', [name, JSON.stringify(load)], LIMIT);
      if ('answer' in result) rounds[index]!.push(result.answer);
      else console.error(`${name}, ${JSON.stringify(load)}: ${result.failure} ${result.words}`);
    }
  }
  return rounds.map((costs) => (costs.length > 0 ? middle(costs) : undefined));
}

function middle(costs: readonly LoopCost[]): LoopCost {
  const of = (key: keyof LoopCost) => median(costs.map((cost) => cost[key]));
  return { turn: of('turn'), cpu: of('cpu'), first: of('first'), last: of('last') };
}

/** One loop alone, after so many others. */
const one = (turns: number, warmUp: number): Load => ({ loops: 1, turns, atOnce: 1, warmUp });
/** After these everything is compiled. */
const WARM = 10;
/** Enough for loops that take milliseconds a turn, whatever is compiled. */
const LUKEWARM = 2;
const SLOW: ReadonlySet<string> = new Set([
  'ai generateText',
  '@openai/agents',
  'langgraph createReactAgent',
]);

const names = Object.keys(loops);
const cold = await sideBySide(names.map((name) => [name, one(100, 0)]));
const warm = await sideBySide(names.map((name) => [name, one(300, SLOW.has(name) ? LUKEWARM : WARM)]));
const ours = warm[names.indexOf(OURS)];
const rows = names.flatMap((name, index) => {
  const [first, later] = [cold[index], warm[index]];
  if (!first || !later || !ours) return [];
  const times = [first.turn, first.cpu, later.turn, later.cpu].map((ms) => duration(ms));
  const ratios = [ours.turn / later.turn, ours.cpu / later.cpu].map((ratio) => `${figures(ratio)} ×`);
  return [[name, ...times, ...ratios]];
});
const head = [
  'one tool call a turn',
  'of the first 100',
  'processor time',
  'of 300, warm',
  'processor time',
  'ours against it',
  'in processor time',
];
console.log(`## The loop\n\n${markdownTable(head, rows)}\n`);

/** Long and many loops. */
const manyRuns: readonly (readonly [label: string, ...Run])[] = [
  ['1 loop of 10,000 turns', OURS, one(10_000, WARM)],
  ['1 loop of 10,000 turns', PEER, one(10_000, WARM)],
  ['100 loops of 100 turns, one after another', OURS, { loops: 100, turns: 100, atOnce: 1, warmUp: WARM }],
  ['100 loops of 100 turns at once', OURS, { loops: 100, turns: 100, atOnce: 100, warmUp: WARM }],
];
const many = await sideBySide(manyRuns.map(([, name, load]) => [name, load]));
const manyRows = manyRuns.flatMap(([label, name], index) => {
  const cost = many[index];
  if (!cost) return [];
  const times = [cost.turn, cost.cpu, cost.first, cost.last].map((ms) => duration(ms));
  return [[label, name, ...times]];
});
const manyHead = ['', '', 'a turn', 'processor time', 'in the first tenth', 'in the last tenth'];
console.log(`${markdownTable(manyHead, manyRows)}\n`);
const [, , inTurn, atOnce] = many;
if (inTurn && atOnce)
  console.log(
    `At once against one after another: ${figures(atOnce.turn / inTurn.turn)} ×, ` +
      `processor time ${figures(atOnce.cpu / inTurn.cpu)} ×\n`,
  );
