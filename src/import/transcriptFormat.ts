import type { Entry, ImportSink } from './importSink.js';

/** A file beside a transcript that belongs to it. */
export interface Sidecar {
  /** Its path relative to the transcript's folder, separated by `/`. */
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** A transcript format of another tool. */
export interface TranscriptFormat {
  readonly name: string;
  /** Whether the first values of a file look like this format; a whole JSON file is one value. */
  detect(head: readonly unknown[]): boolean;
  /** Reads a file. Never throws: what it does not understand is kept and reported. */
  read(entries: readonly Entry[], sink: ImportSink, sidecars: readonly Sidecar[]): void;
}

/** Whether more than half of the values satisfy a test. */
export function most(values: readonly unknown[], isOurs: (value: unknown) => boolean): boolean {
  return values.filter(isOurs).length * 2 > values.length;
}
