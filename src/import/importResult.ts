import type { Problem } from '../core/agent.js';
import type { LogRecord, UnknownRecord } from '../core/record.js';

/** A conversation of another tool as records; everything in it that is not a message is a record of type `imported`. */
export interface ImportedConversation {
  /** Valid as a file name. */
  readonly id: string;
  readonly title: string;
  readonly records: readonly (LogRecord | UnknownRecord)[];
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
