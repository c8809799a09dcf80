import { isUtf8 } from 'node:buffer';
import { messageOf } from '../core/text.js';
import { ImportSink, type Entry } from './importSink.js';
import { archiveMembers } from './reading/archiveJson.js';
import { bytesNestDeeper, parseJsonBytes, valueEnd } from './reading/jsonBytes.js';
import { jsonLines } from './reading/jsonLines.js';
import { MAX_NESTING } from './reading/nesting.js';
import { plainBytes } from './reading/plainBytes.js';
import { readBytes, type TranscriptSource } from './reading/readBytes.js';
import { recordedText } from './reading/recordedText.js';
import { isZip, type ArchiveMember } from './reading/zipArchive.js';
import { atifArchive } from './shapes/atifArchive.js';
import { inspectArchive } from './shapes/inspectArchive.js';

/** How a SQLite database begins, according to its file format. */
const DATABASE = Buffer.from('SQLite format 3\0');

/** The values of a file: one for a JSON file or an archive, else one per line. What it is called does not matter. */
export async function readEntries(
  source: TranscriptSource,
  maxBytes: number,
  sink: ImportSink,
): Promise<Entry[]> {
  const { bytes, isCut } = await readBytes(source, maxBytes);
  if (isCut) sink.problem('error', `The file is longer than ${maxBytes} bytes; the rest was not read.`);
  if (bytes.length === 0) {
    sink.problem('warning', 'The file is empty.');
    return [];
  }
  if (DATABASE.every((byte, index) => bytes[index] === byte)) {
    sink.problem(
      'error',
      'This is a SQLite database; no databases are read. Export the session with the tool that wrote it, like goose session export --format json or opencode export, and import that file.',
    );
    return [];
  }
  return isZip(bytes) ? archiveEntries(bytes, maxBytes, sink) : entriesOf(bytes, maxBytes, sink);
}

async function entriesOf(packed: Uint8Array, maxBytes: number, sink: ImportSink): Promise<Entry[]> {
  try {
    const { bytes, was } = plainBytes(packed, maxBytes);
    if (bytes) {
      const recorded = await recordedText(bytes, sink);
      return recorded ? [recorded] : (wholeJson(bytes, sink) ?? lines(bytes, sink));
    }
    sink.problem(
      'error',
      `The file (${was ?? 'packed'}) unpacks to more than ${maxBytes} bytes; it was not read.`,
    );
  } catch (error) {
    sink.problem('error', `The file could not be unpacked: ${messageOf(error)}.`);
  }
  return [];
}

async function archiveEntries(bytes: Uint8Array, maxBytes: number, sink: ImportSink): Promise<Entry[]> {
  const members = await archiveMembers(bytes, sink);
  const log = inspectArchive(members, maxBytes, sink);
  const values = log === undefined ? atifArchive(members, maxBytes, sink) : [log];
  return values?.map((value) => ({ value })) ?? onlyFile(members, maxBytes, sink);
}

/** The values of the only file in an archive; of several, which are named, none. */
async function onlyFile(
  members: readonly ArchiveMember[],
  maxBytes: number,
  sink: ImportSink,
): Promise<Entry[]> {
  const files = members.filter(({ name }) => /\.(?:jsonl?|ndjson|txt|log|md|traj)$/i.test(name));
  const [only] = files;
  const names = files
    .slice(0, 5)
    .map(({ name }) => name)
    .join(', ');
  if (!only || files.length > 1) {
    const words = only ? ` Unpack it and import the files in it: ${names} (${files.length}).` : '';
    sink.problem('error', `This is an archive of a kind that is not known.${words}`);
    return [];
  }
  try {
    const bytes = only.read(maxBytes);
    if (bytes) return await entriesOf(bytes, maxBytes, sink);
    sink.problem('error', `${only.name} unpacks to more than ${maxBytes} bytes; it was not read.`);
  } catch (error) {
    sink.problem('error', `${only.name}: ${messageOf(error)}`);
  }
  return [];
}

/** The value of a file that is a single JSON value; undefined where it is not. */
function wholeJson(bytes: Uint8Array, sink: ImportSink): Entry[] | undefined {
  const start = bytes.findIndex((byte) => byte > 0x20);
  const first = bytes[start];
  if (first !== 0x7b && first !== 0x5b) return undefined;
  // Where a value ends before the file does, it is one of several; this is cheaper than to parse and fail.
  const end = valueEnd(bytes, start);
  const isOneLine = !bytes.includes(0x0a);
  const isWhole = end !== undefined && !bytes.subarray(end).some((byte) => byte > 0x20);
  if (!isWhole && !isOneLine) return undefined;
  if (bytesNestDeeper(bytes)) {
    sink.problem('error', `The file nests deeper than ${MAX_NESTING} levels; it was kept as text.`);
    return [{ value: undefined, raw: decode(bytes) }];
  }
  if (!isWhole) return undefined;
  try {
    const value = parseJsonBytes(bytes);
    if (!isUndamaged(bytes)) sink.problem('warning', 'Some characters are damaged.');
    return [{ value }];
  } catch {
    // Brackets that match do not make JSON; line by line it is reported.
    return undefined;
  }
}

/** Whether bytes are UTF-8 without a replacement character, which stands where another program met damaged ones. */
function isUndamaged(bytes: Uint8Array): boolean {
  return isUtf8(bytes) && !Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('\ufffd');
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** One entry per value, unless none is an object or a list: then the file is a text and kept as one. */
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
