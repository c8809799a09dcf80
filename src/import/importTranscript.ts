import { messageOf } from '../core/text.js';
import { leftOver } from './rest/leftOver.js';
import { detect } from './detect.js';
import type { ImportResult } from './importResult.js';
import { ImportSink, type Entry } from './importSink.js';
import { readEntries } from './readEntries.js';
import { lookOf } from './fragments.js';
import { MAX_TRANSCRIPT_BYTES, type TranscriptSource } from './reading/readBytes.js';
import type { Sidecar, TranscriptFormat } from './transcriptFormat.js';

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
  const { format, entries: found } = detect(entries);
  read(format, found, sink, sidecars);
  const { conversations, problems } = sink.finish();
  const all = [{ name: '', entries }, ...sidecars.filter(({ name: beside }) => !sink.leftOut.has(beside))];
  const left = leftOver(all, conversations, sink.counts);
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
      sink.problem('error', lookOf(entries.flatMap(({ value, raw }) => (raw === undefined ? [value] : []))));
  } catch (error) {
    sink.problem('error', `Reading stopped at something unexpected: ${messageOf(error)}`);
  }
  if (entries.length === 0) return;
  const builder = sink.conversation(undefined, 'unknown');
  for (const { value } of sink.readable(entries)) builder.keep(builder.entry, 'unknown', value);
}
