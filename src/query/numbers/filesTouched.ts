import { FILE_USES, type FileUse, type FileUseKind } from './fileUses.js';
import { GrowingColumn } from './growingColumn.js';
import type { Reading } from './transcriptReader.js';
import { clipName } from './values.js';

/** How many files are told apart, and how many agents of each; a hostile transcript may name any number. */
const MAX_FILES = 20_000;
const MAX_AGENTS = 100;

/** What the tool calls of a transcript did with one file. */
export interface FileTouched {
  /** As the calls write it, and as untrusted; two spellings are two files. */
  readonly path: string;
  /** The number of calls of each use; a call counts once for each file that it names, whether it succeeds or not. */
  readonly uses: Readonly<Record<FileUseKind, number>>;
  /** How many of these calls failed. */
  readonly failures: number;
  readonly agents: readonly string[];
  /** The positions of the first and the last message that makes such a call. */
  readonly first: number;
  readonly last: number;
}

interface Tally {
  readonly path: string;
  readonly uses: Record<FileUseKind, number>;
  failures: number;
  readonly agents: Set<string>;
  readonly first: number;
  last: number;
}

/**
 * The files that the tool calls of a transcript name, item by item: which, by whom, and whether they were read or written,
 * see `fileUsesOf`. Counted are calls that messages make: of a result whose call is not recorded, no arguments are known.
 * What commands of a shell do to files is not known either.
 */
export class FilesTouched {
  readonly #files: Tally[] = [];
  readonly #numbers = new Map<string, number>();
  /** The files of all calls, by their numbers; and of each call, by its number, how many there are before its own. */
  readonly #named = new GrowingColumn();
  readonly #before = new GrowingColumn();
  #length = 0;
  #calls = 0;
  #others = 0;

  /** Of how many uses the files are not told apart, because there are too many. */
  get others(): number {
    return this.#others;
  }

  /** Adds the next item of the transcript. */
  add({ facts, position, made, failedCall }: Reading): void {
    for (let at = 0; at < made.length; at++) {
      this.#before.set(this.#calls++, this.#length);
      for (const use of facts.calls[at]?.files ?? []) this.#touch(use, facts.place.agent ?? '', position);
    }
    if (!failedCall) return;
    const { number } = failedCall;
    const end = number + 1 < this.#calls ? this.#before.get(number + 1) : this.#length;
    for (let at = this.#before.get(number); at < end; at++) {
      const tally = this.#files[this.#named.get(at)];
      if (tally) tally.failures++;
    }
  }

  #touch({ path, use }: FileUse, agent: string, position: number): void {
    let number = this.#numbers.get(path);
    if (number === undefined) {
      if (this.#files.length >= MAX_FILES) {
        this.#others++;
        return;
      }
      const uses = { read: 0, written: 0, named: 0 };
      number = this.#files.push({ path, uses, failures: 0, agents: new Set(), first: position, last: 0 }) - 1;
      this.#numbers.set(path, number);
    }
    const tally = this.#files[number];
    if (!tally) return;
    tally.uses[use]++;
    tally.last = position;
    if (tally.agents.size < MAX_AGENTS) tally.agents.add(clipName(agent));
    this.#named.set(this.#length++, number);
  }

  /** The files so far, in the order in which they were first named. */
  summary(): FileTouched[] {
    return this.#files.map(({ uses, agents, ...rest }) => ({
      ...rest,
      uses: { ...uses },
      agents: [...agents],
    }));
  }
}

/** How often a file was used, however it was. */
export function allUses({ uses }: Pick<FileTouched, 'uses'>): number {
  return FILE_USES.reduce((sum, use) => sum + uses[use], 0);
}
