import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { appendAll } from '../../../core/lists.js';
import { messageOf } from '../../../core/text.js';
import { fields, type Fields } from '../../reading/fields.js';
import { isSure, CachedValues, type CachedValue } from '../../databases/cachedValues.js';
import type { SessionValues } from '../../databases/toolDatabase.js';
import { memberAt } from './openCodeHome.js';

/** The file of a session in OpenCode's folder `storage`, where it kept sessions before it had a database. */
const SESSION_FILE = /^(ses_[A-Za-z0-9]+)\.json$/;

/** The names of messages and of their parts. */
const MESSAGE_FILE = /^msg_[A-Za-z0-9]+\.json$/;
const PART_FILE = /^prt_[A-Za-z0-9]+\.json$/;

/** How many files of a session are read at most, how long one may be, and of how many is looked whether they change. */
const MAX_FILES = 100_000;
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const MAX_FOLLOWED = 1_000;

/** How many sessions may start others one inside the other. */
const MAX_DEPTH = 20;

/**
 * The session whose file a path names, put together of the files of its messages and of their parts, with the sessions that it
 * started, without reading what is `kept`; undefined for a path that names none. Rejects where its file cannot be read.
 */
export async function valuesInFolder(
  path: string,
  keptHere = () => new CachedValues(),
): Promise<SessionValues | undefined> {
  const [, id] = SESSION_FILE.exec(basename(path)) ?? [];
  const project = dirname(path);
  const storage = dirname(dirname(project));
  const isKept = id !== undefined && basename(dirname(project)) === 'session';
  if (!isKept || !(await isFolder(join(storage, 'message')))) return undefined;
  const kept = keptHere();
  const folder = new SessionFolder(storage, project, kept);
  kept.begin();
  const value = await folder.session(id, new Set());
  kept.end();
  const tool = memberAt(path);
  const values = [{ ...value, ...(tool !== undefined && { tool }) }];
  return { values, problems: folder.problems, readWith: folder.read.slice(-MAX_FOLLOWED) };
}

class SessionFolder {
  readonly problems: string[] = [];
  /** The paths of what was read, without that of the session itself. */
  readonly read: string[] = [];
  readonly #storage: string;
  readonly #project: string;
  readonly #kept: CachedValues;
  #files = 0;
  /** By the session that started them. */
  #children: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(storage: string, project: string, kept: CachedValues) {
    this.#storage = storage;
    this.#project = project;
    this.#kept = kept;
  }

  async session(id: string, above: ReadonlySet<string>): Promise<Fields> {
    const info = fields(JSON.parse(await readFile(join(this.#project, `${id}.json`), 'utf8')));
    const messages: Fields[] = [];
    for (const message of await this.#filesIn(join(this.#storage, 'message', id), MESSAGE_FILE)) {
      const parts = join(this.#storage, 'part', String(message.id));
      messages.push({ info: message, parts: await this.#filesIn(parts, PART_FILE) });
    }
    const within = new Set([...above, id]);
    const children: Fields[] = [];
    for (const child of (await this.#started()).get(id) ?? [])
      if (!within.has(child) && within.size <= MAX_DEPTH) children.push(await this.session(child, within));
    return { info, messages, ...(children.length > 0 && { children }) };
  }

  /** The values of the files in a folder, in the order of their names, which rise with time. */
  async #filesIn(folder: string, pattern: RegExp): Promise<Fields[]> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    const names = entries.filter((entry) => entry.isFile() && pattern.test(entry.name));
    const values: Fields[] = [];
    for (const name of names.map((entry) => entry.name).sort()) {
      const value = await this.#fileAt(join(folder, name));
      if (value) values.push(value);
    }
    return values;
  }

  async #fileAt(path: string): Promise<Fields | undefined> {
    this.#files++;
    if (this.#files === MAX_FILES + 1)
      this.problems.push(`The session has more than ${MAX_FILES} files; the others were not read.`);
    if (this.#files > MAX_FILES) return undefined;
    this.read.push(path);
    const { value, problems } = await this.#keptOf(path, (text) => fields(JSON.parse(text)));
    appendAll(this.problems, problems);
    return value as Fields | undefined;
  }

  /** What a file says, which is read only where it is another one than when it was read last. */
  async #keptOf(path: string, valueIn: (text: string) => unknown): Promise<CachedValue> {
    try {
      const about = await stat(path, { bigint: true });
      const bytes = Number(about.size);
      // A disk may tell times by the second, so that what was just written may change without being seen.
      const isOld = isSure(Number(about.mtimeMs));
      const told = [about.ino, about.size, about.mtimeNs, about.ctimeNs].join(' ');
      const stamp = isOld ? told : this.#kept.unsure();
      const known = this.#kept.find(path, stamp);
      if (known) return known;
      if (bytes > MAX_FILE_BYTES) throw new Error('it is longer than 64 MiB');
      const read = { value: valueIn(await readFile(path, 'utf8')), problems: [], bytes };
      this.#kept.keep(path, stamp, read);
      return read;
    } catch (error) {
      const problem = `${basename(path)} could not be read: ${messageOf(error)}.`;
      return { value: undefined, problems: [problem], bytes: 0 };
    }
  }

  async #started(): Promise<ReadonlyMap<string, readonly string[]>> {
    if (this.#children) return this.#children;
    const children = new Map<string, string[]>();
    for (const name of (await readdir(this.#project)).sort()) {
      const [, id] = SESSION_FILE.exec(name) ?? [];
      if (id === undefined) continue;
      const { value: parent } = await this.#keptOf(
        join(this.#project, name),
        (text) => /"parentID"\s*:\s*"([^"\\]+)"/.exec(text)?.[1],
      );
      if (typeof parent === 'string') children.set(parent, [...(children.get(parent) ?? []), id]);
    }
    return (this.#children = children);
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
}
