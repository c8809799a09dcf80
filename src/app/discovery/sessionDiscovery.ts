import { stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import type { DiscoveryCalls } from '../../capture/discovery/discoveryCalls.js';
import type { SessionAbout } from '../../capture/discovery/sessionAbout.js';
import type { ToolChange, ToolRequest } from '../../capture/discovery/sessionFinder.js';
import {
  RECORDINGS,
  toolHome,
  toolHomes,
  type OptInToolId,
  type ToolId,
  TOOL_IDS,
} from '../../import/toolHomes.js';
import type { Machine } from '../../import/tools/home.js';
import { isSameState } from '../../capture/discovery/sameState.js';
import type { StatedSession } from '../../capture/discovery/stateFinder.js';
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
import { AtomicFile, readIfThere } from '../../node/atomicFile.js';

/** How often it is asked what sessions do while somebody watches, in milliseconds, and at every so many times folders are looked at. */
const LOOK_MS = 1_000;
const FOLDER_LOOKS = 2;
/** Which sessions may be written to any moment: those that were within this time, in milliseconds. Others are asked for less often. */
const RECENT_MS = 10 * 60_000;
/** At every so many looks at folders, all sessions are asked for their times. */
const WHOLE_LOOKS = 15;
/** How long the thread waits for more to do once nobody watches, in milliseconds. */
const REST_MS = 10_000;
/** How many sessions are remembered with what they tell. */
const MAX_ABOUT = 5_000;
/** Shorter ids may stand in the name of any file. */
const MIN_NAMED = 8;
/** The beginnings of how many files are read at once to find one of them. */
const LOOKED_AT_ONCE = 200;

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
  /** By path. */
  #states: ReadonlyMap<string, StatedSession> = new Map();
  readonly #stated: Emitter<ReadonlyMap<string, StatedSession>>;
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
    this.#stated = new Emitter((error) => log.error('A view could not follow what sessions do', error));
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

  /** What the sessions do that may be live, by path, as they were looked at last. */
  get states(): ReadonlyMap<string, StatedSession> {
    return this.#states;
  }

  /** Fires with what sessions do, each time that they were looked at. */
  get onDidLook() {
    return this.#stated.event;
  }

  /** Whether a session is live, as it was looked at last. */
  isLive(path: string): boolean {
    return this.#states.get(path)?.state.isLive === true;
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

  /**
   * The tools that nobody was asked about, of which a folder of sessions is there: nothing but whether it exists is looked at.
   * The chat of the editor has one in every editor, so that tells nothing.
   */
  async present(): Promise<readonly OptInToolId[]> {
    const answers = await this.consent.answers();
    const isThere = async ({ id, places }: (typeof toolHomes)[number]) => {
      if (answers.has(id) || id === 'vscode-chat') return false;
      const folders = new Set(places(this.machine, []).map(({ folder }) => folder));
      const found = await Promise.all(Array.from(folders, (folder) => stat(folder).catch(() => undefined)));
      return found.some((each) => each?.isDirectory());
    };
    const there = await Promise.all(toolHomes.map(isThere));
    return toolHomes.flatMap(({ id }, at) => (there[at] ? [id] : []));
  }

  /** Notes which tools the person allows: those `alone`, or besides the ones before; and looks for their sessions. */
  async allow(tools: readonly ToolId[], how: 'alone' | 'besides' = 'alone'): Promise<void> {
    await (how === 'alone' ? this.consent.answer(tools) : this.consent.agree(tools));
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

  /**
   * The file of the session that its tool calls so; undefined where none is found. Names of files are looked at first: of the
   * others the beginnings are read. Rejects with the signal's reason.
   */
  async pathOf(session: string, signal: AbortSignal): Promise<string | undefined> {
    const all = await this.list(signal);
    const named = all.find(({ path }) => isNamedAfter(session, path));
    if (named) return named.path;
    for (const { id, sessions } of this.#tools.values()) {
      const files = [...sessions.values()];
      for (let at = 0; at < files.length; at += LOOKED_AT_ONCE) {
        const about = await this.about(id, files.slice(at, at + LOOKED_AT_ONCE));
        signal.throwIfAborted();
        const [path] = [...about].find(([, told]) => told.id === session) ?? [];
        if (path !== undefined) return path;
      }
    }
    return undefined;
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
    this.#stated.dispose();
  }

  #lookSoon(): void {
    if (this.#watchers === 0 || this.#isDisposed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const looks = this.#looks++ / FOLDER_LOOKS;
      const since = looks % WHOLE_LOOKS === 0 ? 0 : Date.now() - RECENT_MS;
      this.#looking ??= this.#look(Number.isInteger(looks) ? since : 'states').finally(() => {
        this.#looking = undefined;
      });
      void this.#looking.then(() => this.#lookSoon());
    }, LOOK_MS).unref();
  }

  /** Looks at folders, or only at what is known of them and may be live. */
  async #look(since: number | 'states'): Promise<void> {
    const { log } = this.#options;
    try {
      const changed =
        since === 'states' && this.#hasLooked
          ? new Set<ToolId>()
          : await this.#lookAtFolders(since === 'states' ? 0 : since);
      const all = new Set([...changed, ...(await this.#lookAtStates())]);
      if (all.size > 0) this.#changed.fire(all);
      if (this.#tools.size > 0) this.#stated.fire(this.#states);
    } catch (error) {
      if (!this.#isDisposed) log.warn(`Sessions of other tools cannot be looked for: ${messageOf(error)}`);
    }
  }

  async #lookAtFolders(since: number): Promise<ReadonlySet<ToolId>> {
    const requests = await this.#requests();
    for (const id of Array.from(this.#tools.keys()))
      if (!requests.some((request) => request.id === id)) this.#tools.delete(id);
    const from = this.#hasLooked ? since : 0;
    const ask = () => this.#ask((calls) => calls.call('changes', requests, from));
    const changes = requests.length === 0 ? [] : await ask();
    const changed = this.#take(changes, !this.#hasLooked);
    this.#hasLooked = true;
    return changed;
  }

  /** Asks what sessions do; gives the tools of which one does something else. */
  async #lookAtStates(): Promise<readonly ToolId[]> {
    const told = this.#tools.size === 0 ? [] : await this.#ask((calls) => calls.call('states', Date.now()));
    const before = this.#states;
    this.#states = new Map(told.map((each) => [each.path, each]));
    const changed = told.filter(({ path, state }) => !isSameState(before.get(path)?.state, state));
    const ended = [...before.values()].filter(({ path }) => !this.#states.has(path));
    return [...changed, ...ended].map(({ tool }) => tool);
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

function isSame(known: SessionFile | undefined, file: SessionFile): boolean {
  return known?.bytes === file.bytes && known.changed === file.changed;
}

/**
 * Which tools' sessions a person has allowed to be looked at on this machine. It lies on the machine that the sessions lie
 * on, so that a yes here is none for another machine.
 */
class ToolConsent {
  readonly #path: string;
  readonly #file: AtomicFile;
  readonly #log: Log;
  #answers: Promise<ReadonlyMap<OptInToolId, boolean>> | undefined;

  /** `storage` is the application's own folder for all that this person has on this machine, absolute. */
  constructor(storage: string, log: Log) {
    this.#path = join(storage, 'sessionTools.json');
    this.#log = log;
    this.#file = new AtomicFile(this.#path, (problem) =>
      log.error(`Which tools' sessions are listed cannot be remembered: ${problem}`),
    );
  }

  /** What the person has answered, by tool; tools that were never asked about are missing. */
  answers(): Promise<ReadonlyMap<OptInToolId, boolean>> {
    return (this.#answers ??= this.#read());
  }

  /** The tools that are allowed, in the order of the table, and what was recorded here, which is the person's own. */
  async allowed(): Promise<readonly ToolId[]> {
    const answers = await this.answers();
    return [RECORDINGS, ...TOOL_IDS.filter((id) => answers.get(id) === true)];
  }

  /** Notes the answer for every tool, and remembers it. */
  async answer(allowed: readonly ToolId[]): Promise<void> {
    await this.#keep(new Map(TOOL_IDS.map((id) => [id, allowed.includes(id)] as const)));
  }

  /** Notes a yes for some tools, and remembers it; what was answered for others stays. */
  async agree(tools: readonly ToolId[]): Promise<void> {
    const answers = new Map(await this.answers());
    for (const id of TOOL_IDS) if (tools.includes(id)) answers.set(id, true);
    await this.#keep(answers);
  }

  async #keep(answers: ReadonlyMap<OptInToolId, boolean>): Promise<void> {
    this.#answers = Promise.resolve(answers);
    await this.#file.save(() => `${JSON.stringify({ tools: Object.fromEntries(answers) }, undefined, 2)}\n`);
  }

  /** What cannot be understood is no yes. */
  async #read(): Promise<ReadonlyMap<OptInToolId, boolean>> {
    try {
      const text = await readIfThere(this.#path);
      const value = text === undefined ? undefined : (JSON.parse(text) as unknown);
      const tools = isObject(value) && isObject(value.tools) ? value.tools : {};
      return new Map(
        TOOL_IDS.flatMap((id) => {
          const answer = tools[id];
          return typeof answer === 'boolean' ? [[id, answer] as const] : [];
        }),
      );
    } catch (error) {
      this.#log.warn(`${this.#path} cannot be read; no sessions are looked for: ${messageOf(error)}`);
      return new Map();
    }
  }
}

/** Whether a file, or its folder, has the id of a session in its name. */
function isNamedAfter(session: string, path: string): boolean {
  if (session.length < MIN_NAMED) return false;
  const name = basename(path);
  const at = name.indexOf(session);
  const isApart = (sign: string | undefined) => sign === undefined || !/[\p{L}\p{N}]/u.test(sign);
  if (at >= 0 && isApart(name[at - 1]) && isApart(name[at + session.length])) return true;
  return basename(dirname(path)) === session;
}
