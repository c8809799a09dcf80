import { basename, dirname, join } from 'node:path';
import { fields, parsed } from '../../reading/fields.js';
import { entryNow } from '../../../node/plainFile.js';
import { entriesIn, headOf, MAX_SIDECARS, sessionsBelow, type Tool } from '../tool.js';
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
    return [...(await sessionsBelow(join(folder, 'subagents'))), ...(await workflowsOf(folder))];
  },
  filesLookedAt: siblingsOf,
  placesBeside,
};

/** Of one that begins with a copy, any session in its folder may be the one that it is of. */
async function placesBeside(path: string): Promise<readonly string[] | undefined> {
  if (beginsWithCopy(headOf(path, MAX_BEGINNING))) return undefined;
  const folder = path.slice(0, -'.jsonl'.length);
  if (!entryNow(folder)) return [folder];
  const subagents = join(folder, 'subagents');
  const folders = (await entriesIn(subagents, true)).filter((entry) => entry.isDirectory());
  return [
    folder,
    join(folder, 'workflows'),
    subagents,
    ...folders.map(({ parentPath, name }) => join(parentPath, name)),
  ];
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
