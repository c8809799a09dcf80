import { messageOf } from '../core/text.js';
import { leftOver } from './rest/leftOver.js';
import { formats } from './formats.js';
import type { ImportResult } from './importResult.js';
import { ImportSink, type Entry } from './importSink.js';
import { atifArchive } from './shapes/atifArchive.js';
import { inspectArchive } from './shapes/inspectArchive.js';
import { archiveMembers } from './reading/archiveJson.js';
import { jsonLines } from './reading/jsonLines.js';
import { MAX_NESTING, nestsDeeper } from './reading/nesting.js';
import { MAX_TRANSCRIPT_BYTES, readBytes, type TranscriptSource } from './reading/readBytes.js';
import type { Sidecar, TranscriptFormat } from './transcriptFormat.js';
import { isZip } from './reading/zipArchive.js';

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
}

/** How many values a format gets for detection. */
const HEAD = 20;

/**
 * Reads a transcript of another tool, detecting its format; `name` is the file's name, for conversations without an id.
 * Never throws because of a file's content: what cannot be read is kept as it was and reported.
 */
export async function importTranscript(
  source: TranscriptSource,
  name: string,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { maxBytes = MAX_TRANSCRIPT_BYTES, sidecarsLeft = 0 } = options;
  const sink = new ImportSink(name.replace(/^.*[\\/]/, '').replace(/\.[^.]*$/, ''));
  const entries = await readEntries(source, maxBytes, sink);
  const sidecars: Sidecar[] = [];
  for (const sidecar of options.sidecars ?? []) {
    sidecars.push({ name: sidecar.name, entries: await readSidecar(sidecar, maxBytes, sink) });
  }
  if (sidecarsLeft > 0) {
    const files = sidecarsLeft.toLocaleString('en-US');
    sink.problem('warning', `${files} more files beside it were not looked at; subagents may be missing.`);
  }
  const values = entries.filter(({ raw }) => raw === undefined).map(({ value }) => value);
  const format = formats.find((candidate) => recognises(candidate, values.slice(0, HEAD)));
  read(format, entries, sink, sidecars);
  const { conversations, problems } = sink.finish();
  const all = [{ name: '', entries }, ...sidecars.filter(({ name: beside }) => !sink.leftOut.has(beside))];
  const left = leftOver(all, conversations);
  return {
    format: format?.name ?? 'unknown',
    conversations: left.conversations,
    problems: [...problems, ...left.problems],
  };
}

/** Reads a sidecar; one that cannot be read is reported and does not affect the others. */
async function readSidecar(sidecar: SidecarSource, maxBytes: number, sink: ImportSink): Promise<Entry[]> {
  try {
    return await readEntries(sidecar.source, maxBytes, sink);
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') throw error;
    sink.problem('error', `${sidecar.name} could not be read: ${messageOf(error)}.`);
    return [];
  }
}

/** The values of a file: one for a JSON file or an archive, else one per line. */
async function readEntries(source: TranscriptSource, maxBytes: number, sink: ImportSink): Promise<Entry[]> {
  const { bytes, isCut } = await readBytes(source, maxBytes);
  if (isCut) sink.problem('error', `The file is longer than ${maxBytes} bytes; the rest was not read.`);
  if (bytes.length === 0) {
    sink.problem('warning', 'The file is empty.');
    return [];
  }
  if (isZip(bytes)) {
    const members = archiveMembers(bytes, sink);
    const log = inspectArchive(members, maxBytes, sink);
    const values = log === undefined ? atifArchive(members, maxBytes, sink) : [log];
    if (!values) sink.problem('error', 'This is an archive of a kind that is not known.');
    return (values ?? []).map((value) => ({ value }));
  }
  return wholeJson(bytes, sink) ?? lines(bytes, sink);
}

/** The value of a file that is a single JSON value; undefined where it is not, or where its first line is a value. */
function wholeJson(bytes: Uint8Array, sink: ImportSink): Entry[] | undefined {
  const lineEnd = bytes.indexOf(0x0a);
  const rest = lineEnd < 0 ? '' : decode(bytes.subarray(lineEnd, lineEnd + 1000)).trim();
  if (rest !== '' && isJson(decode(bytes.subarray(0, lineEnd)))) return undefined;
  const text = decode(bytes);
  if (!/^\s*[[{]/.test(text)) return undefined;
  if (nestsDeeper(text)) {
    sink.problem('error', `The file nests deeper than ${MAX_NESTING} levels; it was kept as text.`);
    return [{ value: undefined, raw: text }];
  }
  try {
    const value: unknown = JSON.parse(text);
    if (text.includes('\ufffd')) sink.problem('warning', 'Some characters are damaged.');
    return [{ value }];
  } catch {
    // Not a single JSON value: JSON lines, or no JSON at all.
    return undefined;
  }
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    // Not JSON is an answer here.
    return false;
  }
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** One entry per line, unless no line is an object or a list: then the file is a text and kept as one. */
function lines(bytes: Uint8Array, sink: ImportSink): Entry[] {
  const trial = new ImportSink('');
  const entries = [...jsonLines(bytes, trial)];
  if (entries.some(({ value }) => typeof value === 'object' && value !== null)) {
    for (const problem of trial.finish().problems)
      sink.problem(problem.severity, problem.message, problem.line);
    return entries;
  }
  sink.problem('error', 'This is no JSON and no lines of JSON.');
  return [{ value: undefined, raw: decode(bytes) }];
}

function recognises(format: TranscriptFormat, head: readonly unknown[]): boolean {
  try {
    return head.length > 0 && format.detect(head);
  } catch {
    // A file on which a format's detection fails is not of that format.
    return false;
  }
}

/** Reads a file with its format; where no format recognises it, every value is kept. */
function read(
  format: TranscriptFormat | undefined,
  entries: readonly Entry[],
  sink: ImportSink,
  sidecars: readonly Sidecar[],
): void {
  try {
    if (format) {
      format.read(entries, sink, sidecars);
      return;
    }
    if (entries.some(({ raw }) => raw === undefined))
      sink.problem('error', 'This is no format that is known here.');
  } catch (error) {
    sink.problem('error', `Reading stopped at something unexpected: ${messageOf(error)}`);
  }
  if (entries.length === 0) return;
  const builder = sink.conversation(undefined, 'unknown');
  for (const { value } of sink.readable(entries)) builder.keep(builder.entry, 'unknown', value);
}
