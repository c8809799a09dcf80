import { wrappers } from './alwaysAsked.js';
import { judgeGitName } from './destructive.js';
import type { Words } from './destructive.js';
import { isKnown } from './knownPrograms.js';
import { isSystemFolder } from '../process/environment.js';
import { changesSteering, steeringIn } from './steeringVariables.js';

/** Those of the wrappers whose programs are looked for in the project first; `judgeFetched` looks at these. */
const ofProject = new Set('npx pnpx bunx'.split(' '));
/** Starters that have their own words in front of it. */
const starters: ReadonlyMap<string, RegExp> = new Map([
  ...['poetry', 'pipenv', 'uv', 'pdm', 'rye', 'conda', 'mamba'].map((name): [string, RegExp] => [
    name,
    /^run$/,
  ]),
  ['bundle', /^exec$/],
]);

const MAX_DEPTH = 8;

/** Why a program that a command starts, also through others, must be asked about: nothing is known of it. */
export function judgeStarted(words: Words, depth = 0): string | undefined {
  const [first] = words;
  if (depth > MAX_DEPTH || first === undefined) return 'it is nested too deep to be looked through';
  const slash = first.lastIndexOf('/');
  const name = first.slice(slash + 1);
  // A program with a folder is the project's, or lies where the path guard finds it out.
  if (slash >= 0 && !isSystemFolder(first.slice(0, slash))) return undefined;
  if (!isKnown(name)) return `the program '${name}' is not known here; it may fetch, send or run anything`;
  if (name === 'git') return judgeGitName(words.slice(1));
  const begin = beginOfProgram(name, words);
  if (begin < 0) return undefined;
  const rest = words.slice(begin);
  const steering = rest.map(steeringIn).find((found) => found !== undefined);
  if (steering !== undefined) return changesSteering(steering);
  const at = rest.findIndex((word) => word === undefined || !isPreamble.test(word));
  const isScript = starters.has(name) && (rest[at] ?? '').endsWith('.py');
  return at < 0 || isScript ? undefined : judgeStarted(rest.slice(at), depth + 1);
}

/** Flags, times and variables in front of a program. */
const isPreamble = /^([-+].*|\d+(\.\d+)?[smhd]?|[A-Za-z_]\w*=.*)$/s;

/** Where the words of a wrapper begin among which another program stands; negative where there is none. */
function beginOfProgram(name: string, words: Words): number {
  const own = starters.get(name);
  if (own) return words.findIndex((word) => own.test(word ?? '')) + 1 || -1;
  return wrappers.has(name) && !ofProject.has(name) ? 1 : -1;
}
