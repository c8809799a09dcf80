import type { Problem } from '../../core/agent.js';
import type { LogRecord, UnknownRecord } from '../../core/record.js';

/** A record that was made of another tool's file. */
export type ImportedRecord = LogRecord | UnknownRecord;

/** A conversation of another tool as records; everything in it that is not a message is a record of type `imported`. */
export interface ImportedConversation {
  /** Valid as a file name. */
  readonly id: string;
  readonly title: string;
  readonly records: readonly ImportedRecord[];
  /**
   * What a header shows of it besides, by what a person calls it: the score, target and status of an evaluation. They also
   * stand in the first record, of type `imported` and kind `facts`, so that a store keeps them.
   */
  readonly facts?: Readonly<Record<string, string>>;
}

/** The result of reading one transcript. Nothing is lost: what was not understood is kept as it was and reported. */
export interface ImportResult {
  /** The name of the format, `unknown` where it was not recognised. */
  readonly format: string;
  readonly conversations: readonly ImportedConversation[];
  readonly problems: readonly Problem[];
}

/** The type of records that keep anything but messages, as it was. */
export const IMPORTED = 'imported';

/** Whether records are those of a session: something was said, or a model was asked, though nobody recorded what. */
export function isSession(records: Iterable<ImportedRecord>): boolean {
  for (const { type } of records) if (type === 'message' || type === 'request') return true;
  return false;
}

/** The kind of the record that keeps a conversation's `facts`. */
export const FACTS = 'facts';
