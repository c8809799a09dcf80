import { GenerationMap } from '../../core/generationMap.js';
import type { FactCall } from './facts.js';
import type { MadeCall } from './toolCalls.js';
import type { Reading } from './transcriptReader.js';

/** How many reads are remembered at least, of which a later one may be a repetition; those read longest ago are forgotten first. */
const MAX_READS = 10_000;
/** Among how many of the latest tool calls one may be waiting for its answer; a power of two. */
const MAX_ASKED = 1_024;
/** How many names of files and folders are remembered as written to; with more, all reads before are forgotten. */
const MAX_NAMES = 20_000;
/** How many folders of a path count. */
const MAX_FOLDERS = 64;

/** A read that was asked for. */
interface ReadRequest {
  /** The number of its tool call. */
  readonly number: number;
  /** Where it was asked for: in the window of an entry agent, 0, or of a call, its index from 1. */
  readonly window: number;
  readonly tool: string;
  /** See `argumentHash`. */
  readonly hash: number;
  readonly paths: readonly string[];
  /** How many tool calls were made before it. */
  readonly at: number;
}

/** A read that was answered, and how long the answer was, in UTF-16 code units. */
interface Read {
  readonly asked: ReadRequest;
  readonly characters: number;
}

/**
 * Finds what read a file again that had not changed: a call of a tool that only looks at files (`fileUsesOf`), with the same
 * arguments as an earlier one in the same window, answered by as many characters as that, where no tool call between them
 * names a file or folder of that name to write to it, or in a way that is not known. What a shell does to files is recorded
 * nowhere: that the answers are as long as each other has to do.
 */
export class RereadFiles {
  readonly #reads = new GenerationMap<number, Read>(MAX_READS);
  /** By the last digits of their numbers: an answer follows soon. */
  readonly #asked = Array.from<ReadRequest | undefined>({ length: MAX_ASKED });
  /** The last tool call that may have written to something of this name, by its number. */
  readonly #written = new Map<string, number>();
  #calls = 0;

  /** Takes the next item in; whether it is the answer to such a call. */
  add(reading: Reading): boolean {
    const { facts, made } = reading;
    for (let at = 0; at < made.length; at++) {
      this.#calls++;
      const call = facts.calls[at];
      const number = made[at];
      if (call && number && call.files.length > 0) this.#take(call, number, reading);
    }
    const answered = reading.result?.made;
    const asked = answered && this.#asked[answered.number % MAX_ASKED];
    if (!answered || asked?.number !== answered.number || facts.isFailure) return false;
    const key = keyOf(asked);
    const before = this.#reads.get(key);
    const { characters } = facts;
    this.#reads.set(key, { asked, characters });
    if (before?.characters !== characters || !isSame(before.asked, asked)) return false;
    return asked.paths.every((path) => this.#isUnchangedSince(path, before.asked.at));
  }

  #take(call: FactCall, { number }: MadeCall, { call: node }: Reading): void {
    const isRead = call.files.every(({ use }) => use === 'read');
    if (!isRead) {
      for (const { path } of call.files) for (const name of namesOf(path)) this.#write(name);
      return;
    }
    if (call.hash === 0) return;
    // An entry agent goes on with what it has read through all runs.
    const window = node.parent === undefined ? 0 : node.index + 1;
    const paths = call.files.map(({ path }) => path);
    this.#asked[number % MAX_ASKED] = {
      number,
      window,
      tool: call.name,
      hash: call.hash,
      paths,
      at: this.#calls,
    };
  }

  #write(name: string): void {
    if (this.#written.size >= MAX_NAMES) {
      this.#written.clear();
      this.#reads.clear();
      this.#asked.fill(undefined);
    }
    this.#written.set(name, this.#calls);
  }

  /** Whether nothing of its name was written to after a tool call, by its number. */
  #isUnchangedSince(path: string, from: number): boolean {
    return (this.#written.get(namesOf(path).at(-1) ?? ANYWHERE) ?? 0) < from;
  }
}

/** How many hashes there are. */
const HASHES = 0x1_0000_0000;

/** A number of a read, nearly always another one for another read; a text would take much longer to be looked up. */
function keyOf({ window, hash }: ReadRequest): number {
  return window * HASHES + hash;
}

function isSame(one: ReadRequest, other: ReadRequest): boolean {
  const isSameCall = one.hash === other.hash && one.tool === other.tool && one.window === other.window;
  return isSameCall && one.paths[0] === other.paths[0];
}

/** The name of whatever has none, as of the folder that one is in. */
const ANYWHERE = '';

/** The names in a path, that of the file last: two paths may spell the same file, so only these are compared. */
function namesOf(path: string): string[] {
  const names = path.split(/[/\\]/).filter((name) => name !== '' && name !== '.' && name !== '..');
  return [ANYWHERE, ...names.slice(-MAX_FOLDERS)];
}
