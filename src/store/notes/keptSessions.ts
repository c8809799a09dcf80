import { mkdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemClock, type Clock } from '../../core/clock.js';
import { errorCode } from '../../core/errorCode.js';
import { Emitter, type Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import type { Note, NoteChange } from '../../core/note.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import { keyOfConversation, sessionKey, type SessionKey } from '../../core/sessionKey.js';
import { writeAtomically } from '../../node/atomicFile.js';
import { endsWithinLine, linesOf } from '../../node/lines.js';
import { ProcessLock } from '../../node/processLock.js';
import { APPEND, openPlainFile, READ, syncFolder } from '../../node/plainFile.js';
import { checkLine, encodeLine, isBlank, parseLine } from '../format/lineFormat.js';
import { noteOf } from './noteFile.js';

/** What a person keeps about a session of a tool, whether or not it is in a store. */
export interface KeptSession extends SessionKey {
  /** Its title, and the absolute path of its file, as they were when something was kept last; '' where that is unknown. */
  readonly title: string;
  readonly path: string;
  /** In the order in which they were written first. */
  readonly notes: readonly Note[];
  /** When notes were removed, by their ids: a copy of the session may have them still. */
  readonly removed: ReadonlyMap<string, number>;
  readonly isPinned: boolean;
  /** What the person calls it; '' where they gave it no name. */
  readonly name: string;
  /** When the person looked at it last, in milliseconds since 1970, and how many records it had; undefined: never. */
  readonly seen: { readonly at: number; readonly records: number } | undefined;
}

/** A change of what is kept about a session. */
export type KeptChange =
  | NoteChange
  | { readonly kind: 'pin'; readonly isPinned: boolean }
  /** '' takes the name away. */
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'seen'; readonly at: number; readonly records: number }
  /** Nothing of it is kept any more. */
  | { readonly kind: 'forget' };

/** What is known of conversations: by those who keep them, and of those that are shown from files. */
interface KnownConversations {
  readonly stores: { known(conversation: string): Pick<CatalogEntry, 'origin' | 'title'> | undefined };
  readonly shown: { reportOf(conversation: string): { readonly path: string } | undefined };
}

/** The version of a line; lines of a later one are kept, and not understood. */
const VERSION = 1;
/** A file that is larger than this, in bytes, is neither read nor written. */
const MAX_BYTES = 64 * 1024 * 1024;
/** From this size on, in bytes, it is written anew where more than half of its lines count no more. */
const COMPACT_BYTES = 1024 * 1024;
/** The longest title, name or path that is kept, in UTF-16 code units. */
const MAX_TEXT = 4_000;

/**
 * What a person keeps about the sessions of tools on this machine: one file of lines for all windows, of which each sets or
 * removes one thing of one session.
 */
export class KeptSessions implements Disposable {
  readonly #path: string;
  readonly #log: Log;
  readonly #clock: Clock;
  readonly #changed: Emitter<void>;
  #sessions = new Map<string, KeptSession>();
  /** Which file was read how far. */
  #file = '';
  #read = 0;
  #lines = 0;
  #damaged = 0;
  #newer = 0;
  /** What reads and writes, one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  /** `path` is that of the file, absolute; its folder is made with the first write. */
  constructor(path: string, log: Log, clock: Clock = systemClock) {
    this.#path = path;
    this.#log = log;
    this.#clock = clock;
    this.#changed = new Emitter((error) => log.error('A view could not follow what is kept', error));
  }

  /** Fires when something was kept or removed in this window. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** How many lines could not be read: they are damaged, or of a later version. */
  get unread(): number {
    return this.#damaged + this.#newer;
  }

  /** All sessions about which something is kept, as the file is now. Rejects with errors of the file system. */
  async all(): Promise<readonly KeptSession[]> {
    await this.#inTurn(() => this.#readOn());
    return [...this.#sessions.values()];
  }

  /** What is kept about a session; undefined where nothing is. Rejects like `all`. */
  async of(key: SessionKey): Promise<KeptSession | undefined> {
    await this.#inTurn(() => this.#readOn());
    return this.known(key);
  }

  /** The same as far as it was read by now, without waiting. */
  known(key: SessionKey): KeptSession | undefined {
    return this.#sessions.get(sessionKey(key));
  }

  /**
   * Changes what is kept about a session, durably once this resolves. `about`: its title and path, so that it can be listed and
   * opened by itself. Rejects with errors of the file system, and with one for a person where the file would be too large.
   */
  async change(
    key: SessionKey,
    changes: readonly KeptChange[],
    about: Partial<Pick<KeptSession, 'title' | 'path'>> = {},
  ): Promise<void> {
    if (changes.length === 0) return;
    const { tool, session } = key;
    const title = about.title?.slice(0, MAX_TEXT);
    const path = about.path?.slice(0, MAX_TEXT);
    const lines = changes.map((change, at) => ({
      v: VERSION,
      tool,
      session,
      ...(at === 0 && title !== undefined && { title }),
      ...(at === 0 && path !== undefined && { path }),
      ...lineOf(change, this.#clock.now()),
    }));
    await this.#inTurn(() =>
      this.#locked(async () => {
        await this.#append(lines);
        await this.#readOn();
        await this.#compact();
      }),
    );
    this.#changed.fire();
  }

  /**
   * Gives what keeps that the person looks at a conversation by now, which has so many records, and tells how far they had
   * looked before. It never rejects: what cannot be kept is logged.
   */
  looking(
    conversation: string,
    { stores, shown }: KnownConversations,
  ): (records: number) => Promise<KeptSession['seen']> {
    const { origin, title = '' } = stores.known(conversation) ?? {};
    const { path } = shown.reportOf(conversation) ?? origin ?? {};
    const key = keyOfConversation(conversation, origin);
    // Our own are listed and named by their stores.
    const about = path === undefined ? {} : { path, title };
    return async (records) => {
      try {
        const before = await this.of(key);
        await this.change(key, [{ kind: 'seen', at: this.#clock.now(), records }], about);
        return before?.seen;
      } catch (error) {
        this.#log.warn(`That ${conversation} was looked at is not kept`, error);
        return undefined;
      }
    };
  }

  /** Deletes what is kept about some sessions, or about all; gives of how many something was. Rejects like `change`. */
  async forget(keys?: readonly SessionKey[]): Promise<number> {
    const chosen = keys && new Set(keys.map(sessionKey));
    const forget = async () => {
      await this.#readOn();
      const staying = [...this.#sessions].filter(([key]) => chosen && !chosen.has(key));
      const gone = this.#sessions.size - staying.length;
      // What is deleted is not to be found in the file any more.
      if (gone > 0 || !chosen) await this.#rewrite(staying.map(([, session]) => session));
      return gone;
    };
    const gone = await this.#inTurn(() => this.#locked(forget));
    this.#changed.fire();
    return gone;
  }

  dispose(): void {
    this.#changed.dispose();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work, work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Reads what was written since it was read last, all of it where it is another file. */
  async #readOn(): Promise<void> {
    let handle: FileHandle;
    try {
      handle = await openPlainFile(this.#path, READ);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      if (this.#file !== '') this.#begin('');
      return;
    }
    try {
      const { ino, birthtimeMs, size } = await handle.stat();
      // The number of a file that is gone may be given again.
      const file = `${ino} ${birthtimeMs}`;
      this.#check(size);
      if (file !== this.#file || size < this.#read) this.#begin(file);
      if (size === this.#read) return;
      const bytes = Buffer.alloc(size - this.#read);
      const { bytesRead } = await handle.read(bytes, 0, bytes.length, this.#read);
      // What another window is writing is read when it is there.
      const end = bytes.subarray(0, bytesRead).lastIndexOf(NEWLINE) + 1;
      for (const line of linesOf(bytes.subarray(0, end))) this.#take(line);
      this.#read += end;
    } finally {
      await handle.close();
    }
  }

  #begin(file: string): void {
    this.#file = file;
    this.#read = 0;
    this.#lines = 0;
    this.#damaged = 0;
    this.#newer = 0;
    this.#sessions = new Map();
  }

  #take(line: Buffer): void {
    if (isBlank(line)) return;
    this.#lines++;
    const parsed = checkLine(line) === 'right' ? parseLine(line) : undefined;
    const value = parsed && 'value' in parsed ? parsed.value : undefined;
    if (!value || !takeLine(this.#sessions, value)) {
      if (typeof value?.v === 'number' && value.v > VERSION) this.#newer++;
      else this.#damaged++;
    }
  }

  /** Lets no other window write meanwhile. */
  async #locked<T>(work: () => Promise<T>): Promise<T> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    const lock = await ProcessLock.acquireBriefly(`${this.#path}.lock`);
    try {
      return await work();
    } finally {
      await lock.release();
    }
  }

  async #append(values: readonly object[]): Promise<void> {
    const lines = values.map((value) => Buffer.concat([encodeLine(value), LINE_END]));
    const handle = await openPlainFile(this.#path, APPEND);
    try {
      const { size } = await handle.stat();
      // What a crash has cut off would else swallow the line behind it.
      const isCut = await endsWithinLine(handle, size);
      const written = Buffer.concat(isCut ? [LINE_END, ...lines] : lines);
      this.#check(size + written.length);
      await handle.write(written);
      await handle.sync();
      if (size === 0) await syncFolder(dirname(this.#path));
    } finally {
      await handle.close();
    }
  }

  /** Writes what counts into a new file in place of the one before; never where that holds what was not understood. */
  async #rewrite(sessions: Iterable<KeptSession>): Promise<void> {
    if (this.#newer > 0)
      throw new Error(
        t`A later version of Agent Logbook has written what is kept about sessions; it is left as it is.`,
      );
    const lines = linesFor(sessions).map((value) => Buffer.concat([encodeLine(value), LINE_END]));
    await writeAtomically(this.#path, Buffer.concat(lines));
    await this.#readOn();
  }

  async #compact(): Promise<void> {
    const isLong = this.#read > COMPACT_BYTES && this.unread === 0;
    if (!isLong || this.#lines <= 2 * linesFor(this.#sessions.values()).length) return;
    try {
      await this.#rewrite(this.#sessions.values());
    } catch (error) {
      // It is only longer than it need be.
      this.#log.warn('What is kept about sessions cannot be written anew', error);
    }
  }

  #check(size: number): void {
    if (size <= MAX_BYTES) return;
    throw new Error(
      t`What is kept about sessions takes more than ${MAX_BYTES / 1024 / 1024} MB (${this.#path}); nothing more is kept.`,
    );
  }
}

/** The notes of a conversation that is made of a session, with those that are kept about the session. */
export function withKept(own: readonly Note[], kept: KeptSession | undefined): readonly Note[] {
  if (!kept) return own;
  const notes = new Map<string, Note>();
  for (const note of [...own, ...kept.notes]) {
    const isRemoved = (kept.removed.get(note.id) ?? -1) >= note.changedAt;
    const before = notes.get(note.id);
    if (!isRemoved && (!before || before.changedAt <= note.changedAt)) notes.set(note.id, note);
  }
  return [...notes.values()];
}

const NEWLINE = 0x0a;
const LINE_END = Buffer.from('\n');

function lineOf(change: KeptChange, now: number): object {
  switch (change.kind) {
    case 'set':
      return { set: change.note };
    case 'remove':
      return { remove: change.id, at: change.at };
    case 'pin':
      return { pin: change.isPinned };
    case 'name':
      return { name: change.name.slice(0, MAX_TEXT) };
    case 'seen':
      return { seen: change.at, records: change.records };
    case 'forget':
      return { forget: now };
  }
}

/** Takes the value of a line; false where it says nothing that is understood. */
function takeLine(sessions: Map<string, KeptSession>, value: Readonly<Record<string, unknown>>): boolean {
  const { v, tool, session } = value;
  if (v !== VERSION || typeof tool !== 'string' || typeof session !== 'string') return false;
  const key = sessionKey({ tool, session });
  if (value.forget !== undefined) return sessions.delete(key) || true;
  const before = sessions.get(key) ?? nothingOf({ tool, session });
  const change = changeIn(value, before);
  if (!change) return false;
  const { title = before.title, path = before.path } = value;
  sessions.set(key, { ...before, title: textOf(title), path: textOf(path), ...change });
  return true;
}

function changeIn(
  { set, remove, at, pin, name, seen, records }: Readonly<Record<string, unknown>>,
  { notes, removed }: KeptSession,
): Partial<KeptSession> | undefined {
  if (set !== undefined) {
    const note = noteOf(set);
    return note && { notes: replaced(notes, note), removed: without(removed, note) };
  }
  if (typeof remove === 'string')
    return {
      notes: notes.filter(({ id }) => id !== remove),
      removed: new Map(removed).set(remove, numberOf(at)),
    };
  if (typeof pin === 'boolean') return { isPinned: pin };
  if (typeof name === 'string') return { name };
  if (typeof seen === 'number') return { seen: { at: seen, records: numberOf(records) } };
  return undefined;
}

function replaced(notes: readonly Note[], note: Note): readonly Note[] {
  const isKnown = notes.some(({ id }) => id === note.id);
  return isKnown ? notes.map((each) => (each.id === note.id ? note : each)) : [...notes, note];
}

function without(removed: ReadonlyMap<string, number>, { id }: Note): ReadonlyMap<string, number> {
  if (!removed.has(id)) return removed;
  return new Map([...removed].filter(([each]) => each !== id));
}

function nothingOf(key: SessionKey): KeptSession {
  return {
    ...key,
    title: '',
    path: '',
    notes: [],
    removed: new Map(),
    isPinned: false,
    name: '',
    seen: undefined,
  };
}

/** The values of the lines that sessions come to. */
function linesFor(sessions: Iterable<KeptSession>): object[] {
  return Array.from(sessions).flatMap(
    ({ tool, session, title, path, notes, removed, isPinned, name, seen }) => {
      const changes = [
        ...notes.map((note) => ({ set: note })),
        ...Array.from(removed, ([id, at]) => ({ remove: id, at })),
        ...(isPinned ? [{ pin: true }] : []),
        ...(name === '' ? [] : [{ name }]),
        ...(seen ? [{ seen: seen.at, records: seen.records }] : []),
      ];
      return changes.map((change, at) => ({
        v: VERSION,
        tool,
        session,
        ...(at === 0 && { title, path }),
        ...change,
      }));
    },
  );
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}
