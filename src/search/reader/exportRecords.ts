import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CostShares } from '../../query/numbers/costShares.js';
import type { ExportOptions, ExportReport, ResumedSession, LivingLines } from '../../export/exportFormat.js';
import { damageByItem, notesByItem } from '../../export/damageInTurn.js';
import { exportToFile } from '../../export/files/exportFile.js';
import { needsShares } from '../../export/exportMessages.js';
import { fileChunks } from '../../export/files/fileChunks.js';
import type { Note } from '../../core/note.js';
import type { ExportNote } from '../../export/exportNote.js';
import { isAsked, type Asks, type Finding } from '../../export/sharing/finding.js';
import { redactorFor, SharingGate } from '../../export/sharing/sharingGate.js';
import { sharingRules, type Decision, type SharingPolicy } from '../../export/sharing/sharingPolicy.js';
import { locatedNotes, locateNotes } from '../../query/notes/locateNotes.js';
import type { FileFormat } from '../../core/ports/exportFormats.js';
import type { Prices } from '../../core/ports/prices.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { freeFileName } from '../../store/files/safeFileName.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { CountedRecords } from '../../query/tokens/countedRecords.js';

/** What to export of a transcript, and how; it can be sent to another thread. */
export interface ExportWork {
  readonly format: FileFormat;
  /** The positions of the records to export, ascending; undefined: all. */
  readonly positions: readonly number[] | undefined;
  /** The absolute path of the file to write, which may exist; undefined: the text is answered. */
  readonly file: string | FileInFolder | undefined;
  /** Whether the folder of the file is made, once it is known that something is written; off by default. */
  readonly makesFolder?: boolean | undefined;
  /** Whether secrets are replaced. */
  readonly redact: boolean;
  /** What a person has settled about what is left out; left out, every secret is. */
  readonly sharing?: SharingWork | undefined;
  readonly title: string;
  /** How many of the lines that its edits put into files still stand there, where that is known. */
  readonly kept?: LivingLines | undefined;
  /** The path of the person's file with own prices; '' for none. */
  readonly ownPrices: string;
  /** The session of another tool that it becomes; left out, one without a folder. */
  readonly session?: ResumedSession | undefined;
  /** The notes to be exported with what they are about; left out, none are. */
  readonly notes?: readonly Note[] | undefined;
}

/** A file of a folder, which is called by the title, as that goes out; it can be sent to another thread. */
export interface FileInFolder {
  /** The absolute path of the folder. */
  readonly folder: string;
  readonly extension: string;
  /** Which names are taken, in lower case. */
  readonly taken: ReadonlySet<string>;
  /** What the index of the folder tells of it, besides its title. */
  readonly project: string;
}

/** How what is left out is decided; it can be sent to another thread. */
export interface SharingWork {
  readonly policy: SharingPolicy;
  readonly asks: Asks;
  /** What the person has decided, value by value; undefined: nobody was asked yet. */
  readonly decided?: readonly (readonly [value: string, decision: Decision])[] | undefined;
}

/** What came of an export: findings that a person is to decide about, of which nothing is written yet; a written file, a text, or a text of more than {@link MAX_EDITOR_TEXT}, which is not kept. */
export type ExportMade =
  | { readonly kind: 'findings'; readonly findings: readonly Finding[] }
  | ({ readonly kind: 'file'; readonly report: ExportReport } & ExportCalled)
  | { readonly kind: 'text'; readonly report: ExportReport; readonly text: string }
  | { readonly kind: 'tooLarge' };

/** What an export is called, without what is left out of it. */
export interface ExportCalled {
  /** The name of its file. */
  readonly name: string;
  readonly title: string;
  readonly project: string;
}

/** Takes how many of all records to be exported have been read. */
export type ExportProgressed = (read: number, all: number) => void;

/** What an export needs where it runs. */
export interface ExportHost {
  /** Loads what models cost; the argument is the path of a person's own prices. */
  readonly loadPrices: (ownFile: string) => Promise<Prices>;
  /** Counts the tokens of messages as they are read. */
  readonly counted: (records: AsyncIterable<ReadRecord>, signal: AbortSignal) => CountedRecords;
  readonly onProgress: ExportProgressed;
  /** Resolves when nobody waits for anything else there; left out, at once. */
  readonly rest?: () => Promise<void>;
  readonly signal: AbortSignal;
}

/** The formats with a token count for each message. */
const COUNTED: ReadonlySet<FileFormat> = new Set(['json', 'csv', 'dict']);

/** The longest text for an editor, in UTF-16 code units; VS Code handles longer ones badly. */
const MAX_EDITOR_TEXT = 50_000_000;

/** How many records are exported between two progress reports. */
const RECORDS_PER_REPORT = 500;

/**
 * Exports the records of a transcript with everything that they hold, the texts in files of their own included. Rejects
 * with the signal's reason, and with errors of the file system as they are; a file is whole or not there.
 */
export async function exportRecords(
  transcript: Transcript,
  work: ExportWork,
  { counted, loadPrices, onProgress, rest, signal }: ExportHost,
): Promise<ExportMade> {
  const { format, positions, file, redact, title } = work;
  const all = positions?.length ?? transcript.length;
  const prices = await loadPrices(work.ownPrices);
  const { asks = 'never', decided, policy } = work.sharing ?? {};
  const sharedFor = format === 'html' ? 'readers' : asks === 'never' ? undefined : 'reviewed';
  const gate = redact ? new SharingGate(await sharingRules(policy, sharedFor)) : undefined;
  const shares = needsShares(format, { full: true }) ? new CostShares(prices) : undefined;
  const looked = gate || shares ? transcript.length : 0;
  const progress = { all: looked + all, onProgress, rest };
  if (looked > 0) await lookThrough(transcript, { gate, shares }, progress, signal);
  const notes = work.notes && (await positionByItem(work.notes, transcript, positions, signal));
  for (const [index, about] of notes ?? [])
    for (const { text } of about) gate?.look({ note: text }, positions?.[index] ?? index);
  const project = typeof file === 'object' ? file.project : '';
  gate?.lookAtNames({ title, project });
  gate?.decide(decided ?? []);
  if (gate && !decided && isAsked(asks, gate.findings)) return { kind: 'findings', findings: gate.findings };
  const whole = restoredRecords(transcript, positions, signal);
  const { records, counter } = counted(whole, signal);
  const read = withProgress(COUNTED.has(format) ? records : whole, { ...progress, before: looked });
  const options: ExportOptions = {
    ...(notes && { notes }),
    tokenCounter: counter,
    prices,
    shares: shares?.finish(positions),
    session: work.session,
    damage: damageByItem(transcript, positions),
    redact,
    gate,
    title,
    kept: work.kept,
    includeMetadata: true,
    full: true,
    isSubset: positions !== undefined,
  };
  if (file === undefined) return textOf(read, format, options, signal);
  // Nobody expects a secret in the name of a file, also where none is left out of what stands in it.
  const clean = gate?.redactor() ?? redactorFor(await sharingRules(policy, sharedFor));
  const path =
    typeof file === 'string'
      ? file
      : join(file.folder, freeFileName(clean.text(title), file.extension, new Set(file.taken)));
  if (work.makesFolder === true) await mkdir(dirname(path), { recursive: true });
  const report = await exportToFile(read, format, path, { ...options, signal, overwrite: true });
  const called = gate ? { title: clean.text(title), project: clean.text(project) } : { title, project };
  return { kind: 'file', report, name: basename(path), ...called };
}

/**
 * Looks through a whole transcript, whatever part of it is exported, so that the same value has the same number in all, and
 * each record the same share of what all cost.
 */
async function lookThrough(
  transcript: Transcript,
  { gate, shares }: { readonly gate: SharingGate | undefined; readonly shares: CostShares | undefined },
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  let position = 0;
  const records = restoredRecords(transcript, undefined, signal);
  for await (const record of withProgress(records, progress)) {
    gate?.look(record, position++);
    shares?.add(record);
  }
  signal.throwIfAborted();
}

/** Notes where they stand in a transcript, by the index of the exported record. */
async function positionByItem(
  notes: readonly Note[],
  transcript: Transcript,
  positions: readonly number[] | undefined,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, readonly ExportNote[]>> {
  return notesByItem(locatedNotes(notes, await locateNotes(notes, transcript, signal)), positions);
}

async function textOf(
  records: AsyncIterable<unknown>,
  format: FileFormat,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<ExportMade> {
  let report: ExportReport = { messages: 0, redacted: 0 };
  const parts: string[] = [];
  let length = 0;
  for await (const chunk of fileChunks(records, format, {
    ...options,
    onReport: (made) => (report = made),
  })) {
    signal.throwIfAborted();
    length += chunk.length;
    if (length > MAX_EDITOR_TEXT) return { kind: 'tooLarge' };
    parts.push(chunk);
  }
  signal.throwIfAborted();
  return { kind: 'text', report, text: parts.join('') };
}

/** How far an export is. */
interface Progress {
  readonly all: number;
  /** How many have passed before the first of these. */
  readonly before?: number;
  readonly onProgress: ExportProgressed;
  readonly rest?: (() => Promise<void>) | undefined;
}

/** Passes records on, tells from time to time how many have passed, and then lets others pass. */
async function* withProgress<T>(
  records: AsyncIterable<T>,
  { all, before = 0, onProgress, rest = () => Promise.resolve() }: Progress,
): AsyncGenerator<T, void, undefined> {
  let passed = before;
  for await (const record of records) {
    yield record;
    if (++passed % RECORDS_PER_REPORT > 0) continue;
    onProgress(passed, all);
    await rest();
  }
}
