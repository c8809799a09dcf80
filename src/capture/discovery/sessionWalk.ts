import { lstat, opendir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { errorCode } from '../../core/errorCode.js';
import { messageOf } from '../../core/text.js';
import { entryNow } from '../../node/plainFile.js';
import type { ToolFolder } from '../../import/tools/home.js';

/** The most sessions that are listed of a tool. */
export const MAX_SESSIONS = 50_000;
/** The most names that are looked at in one folder. */
const MAX_NAMES = 100_000;
/** How many endings of files are told that are no sessions. */
const MAX_ENDINGS = 5;
/**
 * How long a folder must have been left alone before its time is believed, in milliseconds: a name that is added within the
 * resolution of its file system's clock changes no time.
 */
const SETTLED_MS = 3_000;

/** A file of a session, as its folder tells it. */
export interface SessionFile {
  readonly path: string;
  readonly bytes: number;
  /** When it was last written to, in milliseconds since 1970. */
  readonly changed: number;
  /** The name on its way that stands for its workspace; undefined where none does. */
  readonly workspaceKey: string | undefined;
}

/** What a folder held when it was last read. */
interface Listing {
  readonly changed: number;
  readonly readAt: number;
  readonly folders: readonly string[];
  readonly files: readonly string[];
  /** How many of its names are links. */
  readonly links: number;
}

/** What a walk found. */
export interface Walk {
  readonly files: readonly SessionFile[];
  /** What could not be looked at, in words. */
  readonly problems: readonly string[];
  /** What was left alone on purpose, in words. */
  readonly leftAlone: readonly string[];
}

/**
 * Finds the files of sessions below the places of a tool, reading names, sizes and times only. A link below a place is not
 * followed, so that nobody is led elsewhere, and what is no plain file is none. What a folder holds is remembered until
 * its time changes, so that looking again costs little.
 */
export class SessionWalk {
  readonly #listings = new Map<string, Listing>();
  /** The names in the folders of sessions that no pattern has matched yet, by folder. */
  readonly #strays = new Map<string, Set<string>>();
  readonly #files = new Map<string, SessionFile>();
  readonly #now: () => number;
  #problems: string[] = [];
  #links = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** All files of sessions. With `since`, the time and size of those that were older before are not asked for again. */
  async walk(locations: readonly ToolFolder[], since = 0): Promise<Walk> {
    this.#problems = [];
    this.#links = 0;
    this.#strays.clear();
    const found = new Map<string, string | undefined>();
    for (const { folder, names, workspaceAt } of locations)
      await this.#into(folder, names, workspaceAt, undefined, found, 0);
    const files = this.#filesOf(found, since);
    if (files.length === 0) this.#tellStrays();
    const links = this.#links;
    const leftAlone =
      links === 0 ? [] : [links === 1 ? 'One link was not followed.' : `${links} links were not followed.`];
    return { files, problems: this.#problems, leftAlone };
  }

  async #into(
    folder: string,
    names: readonly RegExp[],
    workspaceAt: number | undefined,
    key: string | undefined,
    found: Map<string, string | undefined>,
    depth: number,
  ): Promise<void> {
    const [pattern] = names;
    const listing = pattern && (await this.#listing(folder, depth === 0));
    if (!pattern || !listing) return;
    this.#links += listing.links;
    const isLast = names.length === 1;
    if (isLast && !this.#strays.has(folder)) this.#strays.set(folder, new Set(listing.files));
    for (const name of isLast ? listing.files : listing.folders) {
      if (!pattern.test(name)) continue;
      if (isLast) this.#strays.get(folder)?.delete(name);
      const path = join(folder, name);
      const next = workspaceAt === depth ? name : key;
      if (!isLast) await this.#into(path, names.slice(1), workspaceAt, next, found, depth + 1);
      else if (found.size < MAX_SESSIONS || found.has(path)) found.set(path, next);
      else {
        this.#problems.push(`More than ${MAX_SESSIONS} sessions; the others are not listed.`);
        return;
      }
    }
  }

  /** Tells of what lies where sessions would and is none by its name: without this, a folder of them would look empty. */
  #tellStrays(): void {
    for (const [folder, names] of this.#strays) {
      if (names.size === 0) continue;
      const endings = new Set(Array.from(names, (name) => extname(name) || name)).keys();
      const some = [...endings].sort().slice(0, MAX_ENDINGS).join(', ');
      const files = names.size === 1 ? 'One file' : `${names.size} files`;
      this.#problems.push(`${files} of no known kind in ${folder} (${some}): no session is called so.`);
    }
  }

  /** What a folder holds; undefined where there is none. The first may be a link, which is the person's own. */
  async #listing(folder: string, isFirst: boolean): Promise<Listing | undefined> {
    try {
      const about = await (isFirst ? stat(folder) : lstat(folder));
      if (!about.isDirectory()) return undefined;
      const known = this.#listings.get(folder);
      if (known?.changed === about.mtimeMs && known.readAt - about.mtimeMs > SETTLED_MS) return known;
      const listing = { changed: about.mtimeMs, readAt: this.#now(), ...(await this.#namesIn(folder)) };
      this.#listings.set(folder, listing);
      return listing;
    } catch (error) {
      const code = errorCode(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR')
        this.#problems.push(`${folder} cannot be looked at: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #namesIn(folder: string): Promise<Omit<Listing, 'changed' | 'readAt'>> {
    const [folders, files]: [string[], string[]] = [[], []];
    let [count, links] = [0, 0];
    for await (const entry of await opendir(folder, { bufferSize: 512 })) {
      if (++count > MAX_NAMES) {
        this.#problems.push(`${folder} holds more than ${MAX_NAMES} names; the others are not looked at.`);
        break;
      }
      if (entry.isSymbolicLink()) links++;
      else if (entry.isDirectory()) folders.push(entry.name);
      else if (entry.isFile()) files.push(entry.name);
    }
    return { folders, files, links };
  }

  #filesOf(found: ReadonlyMap<string, string | undefined>, since: number): readonly SessionFile[] {
    const paths = [...found.keys()];
    for (const known of Array.from(this.#files.keys())) if (!found.has(known)) this.#files.delete(known);
    const isAsked = (path: string) => (this.#files.get(path)?.changed ?? since) >= since;
    const asked = paths.filter(isAsked);
    for (const path of asked) this.#ask(path, found.get(path));
    return paths.flatMap((path) => this.#files.get(path) ?? []);
  }

  #ask(path: string, workspaceKey: string | undefined): void {
    // One that was deleted meanwhile is none.
    const about = entryNow(path);
    if (about?.isFile() && about.size > 0)
      this.#files.set(path, { path, bytes: about.size, changed: about.mtimeMs, workspaceKey });
    else this.#files.delete(path);
  }
}
