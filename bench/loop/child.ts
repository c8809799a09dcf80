import { loops } from './loops.js';

/** What one loop cost in a process of its own, from the first turn to the last; times in milliseconds a turn. */
export interface LoopCost {
  /** Over all turns. */
  readonly turn: number;
  /** Of all processors over all turns: what other processes do to the time does not change it much. */
  readonly cpu: number;
  /** Over the first tenth of the turns, and over the last one. */
  readonly first: number;
  readonly last: number;
}

/** How many loops of how many turns, how many of them at the same time, and how many loops of 300 turns come before. */
export interface Load {
  readonly loops: number;
  readonly turns: number;
  readonly atOnce: number;
  readonly warmUp: number;
}

const WARM_UP_TURNS = 300;

const [name = '', load = '{}'] = process.argv.slice(2);
const { loops: count, turns, atOnce, warmUp } = JSON.parse(load) as Load;
const loop = await loops[name]!();
for (let round = 0; round < warmUp; round++) {
  // A collection also throws compiled code away, of shapes that no object had at that moment.
  if (round * 2 === warmUp) global.gc?.();
  await loop(WARM_UP_TURNS, () => undefined);
}
const ticks: number[] = [];
const before = process.cpuUsage();
let begun = 0;
const lane = async (): Promise<void> => {
  while (begun++ < count) await loop(turns, () => ticks.push(performance.now()));
};
await Promise.all(Array.from({ length: atOnce }, lane));
if (ticks.length !== turns * count) throw new Error(`${ticks.length} turns instead of ${turns * count}`);
const used = process.cpuUsage(before);
const cpu = (used.user + used.system) / 1_000 / ticks.length;
const tenth = Math.floor(ticks.length / 10);
const first = (ticks[tenth]! - ticks[0]!) / tenth;
const last = (ticks.at(-1)! - ticks.at(-1 - tenth)!) / tenth;
const turn = (ticks.at(-1)! - ticks[0]!) / (ticks.length - 1);
console.log(JSON.stringify({ turn, cpu, first, last } satisfies LoopCost));
process.exit();
