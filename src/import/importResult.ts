import type { Problem } from '../core/agent.js';
import type { LogRecord, UnknownRecord } from '../core/record.js';

/** One conversation of another tool, as our records; everything of it that is no message is a record of type `imported`. */
export interface ImportedConversation {
  /** Safe as a file name. */
  readonly id: string;
  readonly title: string;
  readonly records: readonly (LogRecord | UnknownRecord)[];
}

/** What reading one transcript gave. Nothing is lost: what could not be understood is kept as it was and reported. */
export interface ImportResult {
  /** The name of the format, `unknown` where it was not recognised. */
  readonly format: string;
  readonly conversations: readonly ImportedConversation[];
  readonly problems: readonly Problem[];
}

/** The type of records that hold what is no message of ours, as it was. */
export const IMPORTED = 'imported';
