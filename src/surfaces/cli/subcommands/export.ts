import { extname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { lstat, mkdir, open, realpath, stat, writeFile } from 'node:fs/promises';
import { CostShares } from '../../../query/numbers/costShares.js';
import { keyOf } from '../../../app/sources/blamedFiles.js';
import { LATEST } from '../../../app/sources/nameMatch.js';
import { leftOutWords } from '../../../app/transcripts/leftOutWords.js';
import { formatCount } from '../../../app/text/format.js';
import { UserError } from '../../../app/userError.js';
import type { LocatedNote } from '../../../core/note.js';
import { errorCode } from '../../../core/errorCode.js';
import { messageOf } from '../../../core/text.js';
import { visibleText } from '../../../core/visibleText.js';
import { exportTables } from '../../../export/tables/exportTables.js';
import { exportToFile } from '../../../export/files/exportFile.js';
import { NotCleanError } from '../../../export/sharing/resultCheck.js';
import { SharingGate } from '../../../export/sharing/sharingGate.js';
import { exportIndex, INDEX_FILES, type IndexEntry } from '../../../export/files/exportIndex.js';
import { freeFileName } from '../../../store/files/safeFileName.js';
import { formatWords, TELLS_KEPT } from '../../../app/transcripts/exportFormatWords.js';
import { sharingRules } from '../../../export/sharing/sharingPolicy.js';
import type { ExportOptions, ExportReport, LivingLines } from '../../../export/exportFormat.js';
import { damageByItem, notesByItem } from '../../../export/damageInTurn.js';
import { needsShares } from '../../../export/exportMessages.js';
import { fileChunks } from '../../../export/files/fileChunks.js';
import { FILE_FORMATS, type FileFormat, type SavedFormat } from '../../../core/ports/exportFormats.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { loadUsablePrices } from '../../../query/pricing/loadPrices.js';
import { restoredRecords } from '../../../store/read/restoredRecords.js';
import type { Call } from '../call.js';
import { Questions } from '../questions.js';
import { WrongUse } from '../terminal.js';
import { tellDamage } from '../readAll.js';
import { keptOf } from './blame.js';
import type { NamedSession } from '../../../app/stores/namedSessions.js';
import { fileOfPath } from '../../../core/sessionInDatabase.js';

/** Where an export goes. */
interface ExportTarget {
  /** Absolute; where a link was named, that of the file behind it. */
  readonly path: string;
  /** What is told of it: as it was named, and what is behind it where that is another. */
  readonly words: string;
  /** Whether it is a device or a pipe, which is written to and never replaced. */
  readonly isStream: boolean;
}

/** The folders of the system in which files stand for open ones, such as /dev/stdout. */
const OPEN_FILES = /^\/(?:dev|proc)\//;

/**
 * Where an export goes that was named. Rejects with a UserError where that is what is exported, a folder, or a link to nothing; what exists is no
 * matter here.
 */
async function exportTarget(named: string, cwd: string, session: NamedSession): Promise<ExportTarget> {
  const path = resolve(cwd, named);
  const about = await stat(path).catch(() => undefined);
  if (
    (OPEN_FILES.test(path) && about?.isDirectory() !== true) ||
    (about && !about.isFile() && !about.isDirectory())
  )
    return { path, words: named, isStream: true };
  if (about?.isDirectory())
    throw new UserError(
      `${named} is a folder; name a file in it, or put a / at its end to write each session into a file of its own.`,
    );
  const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  if (isLink && !about)
    throw new UserError(`${named} is a link to a file that is not there; nothing was written.`);
  const real = isLink ? await realpath(path) : path;
  if (about && (await isSource(real, cwd, session)))
    throw new UserError(`${named} is what is exported; name another file to write.`);
  return { path: real, words: isLink ? `${named}, a link to ${real}` : named, isStream: false };
}

/** Whether a file that is there is the one that is exported, or stands in the store that is. */
async function isSource(path: string, cwd: string, { kind, where }: NamedSession): Promise<boolean> {
  try {
    const source = await realpath(fileOfPath(resolve(cwd, where)));
    const target = await realpath(path);
    const way = relative(source, target);
    if (kind === 'stored') return !way.startsWith(`..${sep}`) && !isAbsolute(way);
    const [one, other] = await Promise.all([stat(source), stat(target)]);
    return one.ino === other.ino && one.dev === other.dev;
  } catch (error) {
    // What is exported came from elsewhere, such as standard input.
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Writes to a device or a pipe. Rejects with errors of the system. */
async function writeInto(path: string, chunks: AsyncIterable<string>): Promise<void> {
  const file = await open(path, 'w');
  try {
    for await (const chunk of chunks) await file.writeFile(chunk);
  } finally {
    await file.close();
  }
}

/** The formats by the endings of files. */
const BY_ENDING: Readonly<Record<string, FileFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.json': 'json',
  '.csv': 'csv',
  '.html': 'html',
  '.htm': 'html',
};

/** Writes one session in another form, to a file or to standard output; of several, each into a folder. */
export async function exportSession(call: Call): Promise<void> {
  const folder = folderOf(call);
  if (folder !== undefined) {
    await exportAll(call, folder);
    return;
  }
  if (call.words.length > 1)
    throw new UserError('Several sessions go into a folder: name one with --output, with a / at its end.');
  await call.withOne(call.words.length > 0 ? call.words : [LATEST], async (session) => {
    const transcript = await session.open();
    try {
      if (call.text('format') === 'parquet') await writeTables(call, session, transcript);
      else await writeNamed(call, session, transcript);
      await tellDamage(call, session, transcript);
    } finally {
      await transcript.close();
    }
  });
}

/** The folder that is named for what is exported, as it was named; undefined where a file is, or nothing. */
function folderOf(call: Call): string | undefined {
  const named = call.text('output');
  return named !== undefined && /[\\/]$/.test(named) && call.text('format') !== 'parquet' ? named : undefined;
}

/** Writes each session into a file of its own in a folder, and an index of those, also where not all are written. */
async function exportAll(call: Call, folder: string): Promise<void> {
  const { signal, out, terminal } = call;
  const format = formatOf(call.text('format'), undefined);
  const kept = tellsKept(call, format) ? await keptOf(call, call.words) : undefined;
  const path = resolve(terminal.cwd, folder);
  await inWords(folder, signal, () => mkdir(path, { recursive: true }));
  if (format === 'html' || format === 'markdown') {
    const index = INDEX_FILES[format];
    // Said before anything is written, not after.
    if (!call.has('force') && (await stat(join(path, index)).catch(() => undefined)))
      throw new UserError(`${join(folder, index)} exists; --force replaces it.`);
  }
  const entries: IndexEntry[] = [];
  try {
    await writeEach(call, { folder, format, kept }, entries);
  } catch (error) {
    if (entries.length > 0)
      await writeIndex(call, { folder, format, isWhole: false }, entries).catch((unlisted: unknown) =>
        // What broke it off is what is thrown.
        out.note(`What was exported is not listed: ${messageOf(unlisted)}`),
      );
    throw error;
  }
  if (entries.length === 0) await out.note('Nothing was exported: no session matches.');
  else await writeIndex(call, { folder, format, isWhole: true }, entries);
}

interface IntoFolder {
  /** As it was named. */
  readonly folder: string;
  readonly format: FileFormat;
}

/** Writes each session, and adds it to the entries once it stands there. */
async function writeEach(
  call: Call,
  { folder, format, kept }: IntoFolder & { readonly kept: Awaited<ReturnType<typeof keptOf>> | undefined },
  entries: IndexEntry[],
): Promise<void> {
  const taken = new Set<string>(Object.values(INDEX_FILES));
  for await (const session of call.sessions()) {
    call.signal.throwIfAborted();
    const positions = await wantedIn(call, session);
    // Where a question is asked, what answers nothing is left out.
    if (positions?.length === 0) continue;
    const info = await session.info();
    const transcript = await session.open();
    try {
      let entry: Omit<IndexEntry, 'messages'> | undefined;
      const called = async (clean: (text: string) => string) => {
        const title = clean(info.title);
        const file = freeFileName(title, formatWords[format].extension, taken);
        entry = { file, title, source: info.source ?? '', project: clean(info.project ?? '') };
        return await exportTarget(join(folder, file), call.terminal.cwd, session);
      };
      const { messages } = await writeExport(call, session, transcript, {
        file: called,
        format,
        positions,
        kept: kept?.get(keyOf(session)),
      });
      if (entry) entries.push({ ...entry, messages });
      await tellDamage(call, session, transcript);
    } finally {
      await transcript.close();
    }
  }
}

/** Writes the index of what stands in a folder, in the formats that have one, and tells what stands there. */
async function writeIndex(
  call: Call,
  { folder, format, isWhole }: IntoFolder & { readonly isWhole: boolean },
  entries: readonly IndexEntry[],
): Promise<void> {
  const heading = formatCount(entries.length, 'session');
  const stopped = isWhole ? '' : ' The export ended before all were written.';
  if (format !== 'html' && format !== 'markdown') {
    if (!isWhole) await call.out.note(`${heading} exported to ${folder}.${stopped}`);
    return;
  }
  const index = INDEX_FILES[format];
  // What stands there is listed also after an interruption.
  await inWords(join(folder, index), isWhole ? call.signal : undefined, () =>
    writeFile(
      join(resolve(call.terminal.cwd, folder), index),
      exportIndex(entries, format, { heading, isWhole }),
      { flag: call.has('force') ? 'w' : 'wx' },
    ),
  );
  await call.out.note(`${heading} exported to ${folder}, listed in ${index}.${stopped}`);
}

/** Does something with a file; what fails is told in words. Rejects with a UserError, or the signal's reason. */
async function inWords<T>(file: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    if (errorCode(error) === 'EEXIST') throw new UserError(`${file} exists; --force replaces it.`);
    if (error instanceof NotCleanError) throw new UserError(`${file} was not written. ${error.message}`);
    if (errorCode(error) === '') throw error;
    throw new UserError(`${file} cannot be written: ${whyUnwritten(error)}.`);
  }
}

/** Writes a session to where and in the form that its call says. */
async function writeNamed(call: Call, session: NamedSession, transcript: Transcript): Promise<void> {
  const named = call.text('output');
  const file =
    named === undefined || named === '-' ? undefined : await exportTarget(named, call.terminal.cwd, session);
  const positions = await wantedIn(call, session);
  const format = formatOf(call.text('format'), named);
  const kept = tellsKept(call, format) ? await keptOfOne(call, session) : undefined;
  await writeExport(call, session, transcript, { file, format, positions, kept });
}

/** Whether an export is to tell how many lines still stand. Throws where that is wanted and its form cannot. */
function tellsKept(call: Call, format: SavedFormat): boolean {
  if (!call.has('kept')) return false;
  for (const option of ['where', 'session'])
    if (call.has(option)) throw new WrongUse(`--kept is of whole sources, and not for --${option}.`);
  if (format === 'parquet' || !TELLS_KEPT.has(format))
    throw new WrongUse(`--kept is for Markdown, HTML and JSON, and not for ${format}.`);
  return true;
}

/** The same of one session, by all that its store has or that were named with it. */
async function keptOfOne(call: Call, session: NamedSession): Promise<LivingLines | undefined> {
  const names = session.kind === 'stored' ? [session.where] : call.words;
  const key = keyOf(session);
  return (await keptOf(call, names, (each) => keyOf(each) === key)).get(key);
}

/** What of a session is written, and how. */
interface Wanted {
  /** Or what makes it, given what leaves out of a text what is to be left out; undefined: to standard output. */
  readonly file: ExportTarget | ((clean: (text: string) => string) => Promise<ExportTarget>) | undefined;
  readonly format: FileFormat;
  /** Undefined: all of it. */
  readonly positions: readonly number[] | undefined;
  /** How many of its lines still stand; undefined: nothing is said of it. */
  readonly kept: LivingLines | undefined;
}

async function writeExport(
  call: Call,
  session: NamedSession,
  transcript: Transcript,
  { file: wanted, format, positions, kept }: Wanted,
): Promise<ExportReport> {
  const { signal, out } = call;
  let report: ExportReport = { messages: 0, redacted: 0 };
  const isFull = !call.has('messages-only');
  const prices = await loadUsablePrices(call.ownPrices);
  const rules = format === 'html' ? await sharingRules(call.sharing, 'readers') : call.sharing;
  const gate = out.redacts ? new SharingGate(rules) : undefined;
  const shares = needsShares(format, { full: isFull }) ? new CostShares(prices) : undefined;
  // All of it, also where only a part is exported: the same value has the same number in every part.
  let position = 0;
  if (gate || shares)
    for await (const record of restoredRecords(transcript, undefined, signal)) {
      gate?.look(record, position++);
      shares?.add(record);
    }
  signal.throwIfAborted();
  const notes = call.has('with-notes') ? await notesOf(call, session, transcript) : undefined;
  signal.throwIfAborted();
  const { title } = await session.info();
  const redactor = gate?.redactor();
  const file = typeof wanted === 'function' ? await wanted((text) => redactor?.text(text) ?? text) : wanted;
  const options: ExportOptions = {
    gate,
    ...(notes && { notes: notesByItem(notes, positions) }),
    session: { folder: call.terminal.cwd },
    redact: out.redacts,
    full: isFull,
    includeMetadata: isFull,
    isSubset: positions !== undefined,
    ...(kept && kept.put > 0 && { kept }),
    title,
    damage: damageByItem(transcript, positions),
    prices,
    shares: shares?.finish(positions),
    onReport: (made) => (report = made),
  };
  const records = restoredRecords(transcript, positions, signal);
  if (file === undefined) {
    const { isTerminal } = call.terminal.out;
    for await (const chunk of fileChunks(records, format, options))
      await out.write(isTerminal ? visibleText(chunk) : chunk);
    signal.throwIfAborted();
    if (isTerminal || out.isJson) await out.say();
  } else await toFile(call, file, { records, format, options });
  await tellReport(call, file?.words, format, report);
  return report;
}

/** Writes the Parquet tables of a session into a new folder, whole or not at all. */
async function writeTables(call: Call, session: NamedSession, transcript: Transcript): Promise<void> {
  const { signal, out } = call;
  const named = call.text('output');
  if (named === undefined || named === '-')
    throw new UserError('Tables are a folder of files: name a new one with --output.');
  for (const option of ['messages-only', 'with-notes', 'force', 'kept'])
    if (call.has(option)) throw new UserError(`--${option} is not for --format parquet.`);
  const positions = await wantedIn(call, session);
  const { title, source, project } = await session.info();
  const damaged = transcript.damaged.length;
  const records = restoredRecords(transcript, positions, signal);
  const whole = () => restoredRecords(transcript, undefined, signal);
  try {
    const report = await exportTables(
      [{ session: session.id, title, source, project, damaged, records, whole }],
      resolve(call.terminal.cwd, named),
      { redact: out.redacts, sharing: call.sharing, prices: await loadUsablePrices(call.ownPrices), signal },
    );
    for (const { why } of report.unread) throw new UserError(`${named} holds what could be read: ${why}`);
    await tellReport(call, named, 'parquet', report);
  } catch (error) {
    signal.throwIfAborted();
    if (errorCode(error) === 'EEXIST') throw new UserError(`${named} exists; name a new folder.`);
    if (errorCode(error) === '') throw error;
    throw new UserError(`${named} cannot be written: ${whyUnwritten(error)}.`);
  }
}

/** What a person has noted about a session; where that is nothing, they are told. Rejects with a UserError. */
async function notesOf(
  { out }: Call,
  { id, session }: NamedSession,
  transcript: Transcript,
): Promise<readonly LocatedNote[]> {
  let notes: readonly LocatedNote[];
  try {
    notes = await session.notes(transcript);
  } catch (error) {
    throw new UserError(`The notes about ${id} cannot be read: ${messageOf(error)}`);
  }
  if (notes.length === 0)
    await out.note(`There are no notes about ${id}; only a conversation of a store can have some.`);
  return notes;
}

async function toFile(
  call: Call,
  { path, words: file, isStream }: ExportTarget,
  {
    records,
    format,
    options,
  }: {
    readonly records: AsyncIterable<unknown>;
    readonly format: FileFormat;
    readonly options: ExportOptions;
  },
): Promise<void> {
  const { signal } = call;
  await inWords(file, signal, async () => {
    if (isStream) await writeInto(path, fileChunks(records, format, options));
    else await exportToFile(records, format, path, { ...options, signal, overwrite: call.has('force') });
  });
}

/** What tells of a file that cannot be written, by the code of the error. */
const WHY_UNWRITTEN: Readonly<Record<string, string>> = {
  ENOENT: 'its folder is not there',
  ENOTDIR: 'what should be its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'your user may not write there',
  EPERM: 'your user may not write there',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'your disk quota is used up',
  ENAMETOOLONG: 'its name is too long',
};

function whyUnwritten(error: unknown): string {
  return WHY_UNWRITTEN[errorCode(error)] ?? messageOf(error);
}

/** The positions of what `--where` asks for; undefined where nothing is asked, for all. */
async function wantedIn(call: Call, session: NamedSession): Promise<readonly number[] | undefined> {
  const where = call.text('where');
  if (where === undefined) return undefined;
  const questions = await Questions.of(call, where, 'messages');
  const answer = await questions.ask(session);
  if (answer) await questions.tellMissing(answer, session);
  return answer?.indexes ?? [];
}

async function tellReport(
  { out }: Call,
  file: string | undefined,
  format: SavedFormat,
  { messages, redacted, leftIn = 0, leftOut }: ExportReport,
): Promise<void> {
  const secrets = redacted === 0 ? '' : `, ${formatCount(redacted, 'secret')} replaced (--raw leaves them)`;
  const stay = leftIn === 0 ? '' : `, ${formatCount(leftIn, 'secret')} left in (as the policy says)`;
  const where = file === undefined ? '' : ` to ${file}`;
  const left = leftOutWords(leftOut, format);
  if (file !== undefined || secrets !== '' || stay !== '' || left !== '')
    await out.note(
      `${formatCount(messages, 'message')} exported${where}${secrets}${stay}.${left === '' ? '' : ` ${left}`}`,
    );
}

function formatOf(named: string | undefined, file: string | undefined): FileFormat {
  return (
    FILE_FORMATS.find((format) => format === named) ??
    BY_ENDING[extname(file ?? '').toLowerCase()] ??
    'markdown'
  );
}
