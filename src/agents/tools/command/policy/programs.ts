import { builders } from './builders.js';
import { confirmedPrograms } from './confirmed.js';
import { gitRows } from './git.js';
import { limitedPrograms } from './limited.js';
import { packages } from './packages.js';
import type { Program } from './program.js';
import { readOnlyRows } from './readOnlyRows.js';

function table(): ReadonlyMap<string, Program> {
  const programs = new Map<string, Program>();
  for (const [names, program] of [
    ...readOnlyRows,
    ...gitRows,
    ...packages,
    ...builders,
    ...confirmedPrograms,
    ...limitedPrograms,
  ]) {
    for (const name of names.split(' ')) {
      const known = programs.get(name) ?? {};
      const twice = Object.keys(program).find((field) => field in known);
      if (twice !== undefined) throw new Error(`two rows say '${twice}' of the program '${name}'`);
      programs.set(name, { ...known, ...program });
    }
  }
  return programs;
}

/** Everything that is known of programs, by their names; several families may each say a part of one. */
export const programs: ReadonlyMap<string, Program> = table();

/** An interpreter by its name, of which the version in `python3.12` is no part. */
export function interpreter(name: string): Program | undefined {
  const program = programs.get(name) ?? programs.get(name.replace(/[\d.]+$/, ''));
  return program?.code ? program : undefined;
}

/** Whether anything is known of a program of this name. */
export const isKnown = (name: string): boolean => programs.has(name) || interpreter(name) !== undefined;
