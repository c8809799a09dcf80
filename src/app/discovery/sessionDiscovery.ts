import { isWritten } from '../transcripts/writtenFiles.js';
import { isAbsolute, join } from 'node:path';
import type { DiscoveryCalls } from '../../capture/discovery/discoveryCalls.js';
import type { SessionAbout } from '../../capture/discovery/sessionAbout.js';
import type { ToolChange, ToolRequest } from '../../capture/discovery/sessionFinder.js';
import { RECORDINGS, toolHome, type ToolId } from '../../import/toolHomes.js';
import type { Machine } from '../../import/tools/home.js';
import type { SessionFile } from '../../capture/discovery/sessionWalk.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { Emitter, type Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import { Thread } from '../../node/thread.js';
import type { DiscoveredSession, DiscoveredSessions } from '../../core/ports/discoveredSessions.js';
import type { Log } from '../../core/ports/log.js';
import type { Settings } from '../ports/settings.js';
import { ToolConsent } from './toolConsent.js';

/** How often folders are looked at while somebody watches, in milliseconds. */
const LOOK_MS = 2_000;
/** Which sessions may be written to any moment: those that were within this time, in milliseconds. Others are asked for less often. */
const RECENT_MS = 10 * 60_000;
/** At every so many looks, all sessions are asked for their times. */
const WHOLE_LOOKS = 15;
/** How long the thread waits for more to do once nobody watches, in milliseconds. */
const REST_MS = 10_000;
/** How many sessions are remembered with what they tell. */
const MAX_ABOUT = 5_000;

/** A tool whose sessions are listed. */
export interface ListedTool {
  readonly id: ToolId;
  readonly name: string;
  /** By path. */
  readonly sessions: ReadonlyMap<string, SessionFile>;
  /** What could not be looked at, in words. */
  readonly problems: readonly string[];
}

/** What finding sessions needs. */
export interface SessionDiscoveryOptions {
  readonly machine: Machine;
  /** The application's own folder for all that this person has on this machine, absolute. */
  readonly storage: string;
  readonly settings: Settings;
  readonly log: Log;
  /** The bundle of the thread; by default where the build puts it. */
  readonly script?: URL;
}

/**
 * The sessions of other tools in their usual folders, and in those of the settings, as far as the person has allowed each
 * tool: nothing of a tool is looked at before. Only reads. While nobody watches nothing is looked at and no thread runs.
 */
export class SessionDiscovery implements DiscoveredSessions, Disposable {
  readonly consent: ToolConsent;
  readonly #options: SessionDiscoveryOptions;
  readonly #changed: Emitter<ReadonlySet<ToolId>>;
  readonly #tools = new Map<ToolId, ListedTool & { readonly sessions: Map<string, SessionFile> }>();
  readonly #about = new BoundedMap<string, { readonly file: SessionFile; readonly about: SessionAbout }>(
    MAX_ABOUT,
  );
  readonly #live = new Map<ToolId, number>();
  readonly #thread: Thread<DiscoveryCalls>;
  #looking: Promise<void> | undefined;
  #hasLooked = false;
  #timer: NodeJS.Timeout | undefined;
  #watchers = 0;
  #looks = 0;
  #isDisposed = false;

  constructor(options: SessionDiscoveryOptions) {
    this.#options = options;
    this.consent = new ToolConsent(options.storage, options.log);
    const { log, machine, script = new URL('./workers/discovery.js', import.meta.url) } = options;
    this.#changed = new Emitter((error) => log.error('A view could not follow the sessions', error));
    this.#thread = new Thread({
      name: 'discovery',
      script,
      data: () => machine,
      idleMs: REST_MS,
      isNeeded: () => this.#watchers > 0,
      onEnd: (error) => {
        // The next thread has seen nothing, so it tells all again.
        this.#hasLooked = false;
        if (error) log.error('The thread that looks for sessions ended', error);
      },
    });
  }

  /** What of this machine says where tools keep their sessions. */
  get machine(): Machine {
    return this.#options.machine;
  }

  /** Fires with the tools of which sessions came, went or were written to. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** The tools that are allowed, with their sessions as they were found last; they are looked for where they were not yet. */
  async tools(): Promise<readonly ListedTool[]> {
    if (!this.#hasLooked) await this.look();
    return [...this.#tools.values()];
  }

  /** Looks at all folders again. Never rejects: what goes wrong is logged. */
  look(): Promise<void> {
    return (this.#looking ??= this.#look(0).finally(() => {
      this.#looking = undefined;
    }));
  }

  /** Looks again and again until what is given is disposed. */
  watch(): Disposable {
    this.#watchers++;
    this.#lookSoon();
    let isWatching = true;
    return {
      dispose: () => {
        if (isWatching) this.#watchers--;
        isWatching = false;
        if (this.#watchers > 0) return;
        clearTimeout(this.#timer);
        this.#timer = undefined;
        this.#thread.restSoon();
      },
    };
  }

  /** Notes which tools the person allows, and looks for their sessions. */
  async allow(tools: readonly ToolId[]): Promise<void> {
    await this.consent.answer(tools);
    await this.#looking;
    await this.look();
    this.#changed.fire(new Set(tools));
  }

  /** What sessions of a tool tell, by path; those that cannot be read are left out. */
  async about(id: ToolId, files: readonly SessionFile[]): Promise<ReadonlyMap<string, SessionAbout>> {
    const unread = files.filter((file) => !isSame(this.#about.get(file.path)?.file, file));
    if (unread.length > 0) {
      const paths = unread.map(({ path }) => path);
      const read = await this.#ask((calls) => calls.call('about', id, paths));
      for (const [at, file] of unread.entries()) {
        const about = read[at];
        if (about) this.#about.set(file.path, { file, about });
      }
    }
    const known = files.flatMap(({ path }) => {
      const about = this.#about.get(path)?.about;
      return about ? [[path, about] as const] : [];
    });
    return new Map(known);
  }

  /** The folder in which each session of a tool was held, by path, as far as they say so. */
  async workspaces(id: ToolId, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const found = await this.#ask((calls) => calls.call('workspaces', id, paths));
    return new Map(
      paths.flatMap((path, at) => {
        const workspace = found[at];
        return workspace === undefined ? [] : [[path, workspace] as const];
      }),
    );
  }

  /** The further folders of a tool that the settings name. */
  foldersOf(id: ToolId): readonly string[] {
    const { settings, machine, log } = this.#options;
    const setting: unknown = settings.get('sessions.folders');
    const named: unknown = isObject(setting) ? setting[id] : undefined;
    if (!Array.isArray(named)) return [];
    return named.flatMap((each: unknown) => {
      const path = typeof each === 'string' ? each.replace(/^~(?=[\\/]|$)/, () => machine.home) : '';
      if (isAbsolute(path)) return [join(path)];
      log.warn(t`${String(each)} in agentLogbook.sessions.folders is no absolute path; it is not looked at.`);
      return [];
    });
  }

  async list(signal: AbortSignal): Promise<readonly DiscoveredSession[]> {
    signal.throwIfAborted();
    await this.look();
    signal.throwIfAborted();
    const all = [...this.#tools.values()].flatMap(({ id, name, sessions }) =>
      Array.from(sessions.values(), ({ path, bytes, changed }) => ({
        tool: id,
        toolName: name,
        path,
        bytes,
        changed,
      })),
    );
    return all.sort((a, b) => b.changed - a.changed);
  }

  async workspacesOf(sessions: readonly DiscoveredSession[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    for (const id of this.#tools.keys()) {
      const paths = sessions.flatMap(({ tool, path }) => (tool === id ? [path] : []));
      for (const [path, workspace] of await this.workspaces(id, paths)) found.set(path, workspace);
    }
    return found;
  }

  dispose(): void {
    this.#isDisposed = true;
    clearTimeout(this.#timer);
    this.#thread.dispose();
    this.#changed.dispose();
  }

  #lookSoon(): void {
    if (this.#watchers === 0 || this.#isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const isWhole = this.#looks++ % WHOLE_LOOKS === 0;
      const since = isWhole ? 0 : Date.now() - RECENT_MS;
      this.#looking ??= this.#look(since).finally(() => {
        this.#looking = undefined;
      });
      void this.#looking.then(() => this.#lookSoon());
    }, LOOK_MS).unref();
  }

  async #look(since: number): Promise<void> {
    const { log } = this.#options;
    try {
      const requests = await this.#requests();
      for (const id of Array.from(this.#tools.keys()))
        if (!requests.some((request) => request.id === id)) this.#tools.delete(id);
      const from = this.#hasLooked ? since : 0;
      const ask = () => this.#ask((calls) => calls.call('changes', requests, from));
      const changes = requests.length === 0 ? [] : await ask();
      const changed = this.#take(changes, !this.#hasLooked);
      this.#hasLooked = true;
      const all = new Set([...changed, ...this.#liveOrNot()]);
      if (all.size > 0) this.#changed.fire(all);
    } catch (error) {
      if (!this.#isDisposed) log.warn(`Sessions of other tools cannot be looked for: ${messageOf(error)}`);
    }
  }

  /** Notes what changed; of a thread that `isNew`, everything that it has not found is gone. */
  #take(changes: readonly ToolChange[], isNew: boolean): ReadonlySet<ToolId> {
    const changed = new Set<ToolId>();
    for (const { id, written, gone, leftAlone, ...told } of changes) {
      const problems = [...told.problems, ...leftAlone];
      const { name } = toolHome(id);
      const before = this.#tools.get(id);
      const sessions = before?.sessions ?? new Map<string, SessionFile>();
      const paths = new Set(written.map(({ path }) => path));
      const lost = isNew ? [...sessions.keys()].filter((path) => !paths.has(path)) : gone;
      for (const path of lost) sessions.delete(path);
      const others = written.filter((file) => !isSame(sessions.get(file.path), file));
      for (const file of others) sessions.set(file.path, file);
      this.#tools.set(id, { id, name, sessions, problems });
      const unheard = problems.filter((problem) => !before?.problems.includes(problem));
      for (const problem of unheard) this.#options.log.warn(`${name}: ${problem}`);
      if (!before || others.length > 0 || lost.length > 0 || unheard.length > 0) changed.add(id);
    }
    return changed;
  }

  /** The tools of which sessions began or ceased to be live. */
  #liveOrNot(): readonly ToolId[] {
    const now = Date.now();
    return [...this.#tools.values()].flatMap(({ id, sessions }) => {
      const live = liveIn(sessions.values(), now);
      const isSame = live === (this.#live.get(id) ?? 0);
      this.#live.set(id, live);
      return isSame ? [] : [id];
    });
  }

  async #requests(): Promise<readonly ToolRequest[]> {
    const { recordings } = this.#options.machine;
    const allowed = (await this.consent.allowed()).filter(
      (id) => id !== RECORDINGS || recordings !== undefined,
    );
    return allowed.map((id) => ({ id, folders: this.foldersOf(id) }));
  }

  /** Asks the thread, which begins with the first question and ends a while after the last, unless somebody watches. */
  async #ask<T>(question: (thread: Thread<DiscoveryCalls>) => Promise<T>): Promise<T> {
    if (this.#isDisposed) throw new Error(t`The application is closing.`);
    try {
      return await question(this.#thread);
    } catch (error) {
      // What broke it may have broken the thread: the next question begins another.
      void this.#thread.stop();
      throw error;
    }
  }
}

/** Whether a session is being written to, as far as its time tells. */
export function isLive({ changed }: SessionFile, now: number): boolean {
  return isWritten(changed, now);
}

/** How many of some sessions are being written to. */
export function liveIn(files: Iterable<SessionFile>, now: number): number {
  let live = 0;
  for (const file of files) if (isLive(file, now)) live++;
  return live;
}

function isSame(known: SessionFile | undefined, file: SessionFile): boolean {
  return known?.bytes === file.bytes && known.changed === file.changed;
}
