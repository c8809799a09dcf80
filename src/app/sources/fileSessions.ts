import { createWriteStream, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { t } from '../../core/l10n.js';
import { fileOfPath } from '../../core/sessionInDatabase.js';
import { openImport, type OpenedFile } from '../../import/importFile.js';
import { projectOf } from '../../import/projectOf.js';
import { isSession } from '../../import/reading/importResult.js';
import type { OpenedConversation } from '../../import/readLarge.js';
import type { CatalogEntry, DamagedLine, ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { CachedImports } from '../../search/files/cachedImports.js';
import { addToStored, emptyStored, entryOf } from '../../store/catalog/conversationSummary.js';
import { temporaryFile } from '../../node/temporaryFile.js';
import { UserError } from '../userError.js';
import type { NamedSession, SessionParts, SourceProblem } from '../stores/namedSessions.js';
import type { CachedSessions, FileMark } from './cachedSessions.js';
import { whyUnread } from './whyUnread.js';
import type { Event } from '../../core/event.js';
import type { LocatedNote } from '../../core/note.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import { withKnown, type SessionInfo } from '../../query/language/sessionFacts.js';
import { SessionFactsBuilder } from '../../query/language/sessionFactsBuilder.js';
import type { SessionIdentities } from '../../query/numbers/ownership.js';
import { ColumnFacts } from '../../search/columns/columnFacts.js';
import { textsOf, type MarkedPrices } from '../../search/columns/readSession.js';
import {
  blocksBefore,
  GramFilterBuilder,
  withBlocks,
  type GramBlock,
} from '../../search/stored/columns/gramFilter.js';
import type { RecordKindTable } from '../../search/stored/columns/recordKinds.js';
import { encodeSearchFile, parseSearchFile } from '../../search/stored/columns/searchFile.js';
import { columnsOf, type SessionColumns } from '../../search/stored/columns/sessionColumns.js';
import { LineIndex } from '../../store/read/lineIndex.js';
import type { OpenSession, Session } from '../../search/sessions/session.js';

export { CachedSessions } from './cachedSessions.js';
export { Gathering } from './countedSessions.js';

/** How a file is read. */
export interface FileReading {
  readonly signal: AbortSignal;
  /** Called now and then with how much of a large file is done, from 0 to 1. */
  readonly onProgress?: ((done: number) => void) | undefined;
  readonly onProblem: (problem: SourceProblem) => void;
  /** Whether the file is being written: a last line that is not whole is left for later. */
  readonly isGrowing?: boolean | undefined;
  /** Called before it is read, with its path. */
  readonly onOpening?: ((path: string) => Promise<void>) | undefined;
  /** Holds what was read for the next time; without it, a file is read each time. */
  readonly imports?: CachedImports | undefined;
  /** Keeps what is worked out of files for the next program; left out: nothing is kept. */
  readonly cache?: CachedSessions | undefined;
  /** By paths: what of files is kept, for whoever goes through them again for the same question. */
  readonly looked?: Map<string, { readonly mark: FileMark; readonly about: AboutFile }> | undefined;
}

/**
 * Reads a file of any known tool in place and gives its conversations, each of which can be read until the next one is
 * asked for. `name` is what a person calls it. Throws a UserError where it cannot be read or holds no conversation.
 */
export async function* fileSessions(
  path: string,
  name: string,
  reading: FileReading,
): AsyncGenerator<NamedSession, void, undefined> {
  const { cache, looked } = reading;
  const seen = looked?.get(path);
  const known = seen?.mark ?? cache?.known(path);
  const before = seen?.about ?? (known && cache && (await loadAbout(cache.partsOfFile(known))));
  const mark = before ? known : await cache?.mark(path);
  if (before && known) looked?.set(path, { mark: known, about: before });
  const file = new SharedFile(path, name, reading);
  try {
    const about = before ?? aboutFile(await file.open());
    if (before) file.tell(before.problems);
    else if (cache && mark) await saveAbout(cache.partsOfFile(mark), about);
    for (const at of about.conversations.keys())
      yield sessionOf(file, about, at, cache && mark && { cache, mark });
  } finally {
    await file.close();
  }
}

/** What is known of a file without its records. */
export interface AboutFile {
  readonly format: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
  readonly problems: OpenedFile['problems'];
  readonly conversations: readonly {
    readonly id: string;
    readonly title: string;
    readonly project?: string | undefined;
    readonly length: number;
  }[];
}

/** What is kept of a file of which so much is wrong would be larger than itself, in characters. */
const MAX_ABOUT = 256 * 1024;

function aboutFile({ opened, kept, size }: OpenedConversations): AboutFile {
  const { format, problems } = opened;
  const conversations = kept.map(({ id, title, records }) => ({
    id,
    title,
    project: projectOf(records),
    length: records.length,
  }));
  return { format, size, problems, conversations };
}

async function saveAbout(parts: SessionParts, about: AboutFile): Promise<void> {
  const json = JSON.stringify(about);
  if (json.length <= MAX_ABOUT) await parts.save('file', Buffer.from(json));
}

async function loadAbout(parts: SessionParts): Promise<AboutFile | undefined> {
  const part = await parts.load('file');
  return part && (JSON.parse(part.toString()) as AboutFile);
}

/** Tells what reading a file has told of it. */
export function reportProblems(
  problems: OpenedFile['problems'],
  name: string,
  onProblem: FileReading['onProblem'],
): void {
  for (const { severity, message, line } of problems) {
    const at = line === undefined ? '' : t`line ${line}: `;
    onProblem({ source: name, message: `${at}${message}`, isLoss: severity === 'error' });
  }
}

/** A file that is opened once somebody asks for its records. */
class SharedFile {
  readonly path: string;
  readonly name: string;
  readonly #reading: FileReading;
  #opening: Promise<OpenedConversations> | undefined;

  constructor(path: string, name: string, reading: FileReading) {
    this.path = path;
    this.name = name;
    this.#reading = reading;
  }

  /** Rejects like `openConversations`. */
  open(): Promise<OpenedConversations> {
    return (this.#opening ??= openConversations(this.path, this.name, this.#reading));
  }

  /** The same of what was told already. */
  async #openAgain(): Promise<OpenedConversations> {
    const quiet = { ...this.#reading, onProblem: () => undefined };
    return await (this.#opening ??= openConversations(this.path, this.name, quiet));
  }

  async records(at: number): Promise<OpenedConversation['records']> {
    const conversation = (await this.#openAgain()).kept[at];
    if (!conversation) throw new UserError(t`${this.name} was changed while it was read.`);
    return conversation.records;
  }

  async stamp(): Promise<string> {
    return (await this.#openAgain()).opened.stamp ?? '';
  }

  /** Tells what is wrong with the file. */
  tell(problems: OpenedFile['problems']): void {
    reportProblems(problems, this.name, this.#reading.onProblem);
  }

  async close(): Promise<void> {
    // What could not be opened was told and needs no closing.
    (await this.#opening?.catch(() => undefined))?.opened.close();
  }
}

/** Holds files for whoever asks about them again and again: small ones, and whatever was read last. */
export const holdImports = (): CachedImports => new CachedImports({ keepsLast: true });

/** A file that was read, with those of its conversations in which anything is said. */
export interface OpenedConversations {
  /** To be closed. */
  readonly opened: OpenedFile & { readonly stamp?: string };
  readonly kept: readonly OpenedConversation[];
  /** Of the file, in bytes. */
  readonly size: number;
}

/** That a file can be read, and nothing is said in it. */
export class NoConversationError extends UserError {}

/** Reads a file of any known tool. Throws a UserError where it cannot be read, a `NoConversationError` where it holds no conversation. */
export async function openConversations(
  path: string,
  name: string,
  { signal, onProgress, onProblem, imports, isGrowing = false, onOpening }: FileReading,
): Promise<OpenedConversations> {
  await onOpening?.(path);
  const opened = await openFile(path, name, {
    signal,
    imports,
    isGrowing,
    ...(onProgress && { onProgress }),
  });
  try {
    const { size } = statSync(fileOfPath(path));
    if (size === 0) throw new NoConversationError(t`${name} is empty.`);
    const kept = opened.conversations.filter(({ records }) => isSession(records));
    if (kept.length === 0) {
      const why = opened.problems.find(({ severity }) => severity === 'error')?.message ?? '';
      throw new NoConversationError(t`${name} holds no conversation that could be read. ${why}`.trim());
    }
    reportProblems(opened.problems, name, onProblem);
    return { opened, kept, size };
  } catch (error) {
    opened.close();
    throw error;
  }
}

/**
 * The same for bytes that come from elsewhere, such as standard input: they are kept in a temporary file while they are
 * read, because a reader may have to go through them more than once.
 */
export async function* streamSessions(
  bytes: AsyncIterable<Uint8Array>,
  name: string,
  reading: FileReading,
): AsyncGenerator<NamedSession, void, undefined> {
  // Conversations without an id are named by it.
  const { path, remove } = await temporaryFile('stdin.jsonl');
  try {
    await pipeline(bytes, createWriteStream(path, { mode: 0o600 }), { signal: reading.signal });
    yield* fileSessions(path, name, reading);
  } catch (error) {
    reading.signal.throwIfAborted();
    throw error instanceof UserError ? error : new UserError(t`${name} cannot be read: ${whyUnread(error)}.`);
  } finally {
    await remove();
  }
}

async function openFile(
  path: string,
  name: string,
  {
    imports,
    ...options
  }: Pick<FileReading, 'signal' | 'imports'> & { isGrowing: boolean; onProgress?: (done: number) => void },
): Promise<OpenedFile & { readonly stamp?: string }> {
  try {
    if (!imports) return await openImport(path, options);
    const held = await imports.open(path, options.signal);
    return { ...held, readWith: [], close: () => held.release() };
  } catch (error) {
    options.signal.throwIfAborted();
    throw new UserError(t`${name} cannot be read: ${whyUnread(error)}.`);
  }
}

/** What of a file could not be read. */
function damagedIn({ problems }: AboutFile, file: string): readonly DamagedLine[] {
  const lost = problems.filter(({ severity }) => severity === 'error');
  return lost.map(({ message, line }) => ({
    file,
    offset: 0,
    bytes: 0,
    why: message,
    ...(line !== undefined && { line }),
  }));
}

/** `kept`: where what is worked out of it is kept. */
function sessionOf(
  file: SharedFile,
  about: AboutFile,
  at: number,
  kept: { readonly cache: CachedSessions; readonly mark: FileMark } | undefined,
): NamedSession {
  const { path, name } = file;
  const { format, size, conversations } = about;
  const { id = '', title = '', project, length = 0 } = conversations[at] ?? {};
  const others = conversations.length - 1;
  const damaged = damagedIn(about, name);
  const records = () => file.records(at);
  const transcript = new FileTranscript(id, length, records, damaged);
  const info = { session: id, title, source: format, ...(project !== undefined && { project }) };
  const source = { tool: format, session: id, path, title, ...(project !== undefined && { project }) };
  const parts = kept?.cache.partsOfFile(kept.mark, String(at));
  const entry = async (): Promise<CatalogEntry> => {
    const before = await parts?.load('entry');
    if (before) return JSON.parse(before.toString()) as CatalogEntry;
    const summary = emptyStored();
    for (const record of await records()) addToStored(summary, record);
    // What each of several conversations takes of a file is not known.
    const bytes = others === 0 ? size : 0;
    const found = entryOf(summary, { conversation: id, damaged: damaged.length, bytes, live: false, source });
    await parts?.save('entry', Buffer.from(JSON.stringify(found)));
    return found;
  };
  const place = { kind: 'stored', root: path, conversation: id } as const;
  const keeping = kept && parts && { parts, recordKinds: kept.cache.recordKinds };
  return {
    id,
    where: name,
    kind: 'file',
    others,
    origin: { tool: format, session: id },
    session: new LoadedSession(place, info, transcript, keeping),
    ...(parts && { parts }),
    stamp: kept ? () => Promise.resolve(kept.mark.stamps) : () => file.stamp(),
    entry,
    info: () => Promise.resolve(info),
    open: async () => {
      await records();
      return transcript;
    },
  };
}

/** A conversation of another tool's file, read in place: what an import has made of it, as a transcript that does not grow. */
class FileTranscript implements Transcript {
  readonly conversation: string;
  readonly damaged: readonly DamagedLine[];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });
  readonly length: number;
  readonly #records: () => Promise<OpenedConversation['records']>;

  /** `records` are asked for when they are read; `damaged`: what of its file could not be read. */
  constructor(
    conversation: string,
    length: number,
    records: () => Promise<OpenedConversation['records']>,
    damaged: readonly DamagedLine[],
  ) {
    this.conversation = conversation;
    this.damaged = damaged;
    this.length = length;
    this.#records = records;
  }

  async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    return (await this.#records()).slice(Math.max(0, start), Math.min(end, this.length));
  }

  /** Imported records hold all of their texts. */
  readSpill(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}

/** A session of a file: what was kept of it is known before it is read. */
class LoadedSession implements Session {
  readonly place: SessionLocation;
  readonly order: string;
  readonly #info: SessionInfo;
  readonly #transcript: Transcript;
  readonly #kept: { readonly parts: SessionParts; readonly recordKinds: RecordKindTable } | undefined;

  constructor(
    location: SessionLocation,
    info: SessionInfo,
    transcript: Transcript,
    kept?: { readonly parts: SessionParts; readonly recordKinds: RecordKindTable },
  ) {
    this.place = location;
    this.order = location.conversation;
    this.#info = info;
    this.#transcript = transcript;
    this.#kept = kept;
  }

  async known({ mark }: MarkedPrices, needsCosts: boolean): Promise<OpenSession | undefined> {
    const part = await this.#kept?.parts.load(COLUMNS);
    const { blocks, others } = (part && blocksBefore(part)) ?? {};
    const columns = others && parseSearchFile(others)?.columns;
    const opened = columns && blocks && this.#over({ ...columns, blocks }, mark);
    return needsCosts && opened?.hasOtherPrices === true ? undefined : opened;
  }

  #over(columns: SessionColumns, mark: string): OpenSession | undefined {
    const facts = this.#kept && ColumnFacts.over(columns, this.#info, this.#kept.recordKinds);
    return (
      facts && {
        facts,
        about: (info) => facts.with(info),
        damaged: this.#transcript.damaged.length,
        hasOtherPrices: facts.head.prices !== mark,
        transcript: () => this.#transcript,
      }
    );
  }

  async knownTexts(): Promise<readonly GramBlock[] | undefined> {
    // What is wrong with it is told besides what is found.
    const part = this.#transcript.damaged.length > 0 ? undefined : await this.#kept?.parts.load(COLUMNS);
    return part && blocksBefore(part)?.blocks;
  }

  async knownIdentities(): Promise<SessionIdentities | undefined> {
    const part = await this.#kept?.parts.load(IDENTITIES);
    return part && identitiesIn(part);
  }

  async keepIdentities(identities: SessionIdentities): Promise<void> {
    await this.#kept?.parts.save(IDENTITIES, bytesOfIdentities(identities));
  }

  /** Its bytes are not looked through. */
  mayHave(): Promise<boolean> {
    return Promise.resolve(true);
  }

  /** Notes are kept beside the journals of a store. */
  hasNotes(): Promise<boolean> {
    return Promise.resolve(false);
  }

  notes(): Promise<readonly LocatedNote[]> {
    return Promise.resolve([]);
  }

  async read({ prices, mark }: MarkedPrices, signal: AbortSignal | undefined): Promise<OpenSession> {
    const transcript = this.#transcript;
    const grams = this.#kept && new GramFilterBuilder();
    const builder = new SessionFactsBuilder(prices);
    for (let from = 0; from < transcript.length; from += PAGE) {
      signal?.throwIfAborted();
      for (const record of await transcript.read(from, from + PAGE)) {
        builder.add(record);
        grams?.add(textsOf(record));
      }
    }
    const facts = builder.finish(this.#info);
    const { source = null, project = null } = this.#info;
    const damaged = transcript.damaged.length;
    if (grams) {
      const about = { source, project, toolSession: null, isOpen: builder.isOpen, damaged, prices: mark };
      const blocks = grams.blocks();
      const columns = columnsOf(facts, new LineIndex(), { ...about, blocks: [], odd: null });
      await this.#kept.parts.save(COLUMNS, withBlocks(blocks, encodeSearchFile({ stamps: [], columns })));
    }
    const about = (info: Partial<SessionInfo>) => ({ ...facts, info: withKnown(facts.info, info) });
    return { facts, about, damaged, transcript: () => transcript };
  }
}

/** How many records are read at once. */
const PAGE = 500;

/** The names of what is kept of a session: its columns, with the grams of its texts before them, which often are enough. */
const COLUMNS = 'columns';
const IDENTITIES = 'identities';

/** The time, then two numbers for each record: by what it is known again, and its request. */
function bytesOfIdentities({ rows, requests, startedAt, records }: SessionIdentities): Buffer {
  const numbers = new Float64Array(1 + 2 * records);
  numbers[0] = startedAt;
  numbers.set(rows, 1);
  numbers.set(requests, 1 + records);
  return Buffer.from(numbers.buffer);
}

function identitiesIn(part: Buffer): SessionIdentities {
  // Its own memory, which begins where numbers may.
  const numbers = new Float64Array(part.length / Float64Array.BYTES_PER_ELEMENT);
  part.copy(Buffer.from(numbers.buffer));
  const records = (numbers.length - 1) / 2;
  const [rows, requests] = [numbers.subarray(1, 1 + records), numbers.subarray(1 + records)];
  return { rows, requests, startedAt: numbers[0] ?? 0, records, name: '' };
}
