import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { sessionInDatabase } from '../../core/sessionInDatabase.js';
import { ownIdentity, processState } from '../../node/processIdentity.js';
import { forEachAtOnce } from '../../core/forEachAtOnce.js';
import { toolHome, type ToolId } from '../../import/toolHomes.js';
import type { Machine, RegisteredSession } from '../../import/tools/home.js';
import { HookSpool } from './hookSpool.js';
import type { SessionAbout } from './sessionAbout.js';
import { LOOKED_AT_MS, stateOf, type HookSaid, type SessionState } from './sessionState.js';
import type { SessionFile } from './sessionWalk.js';
import { greatestOf } from '../../core/lists.js';

/** How many sessions of a tool are looked at: the newest. */
const MAX_LOOKED_AT = 200;
/** How many files are asked for their times at once. */
const AT_ONCE = 16;
/** How many names in a folder of agents that a session started are looked at. */
const MAX_CHILDREN = 500;

/** What a session does, with what a list says of it. */
export interface StatedSession {
  readonly tool: ToolId;
  /** The path under which it is listed. */
  readonly path: string;
  /** What the tool itself calls it. */
  readonly id: string;
  readonly about: SessionAbout;
  /** When it was last written to, in milliseconds since 1970. */
  readonly changed: number;
  readonly state: SessionState;
}

/** The sessions of a tool as they were found last. */
export interface FoundSessions {
  readonly id: ToolId;
  readonly sessions: ReadonlyMap<string, SessionFile>;
  /** The files of those that consist of several, by the path of the one that is listed. */
  readonly parts: ReadonlyMap<string, readonly string[]>;
}

/** What is known of a session since it was read last. */
interface Read {
  readonly stamp: string;
  readonly changed: number;
  readonly about: SessionAbout;
}

/**
 * Says what sessions do that may be live: those that were written to of late, and those that a list of their tool names. Their
 * times are asked for each time, their ends are read only when they were written to. It only reads.
 */
export class StateFinder {
  readonly #machine: Machine;
  readonly #about: (id: ToolId, paths: readonly string[]) => Promise<readonly (SessionAbout | undefined)[]>;
  readonly #hooks: HookSpool | undefined;
  readonly #read = new Map<string, Read>();

  /** `about` reads the ends of sessions. */
  constructor(
    machine: Machine,
    about: (id: ToolId, paths: readonly string[]) => Promise<readonly (SessionAbout | undefined)[]>,
  ) {
    this.#machine = machine;
    this.#about = about;
    this.#hooks = machine.hooks === undefined ? undefined : new HookSpool(machine.hooks);
  }

  /** What sessions do at a time, in milliseconds since 1970. */
  async states(tools: readonly FoundSessions[], now: number): Promise<readonly StatedSession[]> {
    const hooks = await this.#hooks?.look();
    const found: StatedSession[] = [];
    const paths = new Set<string>();
    for (const tool of tools)
      for (const stated of await this.#statesOf(tool, hooks, now)) {
        found.push(stated);
        paths.add(stated.path);
      }
    for (const path of Array.from(this.#read.keys())) if (!paths.has(path)) this.#read.delete(path);
    return found;
  }

  async #statesOf(
    { id: tool, sessions, parts }: FoundSessions,
    hooks: ReadonlyMap<string, HookSaid> | undefined,
    now: number,
  ): Promise<readonly StatedSession[]> {
    const { registered, childrenOf, approvals } = toolHome(tool);
    const listed = new Map((await registered?.(this.#machine))?.map((each) => [each.id, each]));
    const files = [...sessions.values()]
      .filter(({ path, changed }) => now - changed < LOOKED_AT_MS || listed.has(nameOf(path)))
      .sort((a, b) => b.changed - a.changed)
      .slice(0, MAX_LOOKED_AT);
    await this.#readAll(tool, files, parts);
    const read = files.flatMap(({ path }) => {
      const known = this.#read.get(path);
      return known ? [{ path, ...known, id: known.about.id ?? nameOf(path) }] : [];
    });
    const children = childrenBySession(read);
    const found: StatedSession[] = [];
    for (const { path, id, about, changed } of read) {
      const of = listed.get(id) ?? listed.get(nameOf(path));
      const own = childrenOf ? await newestIn(childrenOf(path)) : undefined;
      const childrenAt = Math.max(own ?? 0, children.get(id) ?? 0);
      const state = stateOf(
        {
          changed,
          life: about.life,
          context: about.context,
          registered: of,
          ...(of && { process: this.#processOf(of) }),
          hook: hooks?.get(`${tool} ${id}`),
          ...(childrenAt > 0 && { childrenAt }),
          approvals,
        },
        now,
      );
      found.push({ tool, path, id, about, changed, state });
    }
    return found;
  }

  /** Whether the process of what is registered is there. */
  #processOf({ pid, started }: RegisteredSession): 'alive' | 'dead' | 'unknown' {
    const state = processState({ pid, started, machine: ownIdentity.machine });
    // In a container, one that is not seen may be there.
    return state === 'dead' && this.#machine.isContained === true ? 'unknown' : state;
  }

  /** Reads the ends of those that were written to since. */
  async #readAll(
    tool: ToolId,
    files: readonly SessionFile[],
    parts: ReadonlyMap<string, readonly string[]>,
  ): Promise<void> {
    const stamps = new Map<string, { stamp: string; changed: number }>();
    await forEachAtOnce(files, AT_ONCE, async ({ path, bytes, changed }) => {
      const now = sessionInDatabase(path)
        ? { stamp: `${bytes} ${changed}`, changed }
        : await stampOf(parts.get(path)?.at(-1) ?? path);
      if (now && this.#read.get(path)?.stamp !== now.stamp) stamps.set(path, now);
    });
    const paths = [...stamps.keys()];
    if (paths.length === 0) return;
    const about = await this.#about(tool, paths);
    for (const [at, path] of paths.entries()) {
      const [told, now] = [about[at], stamps.get(path)];
      if (told && now) this.#read.set(path, { ...now, about: withTurn(told, this.#read.get(path)?.about) });
    }
  }
}

/** What was read, with when its turn began: that may stand further up than what is read of a file. */
function withTurn(now: SessionAbout, before: SessionAbout | undefined): SessionAbout {
  const turn = Math.max(now.life?.turn ?? 0, before?.life?.turn ?? 0);
  return now.life && turn > 0 ? { ...now, life: { ...now.life, turn } } : now;
}

/** When agents that have sessions of their own wrote something last, by the id of the session that started them. */
function childrenBySession(read: readonly Pick<Read, 'about' | 'changed'>[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { about, changed } of read) {
    const { parent } = about.life ?? {};
    if (parent) found.set(parent, Math.max(found.get(parent) ?? 0, changed));
  }
  return found;
}

/** The id that stands in the name of a session's file. */
function nameOf(path: string): string {
  return sessionInDatabase(path)?.session ?? basename(path).replace(/\.jsonl?(?:\.zst)?$/, '');
}

/** Undefined for a file that is gone. */
async function stampOf(path: string): Promise<{ stamp: string; changed: number } | undefined> {
  const about = await stat(path).catch(() => undefined);
  return about && { stamp: `${about.size} ${about.mtimeMs}`, changed: about.mtimeMs };
}

/** When a file in a folder was last written to; undefined where there is none. */
async function newestIn(folder: string): Promise<number | undefined> {
  const names = await readdir(folder).catch(() => []);
  const times = await Promise.all(
    names.slice(0, MAX_CHILDREN).map(async (name) => (await stampOf(join(folder, name)))?.changed ?? 0),
  );
  return times.length === 0 ? undefined : greatestOf(times, 0);
}
