import type { Problem } from '../core/agent.js';
import { checkOptions, type KnownOptions } from '../core/checkOptions.js';
import { appendAll } from '../core/lists.js';
import { messageOf } from '../core/text.js';
import { halfRead } from './building/halfRead.js';
import { leftOf, leftOver } from './building/leftOver.js';
import { detect } from './detect.js';
import type { ImportResult } from './reading/importResult.js';
import { baseName, ImportSink, type Entry } from './building/importSink.js';
import { isEmpty, type Entries } from './reading/entries.js';
import { readFiles, type ReadFile } from './readEntries.js';
import { sizeWords } from './reading/nesting.js';
import { lookOf } from './reading/fragments.js';
import { MAX_TRANSCRIPT_BYTES, type TranscriptSource } from './reading/readBytes.js';
import { inSlices, type Steps } from './reading/steps.js';
import {
  isOfAnyLength,
  readWith,
  type SidecarEntries,
  type TranscriptFormat,
} from './building/transcriptFormat.js';

/** A file beside a transcript that belongs to it, like the session of a subagent. */
export interface SidecarSource {
  /** Its path relative to the transcript's folder, separated by `/`. */
  readonly name: string;
  readonly source: TranscriptSource;
}

/** What belongs to a transcript besides its own content, and how much of it is read. */
export interface ImportOptions {
  readonly sidecars?: readonly SidecarSource[] | undefined;
  /** How many more files may belong to the transcript; they are reported as missing. */
  readonly sidecarsLeft?: number | undefined;
  /** A longer file is cut, which is reported; 512 MiB by default. */
  readonly maxBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What `ImportOptions` may hold. */
export const importOptionKinds: KnownOptions<ImportOptions> = {
  sidecars: 'list',
  sidecarsLeft: 'count',
  maxBytes: 'count',
  signal: 'object',
};

/**
 * Reads a transcript of another tool, detecting its format; `name` is the file's name, for conversations without an id.
 * Never throws because of a file's content: what cannot be read is kept as it was and reported. Rejects with the signal's
 * reason where it is aborted.
 */
export async function importTranscript(
  source: TranscriptSource,
  name: string,
  options: ImportOptions = {},
): Promise<ImportResult> {
  checkOptions(options, importOptionKinds, 'importTranscript');
  const { maxBytes = MAX_TRANSCRIPT_BYTES, sidecarsLeft = 0, signal } = options;
  const sink = new ImportSink(baseName(name));
  const { files, isCut } = await readFiles(source, maxBytes, sink);
  if (files.some((file) => file.name !== '')) {
    if (isCut) tellCut('The archive', maxBytes, undefined, sink);
    return inSlices(readArchive(files, sink), signal);
  }
  const entries = files[0]?.entries ?? [];
  const sidecars: ReadFile[] = [];
  for (const sidecar of options.sidecars ?? []) {
    sidecars.push({ name: sidecar.name, entries: await readSidecar(sidecar, maxBytes, sink) });
  }
  tellLeft(sidecarsLeft, sink);
  const detected = detect(entries);
  if (isCut) tellCut('The file', maxBytes, detected.format, sink);
  return inSlices(readOne(detected, entries, sink, sidecars), signal);
}

/**
 * Reads the values of sessions that were put together of many rows or files, as if they were those of one file; `missing` is
 * what could not be put there, in words. Rejects with the signal's reason where it is aborted.
 */
export async function importValues(
  values: readonly unknown[],
  name: string,
  missing: readonly string[],
  signal: AbortSignal | undefined,
): Promise<ImportResult> {
  const sink = new ImportSink(baseName(name));
  const entries = values.map((value) => ({ value }));
  for (const each of missing) sink.problem('error', each);
  const reading =
    values.length === 0
      ? resultOf({ formats: 'unknown', watched: [] }, [], sink)
      : readOne(detect(entries), entries, sink, []);
  return inSlices(reading, signal);
}

/** Reads a file in which a format was detected, with those beside it; gives the result. */
function* readOne(
  { format, entries: found }: ReturnType<typeof detect>,
  entries: readonly Entry[],
  sink: ImportSink,
  sidecars: readonly ReadFile[],
): Steps<ImportResult> {
  yield* read(format, found, sink, sidecars);
  const file = { name: '', entries };
  const watched = [{ file, format }];
  return yield* resultOf({ formats: format?.name ?? 'unknown', watched }, [file, ...sidecars], sink);
}

/** What read files: the names of the formats, and which of the files each read. */
interface ReadBy {
  readonly formats: string;
  readonly watched: readonly { readonly file: ReadFile; readonly format: TranscriptFormat | undefined }[];
}

/** The result of reading these files, with what of them stands in no record, and in none that shows it. */
function* resultOf(
  { formats, watched }: ReadBy,
  files: readonly ReadFile[],
  sink: ImportSink,
): Steps<ImportResult> {
  const { conversations, problems } = yield* sink.finish();
  const all = files.filter(({ name }) => !sink.leftOut.has(name));
  const left = yield* leftOver(all, conversations, sink.counts);
  const halves: Problem[] = [];
  for (const { file, format } of watched)
    appendAll(halves, yield* halfRead(file, format, conversations, sink.counts));
  return {
    format: formats,
    conversations: left.conversations,
    problems: [...problems, ...left.problems, ...halves],
  };
}

/** Reads all files of an archive; gives the result. */
function* readArchive(files: readonly ReadFile[], sink: ImportSink): Steps<ImportResult> {
  return yield* resultOf(yield* readSeveral(files, sink), files, sink);
}

/** Reads the transcripts of an archive, each with those of its subagents beside it; gives the names of their formats. */
function* readSeveral(files: readonly ReadFile[], sink: ImportSink): Steps<ReadBy> {
  const formats = new Set<string>();
  const watched: { file: ReadFile; format: TranscriptFormat }[] = [];
  const sessions = files.filter(({ name }) => !isOfSubagent(name, files));
  for (const { name, entries } of sessions) {
    sink.startMember(name);
    const { format, entries: found } = detect(entries);
    if (!format) {
      sink.leaveOut(name);
      sink.problem('warning', 'This is no transcript of a kind that is known here; it was left out.');
      continue;
    }
    formats.add(format.name);
    watched.push({ file: { name, entries }, format });
    const folder = folderOf(name);
    const beside = files.filter((each) => each.name.startsWith(`${folder}subagents/`));
    const sidecars = beside.map((each) => ({ name: each.name.slice(folder.length), entries: each.entries }));
    yield* read(format, found, sink, sidecars);
  }
  return { formats: formats.size === 0 ? 'unknown' : [...formats].join(', '), watched };
}

/** Whether a file in an archive is the session of a subagent of another: it stands in the folder named like that one. */
function isOfSubagent(name: string, files: readonly ReadFile[]): boolean {
  return files.some((each) => name.startsWith(`${folderOf(each.name)}subagents/`));
}

/** The folder that is named like a session, in which those of its subagents are. */
function folderOf(name: string): string {
  return `${name.replace(/\.[^./]*$/, '')}/`;
}

/** Reports files beside a transcript that were not looked at. */
export function tellLeft(sidecarsLeft: number, sink: ImportSink): void {
  for (const { severity, message } of leftOf(sidecarsLeft)) sink.problem(severity, message);
}

/** Reports that what stands beyond the first `maxBytes` bytes was not read, and how all of it can be. */
function tellCut(
  what: string,
  maxBytes: number,
  format: TranscriptFormat | undefined,
  sink: ImportSink,
): void {
  const whose = format ? ` of ${format.of}` : '';
  const advice =
    format && isOfAnyLength(format)
      ? 'As a plain file with one value a line it is read at any length.'
      : 'Split it into files of at most this size, with whole sessions in each, and import these.';
  sink.problem(
    'error',
    `${what} is longer than ${sizeWords(maxBytes)}, the most that is read at once${whose}; the rest was not read. ${advice}`,
  );
}

/** Reads a sidecar; one that cannot be read is reported and does not affect the others. */
export async function readSidecar(
  sidecar: SidecarSource,
  maxBytes: number,
  sink: ImportSink,
): Promise<Entry[]> {
  try {
    const { files, isCut } = await readFiles(sidecar.source, maxBytes, sink);
    const entries = files.flatMap((file) => file.entries);
    if (isCut) tellCut(sidecar.name, maxBytes, detect(entries).format, sink);
    return entries;
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    sink.problem('error', `${sidecar.name} could not be read: ${messageOf(error)}.`);
    return [];
  }
}

/**
 * Reads a file with its format; where no format recognises it, every value is kept. Throws only where the disk cannot be
 * read any further.
 */
export function* read(
  format: TranscriptFormat | undefined,
  entries: Entries,
  sink: ImportSink,
  sidecars: readonly SidecarEntries[],
): Steps<void> {
  try {
    if (format) {
      yield* readWith(format, entries, sink, sidecars);
      if (!sink.isEmpty) return;
      sink.problem('warning', 'No conversation was found in this; all of it is kept as it was.');
    } else tellLook(entries, sink);
  } catch (error) {
    for (const each of [entries, ...sidecars.map((sidecar) => sidecar.entries)])
      if ('failure' in each && each.failure) throw each.failure;
    sink.problem('error', `Reading stopped at something unexpected: ${messageOf(error)}`);
  }
  if (isEmpty(entries)) return;
  const builder = sink.conversation(undefined, 'unknown');
  for (const { value } of sink.readable(entries)) {
    builder.keep(builder.entry, 'unknown', value);
    yield;
  }
}

/** Reports what a file looks like that no format recognises. */
function tellLook(entries: Entries, sink: ImportSink): void {
  const values = Array.from(entries).flatMap(({ value, raw }) => (raw === undefined ? [value] : []));
  if (values.length > 0) sink.problem('error', lookOf(values));
}
