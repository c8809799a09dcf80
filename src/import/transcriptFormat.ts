import type { Entry, ImportSink } from './importSink.js';

/** A file that belongs to a transcript and lies beside it. */
export interface Sidecar {
  /** Its path relative to the transcript's folder, with `/`. */
  readonly name: string;
  readonly entries: readonly Entry[];
}

/** One format of another tool. */
export interface TranscriptFormat {
  readonly name: string;
  /** Whether these look like the first values of a file of this format; a whole JSON file is one value. */
  detect(head: readonly unknown[]): boolean;
  /** Reads a file. Never throws: what it does not know it keeps and reports. */
  read(entries: readonly Entry[], sink: ImportSink, sidecars: readonly Sidecar[]): void;
}

/** Whether more than half of some values are what a format looks for. */
export function most(values: readonly unknown[], isOurs: (value: unknown) => boolean): boolean {
  return values.filter(isOurs).length * 2 > values.length;
}
