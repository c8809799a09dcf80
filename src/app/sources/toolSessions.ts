import { basename, dirname, extname } from 'node:path';
import type { SessionAbout } from '../../capture/discovery/sessionAbout.js';
import { SessionFinder } from '../../capture/discovery/sessionFinder.js';
import { toolHome, TOOL_IDS, type OptInToolId } from '../../import/toolHomes.js';
import type { Machine } from '../../import/tools/home.js';
import { t } from '../../core/l10n.js';
import { sessionInDatabase } from '../../core/sessionInDatabase.js';
import type { DiscoveredSession } from '../../core/ports/discoveredSessions.js';
import { byNeed, stateOf, type SessionState } from '../../capture/discovery/sessionState.js';
import { UserError } from '../userError.js';
import { ALL_TOOLS, type FromTools } from './fromTools.js';
import { foundByName, LATEST } from './nameMatch.js';

/** A session of another tool, by the id that a person may name it by. */
export interface ToolSession extends DiscoveredSession {
  readonly id: string;
}

/** A session of another tool, with what the beginning and the end of its file tell. */
export interface ReportedSession extends ToolSession {
  /** Undefined where it cannot be read. */
  readonly about: SessionAbout | undefined;
  readonly state: SessionState;
}

/** Is told what of a tool's folders is not looked at: because it cannot be, or by choice, by which nothing is lost. */
export type OnToolProblem = (tool: string, words: string, why: 'loss' | 'choice') => void;

/** How many sessions' beginnings and ends are read before the first of them is told. */
const TOLD_AT_ONCE = 100;

/**
 * The sessions that other tools keep on this machine, of those tools that a person named: naming one allows its folders to
 * be looked at, this time. They are only read, and the permission is not remembered.
 */
export class ToolSessions {
  readonly #finder: SessionFinder;
  readonly #tools: readonly OptInToolId[];
  readonly #onProblem: OnToolProblem;
  /** By path. */
  readonly #known = new Map<string, ToolSession>();
  #hasProblems = false;

  /** `onProblem` is told what of a tool's folders is not looked at. */
  constructor(from: FromTools, machine: Machine, onProblem: OnToolProblem) {
    this.#finder = new SessionFinder(machine);
    this.#tools = from === ALL_TOOLS ? TOOL_IDS : [from];
    this.#onProblem = onProblem;
  }

  /** Whether something was told of what cannot be looked at. */
  get hasProblems(): boolean {
    return this.#hasProblems;
  }

  /** Those that are meant by some names, the newest first; without a name, all. Throws a UserError for a name that is of none. */
  async named(names: readonly string[]): Promise<readonly ToolSession[]> {
    const all = await this.#all();
    if (names.length === 0) return all;
    return Promise.all(names.map((name) => this.#find(all, name)));
  }

  /** The same sessions with what is known of them at a time, in milliseconds since 1970. */
  async *told(
    sessions: readonly ToolSession[],
    now: number,
  ): AsyncGenerator<ReportedSession, void, undefined> {
    for (let from = 0; from < sessions.length; from += TOLD_AT_ONCE) {
      const some = sessions.slice(from, from + TOLD_AT_ONCE);
      const found = new Map<string, SessionAbout | undefined>();
      for (const id of this.#tools) {
        const paths = some.flatMap(({ tool, path }) => (tool === id ? [path] : []));
        for (const [at, about] of (await this.#finder.about(id, paths)).entries())
          found.set(paths[at] ?? '', about);
      }
      for (const session of some) {
        const about = found.get(session.path);
        yield { ...session, about, state: stateOf({ ...session, life: about?.life }, now) };
      }
    }
  }

  /** Those that are live at a time, in milliseconds since 1970: who needs a person first. */
  async live(now: number): Promise<readonly ReportedSession[]> {
    return (await this.states(now)).filter(({ state }) => state.isLive);
  }

  /** Those of which it can be told what they do at a time, whether they are live or were of late. */
  async states(now: number): Promise<readonly ReportedSession[]> {
    await this.#all();
    const found = (await this.#finder.states(now)).flatMap(({ path, about, state, changed }) => {
      const known = this.#known.get(path);
      return known ? [{ ...known, changed, about, state }] : [];
    });
    return found.sort((a, b) => byNeed(a.state, b.state));
  }

  async #all(): Promise<readonly ToolSession[]> {
    const changes = await this.#finder.changes(this.#tools.map((id) => ({ id, folders: [] })));
    for (const { id: tool, written, gone, problems, leftAlone } of changes) {
      const { name: toolName } = toolHome(tool);
      this.#hasProblems ||= problems.length > 0;
      for (const problem of problems) this.#onProblem(toolName, problem, 'loss');
      for (const note of leftAlone) this.#onProblem(toolName, note, 'choice');
      for (const path of gone) this.#known.delete(path);
      for (const { path, bytes, changed } of written)
        this.#known.set(path, { id: idOfSession(path), tool, toolName, path, bytes, changed });
    }
    return [...this.#known.values()].sort((a, b) => b.changed - a.changed);
  }

  /** The sessions that call themselves so in their files: of some tools the files have other names. */
  async #calledInside(all: readonly ToolSession[], name: string): Promise<readonly ToolSession[]> {
    if (name === '' || name === LATEST) return [];
    const found: ToolSession[] = [];
    for await (const session of this.told(all, 0))
      if (session.about?.id?.startsWith(name) === true) found.push({ ...session, id: session.about.id });
    return found;
  }

  async #find(all: readonly ToolSession[], name: string): Promise<ToolSession> {
    const named = foundByName(all, name, ({ id }) => id);
    const isNone = !named.found && named.begun.length === 0;
    const { found, begun } = isNone
      ? foundByName(await this.#calledInside(all, name), name, ({ id }) => id)
      : named;
    if (found) return found;
    const [one, other] = begun;
    if (one && other)
      throw new UserError(
        t`${begun.length} sessions begin with ${name}, such as ${one.id} and ${other.id}; write more of the id.`,
      );
    throw new UserError(
      name === LATEST
        ? t`There are no sessions of ${this.#toolNames} on this machine.`
        : t`No session of ${this.#toolNames} is called ${name}; agent-logbook list --from ${this.#from} shows them.`,
    );
  }

  get #from(): FromTools {
    const [tool = ALL_TOOLS] = this.#tools;
    return this.#tools.length > 1 ? ALL_TOOLS : tool;
  }

  get #toolNames(): string {
    const [tool, other] = this.#tools;
    return tool === undefined || other !== undefined ? t`other tools` : toolHome(tool).name;
  }
}

/** The names that tools give the file of every session: the folder around it tells them apart. */
const USUAL_NAMES: ReadonlySet<string> = new Set(['events', 'messages', 'ui_messages']);

/** The id at the end of a name that tells more, as those of Codex's rollouts do; behind it, that of a file of the same thread. */
const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[0-9a-f-]{36})?$/;

/** The id of the session at a path: of its file's name, of the folder around it, or in a database. */
export function idOfSession(path: string): string {
  const stored = sessionInDatabase(path);
  if (stored) return stored.session;
  const plain = path.replace(/\.zst$/, '');
  const name = basename(plain, extname(plain));
  if (USUAL_NAMES.has(name)) return basename(dirname(path));
  return UUID.exec(name)?.[1] ?? name;
}
