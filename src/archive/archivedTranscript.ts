import { createHash } from 'node:crypto';
import type { Event } from '../core/event.js';
import type { ReadRecord, Transcript } from '../core/ports/transcript.js';
import { readRecord } from '../store/format/readRecord.js';
import { SpillRefs, textOfSpill } from '../store/format/spillTexts.js';
import type { ArchiveConnection } from './archiveConnection.js';
import { archiveKey, columnText } from './archiveText.js';

/** How many lines are asked for at once. */
const PAGE = 500;

/** Gives the connection, which may be another one after it broke off. */
export type Connected = () => Promise<Pick<ArchiveConnection, 'query'>>;

/** A conversation in the archive as a transcript: what it had when it was opened. Asks only for what is read. */
export class ArchivedTranscript implements Transcript {
  readonly conversation: string;
  readonly length: number;
  readonly damaged = [];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });
  readonly #key: string;
  readonly #connected: Connected;
  readonly #refs = new SpillRefs();

  /** `length`: how many records of it the archive has. */
  constructor(conversation: string, length: number, connected: Connected) {
    this.conversation = conversation;
    this.length = length;
    this.#key = archiveKey(conversation);
    this.#connected = connected;
  }

  /** Rejects with an ArchiveError. */
  async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    const lines = await this.readLines(start, end);
    const from = Math.max(0, start);
    const records = lines.map((line, at) => readRecord(line, this.conversation, from + at));
    this.#refs.remember(records);
    return records;
  }

  /** The bytes of the lines from `start` up to, not including, `end`, as they were pushed. Rejects with an ArchiveError. */
  async readLines(start: number, end: number): Promise<readonly Buffer[]> {
    const lines: Buffer[] = [];
    const to = Math.min(end, this.length);
    for (let from = Math.max(0, start); from < to; from += PAGE) {
      const { rows } = await (
        await this.#connected()
      ).query(
        `SELECT line FROM agent_logbook.records WHERE conversation = $1 AND position >= $2 AND position < $3 ORDER BY position`,
        [this.#key, from, Math.min(from + PAGE, to)],
      );
      for (const { line } of rows) lines.push(line as Buffer);
    }
    return lines;
  }

  async readAt(positions: readonly number[]): Promise<ReadonlyMap<number, ReadRecord>> {
    const records = new Map<number, ReadRecord>();
    for (let from = 0; from < positions.length; from += PAGE) {
      const { rows } = await (
        await this.#connected()
      ).query(
        `SELECT position, line FROM agent_logbook.records WHERE conversation = $1 AND position = ANY ($2::bigint[]) ORDER BY position`,
        [this.#key, positions.slice(from, from + PAGE)],
      );
      for (const { position, line } of rows) {
        const at = Number(position);
        if (at < this.length) records.set(at, readRecord(line as Buffer, this.conversation, at));
      }
    }
    this.#refs.remember(records.values());
    return records;
  }

  async readSpill(path: string): Promise<string | undefined> {
    const { rows } = await (
      await this.#connected()
    ).query(`SELECT bytes FROM agent_logbook.texts WHERE conversation = $1 AND path = $2 ORDER BY part`, [
      this.#key,
      columnText(path),
    ]);
    if (rows.length === 0) return undefined;
    const bytes = Buffer.concat(rows.map((row) => row.bytes as Buffer));
    const ref = this.#refs.get(path);
    const isSame = createHash('sha256').update(bytes).digest('hex') === ref?.sha256;
    return ref && !isSame ? undefined : textOfSpill(path, bytes);
  }

  /** The connection is shared. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
