import { createHash } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import type { SessionParts } from '../stores/namedSessions.js';
import { placesRead } from '../../import/importFile.js';
import { KnownParents } from '../../import/tools/tool.js';
import { CachedEntries } from '../../node/cachedEntries.js';
import { makeFolder } from '../../node/plainFile.js';
import { RecordKindTable } from '../../search/stored/columns/recordKinds.js';
import { isSettled } from '../../search/sessions/storedSession.js';

/** The ending of what is kept of the sessions of a folder. */
const ENDING = '.kept';
/** What was not written to for longer is deleted, in milliseconds. */
const MAX_AGE_MS = 60 * 86_400_000;

/** For how long a file is believed to be as it was looked at, in milliseconds. */
const LOOK_MS = 1_000;
/** How much waits until it is written, in bytes. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Parts that are called after something, as `edited:main.ts`, are kept in so many files apart, by what they are called after. */
const ROOMS = 16;

/** A file as it was before it was read. */
export interface FileMark {
  readonly path: string;
  /** How all places were that it is read from. */
  readonly stamps: string;
}

/**
 * What was worked out of sessions, in a folder of this person's cache: a file for each folder that sessions lie in, and some more for
 * parts of which few are asked for, so that these do not have to be read with the others. It is believed only where everything that it was made of is as it was, and the program is the same.
 */
export class CachedSessions {
  readonly #folder: string;
  readonly #program: string;
  readonly #log: Log;
  /** By the folder that sessions lie in; undefined where what is kept cannot be read. */
  readonly #files = new Map<string, CachedEntries | undefined>();
  readonly #parents = new KnownParents();
  /** By paths: what is gone through twice for one question is looked at once. */
  readonly #looked = new Map<string, { readonly mark: FileMark; readonly at: number }>();
  #waiting = 0;
  /** Of the columns of all sessions. */
  readonly recordKinds = new RecordKindTable();

  /** `program`: a mark that is another where sessions may be read or counted in another way. */
  constructor(folder: string, program: string, log: Log) {
    this.#folder = folder;
    this.#program = program;
    this.#log = log;
  }

  /** A mark of a file that is kept as it is now; undefined where nothing of it is. Waits for the disk, as all of this does. */
  known(path: string): FileMark | undefined {
    const last = this.#looked.get(path);
    if (last && performance.now() - last.at < LOOK_MS) return last.mark;
    const mark = this.#look(path);
    if (mark) this.#looked.set(path, { mark, at: performance.now() });
    return mark;
  }

  #look(path: string): FileMark | undefined {
    const bytes = this.#entries(dirname(path))?.get(keyOf(path, 'places'));
    const kept = bytes && parsed(bytes);
    if (!isObject(kept) || kept.program !== this.#program || !Array.isArray(kept.places)) return undefined;
    const places = kept.places.filter((place): place is string => typeof place === 'string');
    const stamps = stampsOf(places);
    return stamps !== undefined && stamps === kept.stamps ? { path, stamps } : undefined;
  }

  /** The same of a file that is to be read now; undefined where nothing may be kept of it. */
  async mark(path: string): Promise<FileMark | undefined> {
    const places = await placesRead(path, this.#parents);
    const stamps = places && stampsOf(places);
    if (!places || stamps === undefined) return undefined;
    const kept = Buffer.from(JSON.stringify({ program: this.#program, places, stamps }));
    this.#entries(dirname(path))?.set(keyOf(path, 'places'), kept);
    return { path, stamps };
  }

  /** The parts of a file, or of one of its conversations. */
  partsOfFile({ path, stamps }: FileMark, conversation = ''): SessionParts {
    const session = conversation === '' ? path : `${path}${sep}${conversation}`;
    return this.#parts(dirname(path), session, () => stamps);
  }

  /** The parts of a conversation of a store; `stamp` gives another text where it is another. */
  partsOfStored(root: string, conversation: string, stamp: () => Promise<string>): SessionParts {
    let known: Promise<string> | undefined;
    // As it was before anything was read of it.
    return this.#parts(root, conversation, () => (known ??= stamp()));
  }

  #parts(folder: string, session: string, stamp: () => string | Promise<string>): SessionParts {
    // Before each part: of what it was made.
    let known: Buffer | undefined;
    const about = async () => (known ??= Buffer.from(`${JSON.stringify([this.#program, await stamp()])}\0`));
    return {
      load: async (name) => {
        const bytes = this.#entries(folder, roomOf(name))?.get(keyOf(session, name));
        if (!bytes) return undefined;
        const made = await about();
        return made.equals(bytes.subarray(0, made.length)) ? bytes.subarray(made.length) : undefined;
      },
      save: async (name, part) => {
        const value = Buffer.concat([await about(), part]);
        this.#entries(folder, roomOf(name))?.set(keyOf(session, name), value);
        this.#waiting += value.length;
        // Whoever ends this program while it goes through many sessions loses little.
        if (this.#waiting > MAX_WAITING_BYTES) await this.write();
      },
    };
  }

  /** Writes what was worked out since. Where that fails, it is worked out again. */
  async write(): Promise<void> {
    this.#waiting = 0;
    const waiting = [...this.#files.values()].filter((file) => file !== undefined && file.waiting > 0);
    if (waiting.length === 0) return;
    try {
      await makeFolder(this.#folder);
      for (const file of waiting) await file?.write();
      this.#tidy();
    } catch (error) {
      this.#log.debug(`What was worked out of sessions could not be kept: ${messageOf(error)}`);
    }
  }

  #entries(folder: string, room = ''): CachedEntries | undefined {
    const key = `${folder}${room}`;
    if (this.#files.has(key)) return this.#files.get(key);
    const name = createHash('sha256').update(key).digest('hex').slice(0, 32);
    let entries: CachedEntries | undefined;
    try {
      entries = new CachedEntries(join(this.#folder, `${name}${ENDING}`));
    } catch (error) {
      this.#log.debug(`What is kept of sessions in ${folder} cannot be used: ${messageOf(error)}`);
    }
    this.#files.set(key, entries);
    return entries;
  }

  #tidy(): void {
    for (const name of readdirSync(this.#folder)) {
      const path = join(this.#folder, name);
      const entry = name.endsWith(ENDING) ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (entry && Date.now() - entry.mtimeMs > MAX_AGE_MS) rmSync(path, { force: true });
    }
  }
}

/** How all of some places are; undefined where a folder was changed so lately that it may change again without another time. */
function stampsOf(places: readonly string[]): string | undefined {
  let stamps = '';
  for (const place of places) {
    const entry = statSync(place, { throwIfNoEntry: false });
    if (entry?.isDirectory() === true && !isSettled(entry.mtimeMs)) return undefined;
    stamps += entry ? `${entry.size} ${entry.mtimeMs} ${entry.ctimeMs} ${entry.ino};` : ';';
  }
  return stamps;
}

/** In which of the files of a folder a part is kept. */
function roomOf(name: string): string {
  const colon = name.indexOf(':');
  return colon < 0 ? '' : `\n${name.slice(0, colon)} ${crc32(name.slice(colon + 1)) % ROOMS}`;
}

function keyOf(session: string, name: string): string {
  return `${name}\n${session}`;
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    // A checksum that somebody computed over something else.
    return undefined;
  }
}
