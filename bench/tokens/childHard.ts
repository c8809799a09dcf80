import { jsonText } from '../harness/ordinaryTexts.js';
import { median } from '../harness/statistics.js';
import { counters } from './counters.js';

/** Prints how long a counter takes for one unit repeated: the median of three texts, or the first if that is slow. */
const [name = '', unit = '', length = ''] = process.argv.slice(2);
const count = await counters[name]!();
for (let round = 0; round < 50; round++) count(jsonText(2_000 + round));
const times: number[] = [];
for (let round = 0; round < 3 && (times[0] ?? 0) < 2_000; round++) {
  const text = unit.repeat(Math.ceil(Number(length) / unit.length) - round);
  const start = performance.now();
  count(text);
  times.push(performance.now() - start);
}
console.log(JSON.stringify(median(times)));
