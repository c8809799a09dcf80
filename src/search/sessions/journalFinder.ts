import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import { names } from '../../store/files/storePaths.js';
import { patternsFor, type RawText } from '../bytes/rawText.js';

/** How many bytes of journals are looked through by the thread itself before a process is worth its start. */
const MAX_OWN_BYTES = 8_000_000;
/** The longest list of journals that is taken, in bytes. */
const MAX_LIST_BYTES = 64_000_000;
/** What ripgrep ends with where it has found nothing. */
const NOTHING_FOUND = 1;

/** The paths of journals. */
export type JournalPaths = ReadonlySet<string>;

/** Finds the journals of the store in a folder in which one of some texts may stand; undefined where that cannot be told. */
export type FindJournals = (root: string, texts: readonly RawText[]) => Promise<JournalPaths | undefined>;

interface JournalQuery {
  ownBytes: number;
  found?: Promise<JournalPaths | undefined>;
}

/**
 * Names the journals of a store in which texts may stand, once a question has gone through some without. What it names are
 * candidates, that have to be looked through.
 */
export class JournalFinder {
  readonly #find: FindJournals;
  readonly #root: string;
  /** By the texts of a question. */
  readonly #asked = new WeakMap<readonly RawText[], JournalQuery>();

  constructor(find: FindJournals, root: string) {
    this.#find = find;
    this.#root = root;
  }

  /**
   * The journals of the store in which one of some texts may stand; undefined where that is not known, or where no more than
   * the bytes of another journal, and of those that were asked about before, would have to be looked through for it.
   */
  async among(texts: readonly RawText[], bytesOf: () => number): Promise<JournalPaths | undefined> {
    const asked = this.#asked.get(texts) ?? { ownBytes: 0 };
    this.#asked.set(texts, asked);
    if (!asked.found && (asked.ownBytes += bytesOf()) <= MAX_OWN_BYTES) return undefined;
    return await (asked.found ??= this.#find(this.#root, texts));
  }
}

/**
 * Finds journals with ripgrep, as VS Code ships it, which passes over bytes some five times as fast as a thread of ours, and
 * takes all processors for it.
 */
export function ripgrepFinder(program: string, log: Log): FindJournals {
  // No settings of a person, and bytes as they are: a journal is no text of another encoding, whatever it begins with.
  const args = ['--no-config', '--no-ignore', '--hidden', '--text', '--encoding=none', '--no-messages'];
  const wanted = ['--files-with-matches', '--null', '--max-depth=2', '--glob=messages*.jsonl'];
  return (root, texts) => {
    const patterns = patternsFor(texts).map((pattern) => `--regexp=${pattern}`);
    return new Promise((resolve) => {
      execFile(
        program,
        [...args, ...wanted, ...patterns, '--', join(root, names.conversations)],
        { maxBuffer: MAX_LIST_BYTES, windowsHide: true },
        (error, listed) => {
          const isAnswer = !error || error.code === NOTHING_FOUND;
          if (!isAnswer) log.debug(`Journals are looked through without ripgrep: ${messageOf(error)}`);
          resolve(isAnswer ? new Set(listed.split('\0').filter((path) => path !== '')) : undefined);
        },
      );
    });
  };
}

/** What was found for one thread is found for all that share a question: two processes would halve each other's processors. */
export class SharedMatches {
  readonly #find: FindJournals;
  readonly #found = new Map<string, Promise<JournalPaths | undefined>>();

  constructor(find: FindJournals) {
    this.#find = find;
  }

  /** To be called when a question begins: what was found before it may have changed. */
  begin(): void {
    this.#found.clear();
  }

  readonly find: FindJournals = (root, texts) => {
    const key = JSON.stringify([root, texts]);
    const found = this.#found.get(key) ?? this.#find(root, texts);
    this.#found.set(key, found);
    return found;
  };
}
