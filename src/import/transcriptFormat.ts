import type { Entry, ImportSink } from './importSink.js';

/** A file beside a transcript that belongs to it. */
export interface Sidecar {
  /** Its path relative to the transcript's folder, separated by `/`. */
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** What a format may tell, in the order of the columns in `docs/formats.md`. */
export const CARRIED = [
  'messages',
  'calls',
  'subagents',
  'times',
  'models',
  'usage',
  'cost',
  'images',
  'thinking',
] as const;

/** One thing that a format may tell. */
export type Carried = (typeof CARRIED)[number];

/** A transcript format of another tool. */
export interface TranscriptFormat {
  readonly name: string;
  /** Whose files these are. */
  readonly of: string;
  /** Which files, in Markdown. */
  readonly files: string;
  /** What of a file becomes records of its own kind; everything else that it says is kept as it was written. */
  readonly carries: readonly Carried[];
  /** Whether others may have files that look the same, so that a few values do not make a file one of this format. */
  readonly isGeneral?: boolean;
  /** Whether the first values of a file look like this format; a whole JSON file is one value. */
  detect(head: readonly unknown[]): boolean;
  /** Reads a file. Never throws: what it does not understand is kept and reported. */
  read(entries: readonly Entry[], sink: ImportSink, sidecars: readonly Sidecar[]): void;
}

/** Whether more than half of the values satisfy a test. */
export function most(values: readonly unknown[], isOurs: (value: unknown) => boolean): boolean {
  return values.filter(isOurs).length * 2 > values.length;
}
