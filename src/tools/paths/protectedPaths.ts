import type { GuardedPath } from '../../ports/workspaceFiles.js';
import { isDecidingFile, isDecidingFolder } from './decidingNames.js';
import { foldName, segmentsOf } from './pathNames.js';
import { isExample, isSecretFile, isSecretFolder } from './secretNames.js';

/** What a path's name alone says about reading or writing it. */
export interface PathRule {
  /** `refuse`: nobody can allow it here; `ask`: a person must, whatever the settings say. */
  readonly decision: 'refuse' | 'ask';
  /** The rest of a sentence that begins with the path, like `is …`. */
  readonly reason: string;
}

/** The name of the folder in which the record of the conversations is kept. */
export const STORE_FOLDER = '.agent-logbook';

/** Whether a name is one of those in which keys and passwords are kept. `relative` is a path with `/`. */
export function isSecretPath(relative: string): boolean {
  const names = segmentsOf(relative).map(foldName);
  const file = names.at(-1) ?? '';
  return !isExample(file) && (names.some(isSecretFolder) || isSecretFile(file));
}

/** Whether a path leads into the store. */
export function isStorePath(relative: string): boolean {
  return segmentsOf(relative).some((name) => foldName(name) === STORE_FOLDER);
}

/** A checked place, or as much as a text says of one. */
export type NamedPlace = Pick<GuardedPath, 'relative' | 'inStore'>;

/** What must be heeded before a file is written; undefined: nothing but the policy. */
export function writeRule({ relative, inStore }: NamedPlace): PathRule | undefined {
  if (inStore || isStorePath(relative)) {
    return {
      decision: 'refuse',
      reason: 'belongs to the record of the conversations; agents never change it',
    };
  }
  const names = segmentsOf(relative).map(foldName);
  const folder = names.slice(0, -1).find(isDecidingFolder);
  const file = names.at(-1) ?? '';
  if (folder !== undefined) {
    return { decision: 'ask', reason: `lies in ${folder}, which can run code or decide what agents may do` };
  }
  if (isDecidingFolder(file) || isDecidingFile(file)) {
    return { decision: 'ask', reason: 'can run code or decide what agents may do' };
  }
  if (names.some((name) => shortName.test(name))) {
    return { decision: 'ask', reason: 'may be the short name of another file' };
  }
  return isSecretPath(relative) ? { decision: 'ask', reason: 'may hold keys or passwords' } : undefined;
}

/** Windows knows long names by short ones too: `.git` is `GIT~1`. */
const shortName = /^[^~]{1,6}~\d+(\.|$)/;

/** What must be heeded before a file is read; undefined: nothing. */
export function readRule({ relative, inStore }: NamedPlace): PathRule | undefined {
  if (inStore || isStorePath(relative)) {
    return { decision: 'ask', reason: 'belongs to the record of the conversations' };
  }
  if (isSecretPath(relative)) return { decision: 'ask', reason: 'may hold keys or passwords' };
  const names = segmentsOf(relative).map(foldName);
  return names.includes('.git') && names.at(-1) === 'config'
    ? { decision: 'ask', reason: 'may hold passwords of remotes' }
    : undefined;
}
