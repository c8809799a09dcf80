/** One way to do a job, measured against the others. */
export interface Way {
  readonly name: string;
  /** Does the job of one round; each round has its own input, so that nobody can remember the answer. */
  run(round: number): unknown;
}

/** Milliseconds of each round, by the name of the way. */
export type Samples = ReadonlyMap<string, readonly number[]>;

/**
 * Runs all ways in turn, round by round, each round beginning with another one. Round 0 warms up and does not count.
 */
export async function sideBySide(ways: readonly Way[], rounds: number): Promise<Samples> {
  const samples = new Map(ways.map((way): [string, number[]] => [way.name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < ways.length; turn++) {
      const way = ways[(turn + round) % ways.length]!;
      global.gc?.();
      const start = performance.now();
      await way.run(round);
      const milliseconds = performance.now() - start;
      if (round > 0) samples.get(way.name)!.push(milliseconds);
    }
  }
  return samples;
}
