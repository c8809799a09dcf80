import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';

interface Ready {
  readonly milliseconds: number;
  readonly heap: number;
  readonly outside: number;
}

const ROUNDS = 5;

/** From nothing to the first count, each time in a fresh process; also, which of the counters are there at all. */
export async function ready(all: readonly string[]): Promise<{ table: string; names: string[] }> {
  const samples = new Map<string, Ready[]>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const name of all) {
      const result = await runChild<Ready>('tokens/childReady', [name], 60_000);
      if ('answer' in result) samples.set(name, [...(samples.get(name) ?? []), result.answer]);
      else if (round === 0) console.error(`${name} is left out: ${result.words}`);
    }
  }
  const rows = [...samples].map(([name, rounds]) => {
    const middle = (key: keyof Ready) => median(rounds.map((round) => round[key]));
    return [
      name,
      duration(middle('milliseconds')),
      `${figures(middle('heap'))} MB`,
      `${figures(middle('outside'))} MB`,
    ];
  });
  const head = ['counter (o200k_base)', 'ready, first count', 'heap', 'outside the heap'];
  return { table: markdownTable(head, rows), names: [...samples.keys()] };
}
