import type { Entries } from '../reading/entries.js';
import type { Entry, ImportSink } from './importSink.js';
import type { Steps } from '../reading/steps.js';

/** A file beside a transcript that belongs to it. */
export interface SidecarEntries {
  /** Its path relative to the transcript's folder, separated by `/`. */
  readonly name: string;
  readonly entries: Entries;
}

/** One whose values are all held. */
export interface Sidecar extends SidecarEntries {
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
export type TranscriptFormat = WholeFormat | LinesFormat | StreamedFormat;

/** What every format says of itself. */
interface FormatFacts {
  readonly name: string;
  /** Whose files these are. */
  readonly of: string;
  /** Which files, in Markdown. */
  readonly files: string;
  /** What of a file becomes records of its own kind; everything else that it says is kept as it was written. */
  readonly carries: readonly Carried[];
  /** Whether others may have files that look the same, so that a few values do not make a file one of this format. */
  readonly isGeneral?: boolean;
  /** Whether a list of values is one value for it, as the pieces of one answer are; for others each item is a value. */
  readonly isOfLists?: boolean;
  /** Whether these are spans or runs of any program, in which a convention that nobody knows may say what was said. */
  readonly isOfTraces?: boolean;
  /** Whether the first values of a file look like this format; a whole JSON file is one value. */
  detect(head: readonly unknown[]): boolean;
}

/** A format whose files are held as a whole while they are read, and so cannot be longer than `MAX_TRANSCRIPT_BYTES`. */
export interface WholeFormat extends FormatFacts {
  /** Reads a file. Never throws: what it does not understand is kept and reported. */
  read(entries: readonly Entry[], sink: ImportSink, sidecars: readonly Sidecar[]): void;
}

/**
 * A format whose reader goes through the values of a file as often as it must and holds none of them, so that files of lines
 * have any length. Whatever it holds of them must be little, as `FormatReader` says.
 */
export interface LinesFormat extends FormatFacts {
  /**
   * Reads a file, in steps where its files are often long. Never throws but with errors of the disk: what it does not
   * understand is kept and reported.
   */
  readLines(lines: Entries, sink: ImportSink, sidecars: readonly SidecarEntries[]): Steps<void> | undefined;
  /**
   * Begins to read a file that is being written, value by value, as far as that gives the same: as soon as it does not, its
   * reader tells that the file `mustBeReadWhole`.
   */
  readonly follow?: (sink: ImportSink) => FormatReader;
}

/** A format of lines whose reader gets one value after another and holds none of them, so that files have any length. */
export interface StreamedFormat extends FormatFacts {
  begin(sink: ImportSink, sidecars: readonly SidecarEntries[]): FormatReader;
}

/**
 * Reads one file value by value. Never throws: what it does not understand is kept and reported. What it holds must not
 * grow with what the values say: drafts may be held, they wait on the disk (`Drafts`); values may not.
 */
export interface FormatReader {
  /** Sees every value of the file in order before the first is taken, where a reader must know what comes later. */
  look?(entry: Entry): void;
  /** Called when all were looked at and before the first is taken: now files beside it can be read that stand before it. */
  looked?(): void;
  /** Reads the next value; one that could not be parsed is not given. */
  take(entry: Entry): void;
  /** Called after the last value: now files beside it can be read. */
  end?(): void;
  /**
   * What of all values that it has looked at decided how it read earlier ones, as a text: where that changes, they must be
   * read anew. A reader that tells it can be given the values of a file while the file is written, without an end; others
   * read such a file as a whole each time.
   */
  readonly readAssumptions?: string;
  /** Whether a value that was taken belongs where others stand already, so that only the whole file can be read. */
  readonly mustBeReadWhole?: boolean;
  /**
   * Of a file that is being written, the drafts that what comes will complete, by their numbers: they wait for that however
   * long it takes. Where a reader does not say, the last answer of each call may go on for a while.
   */
  readonly open?: ReadonlySet<number>;
  /** Of the files beside one that is being written, by their names, those of which it can be given what they gain. */
  readonly growingSidecars?: RegExp;
  /**
   * Reads what files beside have gained: all that there are, of those of lines only the new values. It goes to where it
   * belongs as long as nothing `isGiven` that stands behind that, else to the end.
   */
  takeSidecars?(files: readonly SidecarEntries[], isGiven: boolean): void;
  /** Whether a file beside, by its name, is better read a moment later, because what says where it belongs has not come. */
  awaitsSidecar?(name: string): boolean;
  /**
   * In place of the end of a file that is being written: nothing came for a while, so what waited for more is told, at the end
   * where something `isGiven` that stands behind its place.
   */
  settle?(isGiven: boolean): void;
}

/** Whether files of lines of a format may have any length. */
export function isOfAnyLength(format: TranscriptFormat): format is LinesFormat | StreamedFormat {
  return !('read' in format);
}

/** Reads a file with its format. */
export function* readWith(
  format: TranscriptFormat,
  entries: Entries,
  sink: ImportSink,
  beside: readonly SidecarEntries[],
): Steps<void> {
  if ('read' in format) {
    const sidecars = beside.map((each) => ({ ...each, entries: held(each.entries) }));
    format.read(held(entries), sink, sidecars);
    return;
  }
  if ('readLines' in format) {
    const steps = format.readLines(entries, sink, beside);
    if (steps) yield* steps;
    return;
  }
  const reader = format.begin(sink, beside);
  if (reader.look) {
    for (const entry of entries) {
      reader.look(entry);
      yield;
    }
  }
  reader.looked?.();
  for (const entry of sink.readable(entries)) {
    reader.take(entry);
    yield;
  }
  reader.end?.();
}

function held(entries: Entries): readonly Entry[] {
  return 'valueAt' in entries ? [...entries] : entries;
}

/** Whether more than half of the values satisfy a test. */
export function most(values: readonly unknown[], isOurs: (value: unknown) => boolean): boolean {
  return values.filter(isOurs).length * 2 > values.length;
}
