import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Findings } from './inspect.js';

/** What one recipe has done and found. */
export interface Figures {
  runs: number;
  kills: number;
  acknowledged: number;
  /** Must all be 0. */
  lost: number;
  damaged: number;
  duplicates: number;
  /** Anything else that must not be, in words. */
  readonly faults: string[];
}

export interface RecipeContext {
  /** The bundle of `driver.ts`. */
  readonly driver: string;
  /** How much to do: 1 for the short campaign, more for the long one. */
  readonly scale: number;
  /** Numbers from 0 up to, not including, 1; the same for the same seed. */
  readonly random: () => number;
}

/** A way to make something go wrong. It says why it cannot run on this machine, where it cannot. */
export interface Recipe {
  readonly name: string;
  readonly unavailable?: () => string | undefined;
  run(context: RecipeContext, figures: Figures): Promise<void>;
}

export function noFigures(): Figures {
  return { runs: 0, kills: 0, acknowledged: 0, lost: 0, damaged: 0, duplicates: 0, faults: [] };
}

/** Adds what an inspection has found. */
export function count(figures: Figures, acknowledged: ReadonlyMap<string, string>, found: Findings): void {
  figures.runs++;
  figures.acknowledged += acknowledged.size;
  figures.lost += found.lost;
  figures.damaged += found.damaged;
  figures.duplicates += found.duplicates;
}

/** Runs work in a folder that is gone afterwards. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'logbook-faults-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Why something cannot be done here: the words given, where trying it throws. */
export function fails(why: string, attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch {
    return why;
  }
}

/** Why a program cannot be used here; undefined where it can. */
export function lacks(...command: readonly [string, ...string[]]): string | undefined {
  const [program, ...rest] = command;
  return fails(`\`${command.join(' ')}\` does not work here`, () =>
    execFileSync(program, rest, { stdio: 'ignore' }),
  );
}
