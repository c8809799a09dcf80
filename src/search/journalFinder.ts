import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { messageOf } from '../core/text.js';
import type { Log } from '../ports/log.js';
import { names } from '../store/files/storePaths.js';
import { patternsFor, type RawText } from './rawText.js';

/** How many bytes of journals are looked through by the thread itself before a process is worth its start. */
const MAX_OWN_BYTES = 8_000_000;
/** The longest list of journals that is taken, in bytes. */
const MAX_LIST_BYTES = 64_000_000;
/** What ripgrep ends with where it has found nothing. */
const NOTHING_FOUND = 1;

/** The paths of journals. */
type Paths = ReadonlySet<string>;

interface Asked {
  ownBytes: number;
  found?: Promise<Paths | undefined>;
}

/**
 * Finds the journals of a store in which texts may stand with ripgrep, as VS Code ships it, which passes over bytes some five
 * times as fast as a thread of ours. What it finds are candidates, that have to be looked through.
 */
export class JournalFinder {
  readonly #program: string;
  readonly #folder: string;
  readonly #log: Log;
  /** By the texts of a question. */
  readonly #asked = new WeakMap<readonly RawText[], Asked>();

  /** `program`: the path of ripgrep. */
  constructor(program: string, root: string, log: Log) {
    this.#program = program;
    this.#folder = join(root, names.conversations);
    this.#log = log;
  }

  /**
   * The journals of the store in which one of some texts may stand; undefined where that is not known, or where no more than
   * `bytes` of another journal, and of those that were asked about before, would have to be looked through for it.
   */
  async among(texts: readonly RawText[], bytes: number): Promise<Paths | undefined> {
    const asked = this.#asked.get(texts) ?? { ownBytes: 0 };
    this.#asked.set(texts, asked);
    if (!asked.found && (asked.ownBytes += bytes) <= MAX_OWN_BYTES) return undefined;
    return await (asked.found ??= this.#find(texts));
  }

  #find(texts: readonly RawText[]): Promise<Paths | undefined> {
    // No settings of a person, and bytes as they are: a journal is no text of another encoding, whatever it begins with.
    const args = ['--no-config', '--no-ignore', '--hidden', '--text', '--encoding=none', '--no-messages'];
    const wanted = ['--files-with-matches', '--null', '--max-depth=2', '--glob=messages*.jsonl'];
    const patterns = patternsFor(texts).map((pattern) => `--regexp=${pattern}`);
    return new Promise((resolve) => {
      execFile(
        this.#program,
        [...args, ...wanted, ...patterns, '--', this.#folder],
        { maxBuffer: MAX_LIST_BYTES, windowsHide: true },
        (error, listed) => {
          const isAnswer = !error || error.code === NOTHING_FOUND;
          if (!isAnswer) this.#log.debug(`Journals are looked through without ripgrep: ${messageOf(error)}`);
          resolve(isAnswer ? new Set(listed.split('\0').filter((path) => path !== '')) : undefined);
        },
      );
    });
  }
}
