import { unlink, type FileHandle } from 'node:fs/promises';
import { messageOf } from '../../core/text.js';
import type { LogRecord, PieceRecord } from '../../core/record.js';
import type { Log } from '../../core/ports/log.js';
import { APPEND, makeFolder, openPlainFile } from '../../node/plainFile.js';
import { names, type ConversationPaths } from '../files/storePaths.js';
import { encodeLine } from '../format/lineFormat.js';
import { replacesPieces } from '../read/lastWords.js';

const NEWLINE = Buffer.from('\n');

/**
 * What the agents of a conversation are saying, in a file beside its journal, until what they said is a record of the journal:
 * then the file is emptied. Written behind whoever speaks; what cannot be written is said once in the log and not tried
 * again, because the record itself is still to come. To be used by the holder of the conversation's lock alone.
 */
export class PieceFile {
  readonly #paths: ConversationPaths;
  readonly #log: Log;
  /** The calls that speak; with the seq of the record that has all of it, once there is one. */
  readonly #calls = new Map<string, number | undefined>();
  #waiting: Buffer[] = [];
  #handle: FileHandle | undefined;
  #isEmpty = true;
  #hasFailed = false;
  #work: Promise<void> = Promise.resolve();

  constructor(paths: ConversationPaths, log: Log) {
    this.#paths = paths;
    this.#log = log;
  }

  /** Takes a piece; never throws. */
  add(piece: PieceRecord): void {
    if (this.#hasFailed) return;
    this.#calls.set(piece.call, undefined);
    this.#waiting.push(encodeLine(piece), NEWLINE);
    if (this.#waiting.length === 2) this.#then(() => this.#write());
  }

  /** Hears of a record of the conversation. */
  hear(record: LogRecord): void {
    if (this.#calls.size > 0 && this.#calls.has(record.call) && replacesPieces(record))
      this.#calls.set(record.call, record.seq);
  }

  /** Hears how far the journal is on the disk. */
  settle(durable: number): void {
    if (this.#calls.size === 0 || !this.#isCovered(durable)) return;
    this.#then(async () => {
      if (this.#isCovered(durable)) await this.#clear();
    });
  }

  /** Removes the file where nothing in it is still needed. */
  async close(): Promise<void> {
    await this.#work;
    await this.#handle?.close();
    if (this.#handle && this.#isEmpty) await unlink(this.#paths.pieces);
  }

  #isCovered(durable: number): boolean {
    return [...this.#calls.values()].every((seq) => seq !== undefined && seq <= durable);
  }

  async #write(): Promise<void> {
    const { root, name, pieces } = this.#paths;
    if (!this.#handle) {
      await makeFolder(root, names.conversations, name);
      this.#handle = await openPlainFile(pieces, APPEND);
    }
    const bytes = Buffer.concat(this.#waiting.splice(0));
    this.#isEmpty = false;
    await this.#handle.appendFile(bytes);
    await this.#handle.datasync();
  }

  async #clear(): Promise<void> {
    this.#calls.clear();
    this.#waiting = [];
    await this.#handle?.truncate(0);
    this.#isEmpty = true;
  }

  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(step).catch((error: unknown) => {
      this.#hasFailed = true;
      this.#log.warn(`What is being said in ${this.#paths.id} is not kept meanwhile: ${messageOf(error)}`);
    });
  }
}
