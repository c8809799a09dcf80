import { extname } from 'node:path';
import { CostShares } from '../../../query/numbers/costShares.js';
import { LATEST } from '../../../app/sources/nameMatch.js';
import { leftOutWords } from '../../../app/transcripts/leftOutWords.js';
import { formatCount } from '../../../app/text/format.js';
import { UserError } from '../../../app/userError.js';
import type { LocatedNote } from '../../../core/note.js';
import { errorCode } from '../../../core/errorCode.js';
import { messageOf } from '../../../core/text.js';
import { visibleText } from '../../../core/visibleText.js';
import { exportToFile } from '../../../export/files/exportFile.js';
import { NotCleanError } from '../../../export/sharing/resultCheck.js';
import { SharingGate } from '../../../export/sharing/sharingGate.js';
import type { ExportOptions, ExportReport } from '../../../export/exportFormat.js';
import { damageByItem } from '../../../export/damageByItem.js';
import { needsShares } from '../../../export/exportMessages.js';
import { notesByItem } from '../../../export/notesByItem.js';
import { fileChunks } from '../../../export/files/fileChunks.js';
import { FILE_FORMATS, type FileFormat } from '../../../core/ports/exportFormats.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { loadUsablePrices } from '../../../query/pricing/loadPrices.js';
import { restoredRecords } from '../../../store/read/restoredRecords.js';
import type { Call } from '../call.js';
import { exportTarget, writeInto, type ExportTarget } from '../exportTarget.js';
import { Questions } from '../questions.js';
import { tellDamage } from '../readAll.js';
import type { NamedSession } from '../../../app/stores/namedSessions.js';

/** The formats by the endings of files. */
const BY_ENDING: Readonly<Record<string, FileFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.json': 'json',
  '.csv': 'csv',
  '.html': 'html',
  '.htm': 'html',
};

/** Writes one session in another form, to a file or to standard output. */
export async function exportSession(call: Call): Promise<void> {
  await call.withOne(call.words.length > 0 ? call.words : [LATEST], async (session) => {
    const transcript = await session.open();
    try {
      await writeExport(call, session, transcript);
      await tellDamage(call, session, transcript);
    } finally {
      await transcript.close();
    }
  });
}

async function writeExport(call: Call, session: NamedSession, transcript: Transcript): Promise<void> {
  const { signal, out } = call;
  const named = call.text('output');
  const file =
    named === undefined || named === '-' ? undefined : await exportTarget(named, call.terminal.cwd, session);
  const format = formatOf(call.text('format'), named);
  const where = call.text('where');
  const positions = where === undefined ? undefined : await matching(call, session, where);
  let report: ExportReport = { messages: 0, redacted: 0 };
  const isFull = !call.has('messages-only');
  const prices = await loadUsablePrices(call.ownPrices);
  const gate = out.redacts ? new SharingGate(call.sharing) : undefined;
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
  const options: ExportOptions = {
    gate,
    ...(notes && { notes: notesByItem(notes, positions) }),
    session: { folder: call.terminal.cwd },
    redact: out.redacts,
    full: isFull,
    includeMetadata: isFull,
    isSubset: positions !== undefined,
    title: (await session.info()).title,
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
  try {
    if (isStream) await writeInto(path, fileChunks(records, format, options));
    else await exportToFile(records, format, path, { ...options, signal, overwrite: call.has('force') });
  } catch (error) {
    signal.throwIfAborted();
    if (errorCode(error) === 'EEXIST') throw new UserError(`${file} exists; --force replaces it.`);
    if (error instanceof NotCleanError) throw new UserError(`${file} was not written. ${error.message}`);
    if (errorCode(error) === '') throw error;
    throw new UserError(`${file} cannot be written: ${whyUnwritten(error)}.`);
  }
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

async function matching(call: Call, session: NamedSession, where: string): Promise<readonly number[]> {
  const questions = await Questions.of(call, where, 'messages');
  const answer = await questions.ask(session);
  if (answer) await questions.tellMissing(answer, session);
  return answer?.indexes ?? [];
}

async function tellReport(
  { out }: Call,
  file: string | undefined,
  format: FileFormat,
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
