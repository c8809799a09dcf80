import type { GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { isDecidingFile, isDecidingFolder } from './decidingNames.js';
import { foldName, segmentsOf } from './pathNames.js';
import { namesSecret } from './secretNames.js';

/** What follows from a path's name alone for reading or writing it. */
export interface PathRule {
  /** `refuse`: nobody can allow it here; `ask`: a person must, whatever the settings say. */
  readonly decision: 'refuse' | 'ask';
  /** The rest of a sentence that begins with the path, like `is …`. */
  readonly reason: string;
}

/** The usual name of the store's folder. */
export const STORE_FOLDER = '.agent-logbook';

/** Whether a path, separated by `/`, usually contains keys or passwords. `isWord`: it may be no path at all. */
export function isSecretPath(relative: string, isWord = false): boolean {
  return namesSecret(segmentsOf(relative).map(foldName), isWord);
}

/** Whether a path leads into the store. */
export function isStorePath(relative: string): boolean {
  return segmentsOf(relative).some((name) => foldName(name) === STORE_FOLDER);
}

/** A checked place, or what a text tells about one. */
export type NamedLocation = Pick<GuardedPath, 'relative' | 'inStore'> & {
  /** Whether it is a word that may be no path at all; absent: it is one. */
  readonly isWord?: boolean;
};

/** The rule for writing a file; undefined: only the policy applies. */
export function writeRule({ relative, inStore, isWord }: NamedLocation): PathRule | undefined {
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
  return isSecretPath(relative, isWord)
    ? { decision: 'ask', reason: 'may hold keys or passwords' }
    : undefined;
}

/** Windows also has short names for long ones: `.git` is `GIT~1`. */
const shortName = /^[^~]{1,6}~\d+(\.|$)/;

/** The rule for reading a file; undefined: none. */
export function readRule({ relative, inStore, isWord }: NamedLocation): PathRule | undefined {
  if (inStore || isStorePath(relative)) {
    return { decision: 'ask', reason: 'belongs to the record of the conversations' };
  }
  if (isSecretPath(relative, isWord)) return { decision: 'ask', reason: 'may hold keys or passwords' };
  const names = segmentsOf(relative).map(foldName);
  return names.includes('.git') && names.at(-1) === 'config'
    ? { decision: 'ask', reason: 'may hold passwords of remotes' }
    : undefined;
}
