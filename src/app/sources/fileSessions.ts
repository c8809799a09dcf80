import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, rmdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { t } from '../../core/l10n.js';
import { fileOfPath } from '../../core/sessionInDatabase.js';
import { openImport, type OpenedFile } from '../../import/importFile.js';
import { projectOf } from '../../import/projectOf.js';
import { isSession } from '../../import/reading/importResult.js';
import type { OpenedConversation } from '../../import/readLarge.js';
import type { CatalogEntry, DamagedLine, ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { CachedImports } from '../../search/files/cachedImports.js';
import { LoadedSession } from '../../search/sessions/loadedSession.js';
import { addToStored, emptyStored, entryOf } from '../../store/catalog/conversationSummary.js';
import { UserError } from '../userError.js';
import type { NamedSession, SourceProblem } from '../stores/namedSessions.js';
import { whyUnread } from './whyUnread.js';
import type { Event } from '../../core/event.js';

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
  const { opened, kept, size } = await openConversations(path, name, reading);
  try {
    const damaged = damagedIn(opened, name);
    for (const conversation of kept)
      yield sessionOf(conversation, opened, { path, name, size, damaged, others: kept.length - 1 });
  } finally {
    opened.close();
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
    const { size } = await stat(fileOfPath(path));
    if (size === 0) throw new NoConversationError(t`${name} is empty.`);
    const kept = opened.conversations.filter(({ records }) => isSession(records));
    if (kept.length === 0) {
      const why = opened.problems.find(({ severity }) => severity === 'error')?.message ?? '';
      throw new NoConversationError(t`${name} holds no conversation that could be read. ${why}`.trim());
    }
    for (const { severity, message, line } of opened.problems) {
      const at = line === undefined ? '' : t`line ${line}: `;
      onProblem({ source: name, message: `${at}${message}`, isLoss: severity === 'error' });
    }
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
  const folder = await mkdtemp(join(tmpdir(), 'agent-logbook-'));
  // Conversations without an id are named by it.
  const path = join(folder, 'stdin.jsonl');
  try {
    await pipeline(bytes, createWriteStream(path, { mode: 0o600 }), { signal: reading.signal });
    yield* fileSessions(path, name, reading);
  } catch (error) {
    reading.signal.throwIfAborted();
    throw error instanceof UserError ? error : new UserError(t`${name} cannot be read: ${whyUnread(error)}.`);
  } finally {
    await rm(path, { force: true });
    await rmdir(folder);
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

interface FileLocation {
  readonly path: string;
  readonly name: string;
  /** Of the whole file, in bytes. */
  readonly size: number;
  /** Of the whole file: which of its conversations lacks what cannot be read is not known. */
  readonly damaged: readonly DamagedLine[];
  readonly others: number;
}

/** What of a file could not be read. */
function damagedIn({ problems }: OpenedFile, file: string): readonly DamagedLine[] {
  const lost = problems.filter(({ severity }) => severity === 'error');
  return lost.map(({ message, line }) => ({
    file,
    offset: 0,
    bytes: 0,
    why: message,
    ...(line !== undefined && { line }),
  }));
}

function sessionOf(
  { id, title, records }: OpenedConversation,
  { format, stamp = '' }: OpenedConversations['opened'],
  { path, name, size, damaged, others }: FileLocation,
): NamedSession {
  const transcript = new FileTranscript(id, records, damaged);
  const project = projectOf(records);
  const about = { title, source: format, ...(project !== undefined && { project }) };
  const source = { tool: format, session: id, path, title, ...(project !== undefined && { project }) };
  const entry = (): CatalogEntry => {
    const summary = emptyStored();
    for (const record of records) addToStored(summary, record);
    // What each of several conversations takes of a file is not known.
    const bytes = others === 0 ? size : 0;
    return entryOf(summary, { conversation: id, damaged: damaged.length, bytes, live: false, source });
  };
  const place = { kind: 'stored', root: path, conversation: id } as const;
  return {
    id,
    where: name,
    kind: 'file',
    others,
    origin: { tool: format, session: id },
    session: new LoadedSession(place, { session: id, ...about }, transcript),
    stamp: () => Promise.resolve(stamp),
    entry: () => Promise.resolve(entry()),
    info: () => Promise.resolve({ session: id, ...about }),
    open: () => Promise.resolve(transcript),
  };
}

/** Records of a file, of which those at some positions are asked for; an array is one. */
interface FileRecords {
  readonly length: number;
  slice(start: number, end: number): readonly ReadRecord[];
}

/** A conversation of another tool's file, read in place: what an import has made of it, as a transcript that does not grow. */
class FileTranscript implements Transcript {
  readonly conversation: string;
  readonly damaged: readonly DamagedLine[];
  readonly onDidGrow: Event<void> = () => ({ dispose: () => undefined });
  readonly #records: FileRecords;

  /** `damaged`: what of its file could not be read. */
  constructor(conversation: string, records: FileRecords, damaged: readonly DamagedLine[] = []) {
    this.conversation = conversation;
    this.damaged = damaged;
    this.#records = records;
  }

  get length(): number {
    return this.#records.length;
  }

  read(start: number, end: number): Promise<readonly ReadRecord[]> {
    return Promise.resolve(this.#records.slice(Math.max(0, start), Math.min(end, this.length)));
  }

  /** Imported records hold all of their texts. */
  readSpill(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
