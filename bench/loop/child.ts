import { loops } from './loops.js';

/** What one loop cost in a process of its own, from the first turn to the last; times in milliseconds a turn. */
export interface LoopCost {
  /** Over all turns. */
  readonly turn: number;
  /** Over the first tenth of the turns, and over the last one. */
  readonly first: number;
  readonly last: number;
}

const WARM_UP = 300;

const [name = '', turnsText = '', atOnceText = '1'] = process.argv.slice(2);
const [turns, atOnce] = [Number(turnsText), Number(atOnceText)];
const loop = await loops[name]!();
await loop(WARM_UP, () => undefined);
global.gc?.();
const ticks: number[] = [];
await Promise.all(Array.from({ length: atOnce }, () => loop(turns, () => ticks.push(performance.now()))));
if (ticks.length !== turns * atOnce) throw new Error(`${ticks.length} turns instead of ${turns * atOnce}`);
const tenth = Math.floor(ticks.length / 10);
const first = (ticks[tenth]! - ticks[0]!) / tenth;
const last = (ticks.at(-1)! - ticks.at(-1 - tenth)!) / tenth;
const turn = (ticks.at(-1)! - ticks[0]!) / (ticks.length - 1);
console.log(JSON.stringify({ turn, first, last } satisfies LoopCost));
process.exit();
