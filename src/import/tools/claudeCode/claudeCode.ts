import { basename, dirname, join } from 'node:path';
import { fields, parsed } from '../../reading/fields.js';
import { entryNow } from '../../../node/plainFile.js';
import { BoundedMap } from '../../../core/boundedMap.js';
import {
  aboveSubagents,
  entriesIn,
  existing,
  headOf,
  MAX_SIDECARS,
  namesIn,
  sessionsBelow,
  type Tool,
} from '../tool.js';
import { claudeConsole } from './claudeConsole.js';
import { claudeHooks } from './claudeHooks.js';
import { CopyMark } from './claudeLineage.js';
import { claudeSessions } from './claudeSessions.js';
import { claudeTelemetry } from './claudeTelemetry.js';

/** How much of a session is read to see of which other it is a copy, in bytes. */
const MAX_BEGINNING = 32 * 1024;

/** Claude Code: sessions with a folder of their name beside them, what its hooks write, texts of its console, and telemetry. */
export const claudeCode: Tool = {
  formats: [claudeSessions, claudeHooks],
  texts: [claudeConsole],
  telemetry: [claudeTelemetry],
  async sidecarFiles(path) {
    if (!path.endsWith('.jsonl')) return [];
    const folder = path.slice(0, -'.jsonl'.length);
    const below = await sessionsBelow(join(folder, 'subagents'));
    return [...below, ...(await olderSubagents(path)), ...(await workflowsOf(folder))];
  },
  filesLookedAt: siblingsOf,
  placesBeside,
  sessionsOver,
};

/** What files of subagents are called, which versions before 2.1 had in the folder of the sessions. */
const AGENT_FILE = /^agent-[^/\\]+\.jsonl$/;

/** Of how many files it is remembered of which session they are; lines of it never change. */
const MAX_REMEMBERED = 100_000;
/** By their paths; of one that does not say it yet, how large it was. */
const sessionIds = new BoundedMap<string, string | number>(MAX_REMEMBERED);

/** The session that the first lines of a file are of; undefined where they do not say it yet. */
function sessionIdIn(path: string): string | undefined {
  const known = sessionIds.get(path);
  if (typeof known === 'string') return known;
  const size = Math.min(entryNow(path)?.size ?? 0, MAX_BEGINNING);
  if (known === size) return undefined;
  const id = /"sessionId":\s*"([^"\\]+)"/.exec(headOf(path, MAX_BEGINNING))?.[1];
  sessionIds.set(path, id ?? size);
  return id;
}

/** Files of a folder by the session that each is of: for every session in it the same ones are asked for. */
class FilesBySession {
  readonly #of = new Map<string, string[]>();
  /** Those that do not say it yet. */
  #open: readonly string[];

  constructor(paths: readonly string[]) {
    this.#open = paths;
  }

  of(session: string): readonly string[] {
    this.#open = this.#open.filter((path) => {
      const id = sessionIdIn(path);
      if (id === undefined) return true;
      const files = this.#of.get(id);
      if (files) files.push(path);
      else this.#of.set(id, [path]);
      return false;
    });
    return this.#of.get(session)?.toSorted() ?? [];
  }
}

/** What is in a folder of sessions. */
interface SessionFolder {
  readonly agents: FilesBySession;
  readonly hasAgents: boolean;
  readonly sessions: FilesBySession;
}

/** By the names that were read of a folder. */
const sessionFolders = new WeakMap<readonly string[], SessionFolder>();

async function sessionFolder(folder: string): Promise<SessionFolder> {
  const names = await namesIn(folder);
  const known = sessionFolders.get(names);
  if (known) return known;
  const agents: string[] = [];
  const sessions: string[] = [];
  for (const name of names)
    if (name.endsWith('.jsonl')) (AGENT_FILE.test(name) ? agents : sessions).push(join(folder, name));
  const found = {
    agents: new FilesBySession(agents),
    hasAgents: agents.length > 0,
    sessions: new FilesBySession(sessions),
  };
  sessionFolders.set(names, found);
  return found;
}

/** The files of a session's subagents that lie beside it. */
async function olderSubagents(path: string): Promise<readonly string[]> {
  const { agents, hasAgents } = await sessionFolder(dirname(path));
  if (!hasAgents || AGENT_FILE.test(basename(path))) return [];
  const ids = new Set([basename(path, '.jsonl'), sessionIdIn(path)]);
  return existing(Array.from(ids, (id) => (id === undefined ? [] : agents.of(id))).flat());
}

/** The session whose folder a subagent's file lies in, or which it names where it lies beside it. */
async function sessionsOver(path: string): Promise<readonly string[]> {
  const folder = aboveSubagents(path);
  const over = folder === undefined ? [] : [`${folder}.jsonl`];
  const id = AGENT_FILE.test(basename(path)) ? sessionIdIn(path) : undefined;
  if (id === undefined || /[\\/]/.test(id)) return over;
  const named = join(dirname(path), `${id}.jsonl`);
  if (entryNow(named)) return [...over, named];
  return [...over, ...(await sessionFolder(dirname(path))).sessions.of(id)];
}

/** Of one that begins with a copy, any session in its folder may be the one that it is of. */
async function placesBeside(path: string): Promise<readonly string[] | undefined> {
  if (beginsWithCopy(headOf(path, MAX_BEGINNING))) return undefined;
  const folder = path.slice(0, -'.jsonl'.length);
  const older = (await mayHaveOlder(path)) ? [dirname(path)] : [];
  if (!entryNow(folder)) return [...older, folder];
  const subagents = join(folder, 'subagents');
  const folders = (await entriesIn(subagents, true)).filter((entry) => entry.isDirectory());
  return [
    ...older,
    folder,
    join(folder, 'workflows'),
    subagents,
    ...folders.map(({ parentPath, name }) => join(parentPath, name)),
  ];
}

/** Whether files of a session's subagents may come to lie beside it: some do already, or its version had them there. */
async function mayHaveOlder(path: string): Promise<boolean> {
  if (/"version":\s*"(?:[01]|2\.0)\./.test(headOf(path, MAX_BEGINNING))) return true;
  return (await sessionFolder(dirname(path))).hasAgents;
}

/** What Claude Code says of the workflows that a session has started, whose folder this is. */
async function workflowsOf(session: string): Promise<readonly string[]> {
  const folder = join(session, 'workflows');
  const files = (await entriesIn(folder)).filter((entry) => entry.isFile() && entry.name.endsWith('.json'));
  return files.map(({ name }) => join(folder, name)).sort();
}

/**
 * The sessions in the folder of one that begins with a copy: those with the same first message, of which it
 * may be one. They are looked at, and belong to themselves.
 */
async function siblingsOf(path: string): Promise<readonly string[]> {
  if (!path.endsWith('.jsonl')) return [];
  const head = headOf(path, MAX_BEGINNING);
  const [, first] = /"uuid":\s*"([^"\\]+)"/.exec(head) ?? [];
  if (first === undefined || !beginsWithCopy(head)) return [];
  const entries = await entriesIn(dirname(path));
  const names = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  const others = names.filter((name) => /^(?!agent-).*\.jsonl$/.test(name) && name !== basename(path));
  const found: string[] = [];
  for (const name of others.sort().slice(0, MAX_SIDECARS)) {
    const sibling = join(dirname(path), name);
    if (headOf(sibling, MAX_BEGINNING).includes(`"${first}"`)) found.push(sibling);
  }
  return found;
}

/** Whether the beginning of a session of Claude Code is that of another; the last line may be cut. */
function beginsWithCopy(head: string): boolean {
  const mark = new CopyMark();
  for (const line of head.split('\n')) mark.look(fields(parsed(line)));
  return mark.isCopy;
}
