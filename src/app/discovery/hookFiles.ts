import { chmod, mkdir, realpath, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '../../core/message.js';
import { t } from '../../core/l10n.js';
import { from, type Machine } from '../../import/tools/home.js';
import { isDeeperThan } from '../../query/numbers/jsonText.js';
import { readIfThere, writeAtomically } from '../../node/atomicFile.js';
import { UserError } from '../userError.js';

/** The tools that tell by hooks what they do. */
export const HOOKED = ['claude-code', 'codex', 'copilot-cli'] as const;

/** One of {@link HOOKED}. */
export type HookedTool = (typeof HOOKED)[number];

/** The events that are told, by tool: none that decides anything, or comes with each call. */
const EVENTS: Readonly<Record<HookedTool, readonly string[]>> = {
  'claude-code': ['PermissionRequest', 'Notification', 'UserPromptSubmit', 'Stop', 'SessionEnd'],
  codex: ['PermissionRequest', 'UserPromptSubmit', 'Stop'],
  'copilot-cli': ['notification', 'agentStop', 'sessionEnd'],
};

/** How a file of hooks changes. */
export interface HookPlan {
  readonly tool: HookedTool;
  /** The file that is written: where a link leads, what it leads to. */
  readonly path: string;
  /** What stands there; undefined where nothing does. */
  readonly before: string | undefined;
  /** What will; undefined where the file goes. */
  readonly after: string | undefined;
}

/**
 * The line that a tool runs: what it is told goes into a file of this extension, as long as that has a folder for it. It decides
 * nothing, prints nothing and always succeeds.
 */
function commandLine(tool: HookedTool, folder: string): string {
  if (/['\n\r]/.test(folder))
    throw new UserError(t`Hooks cannot be installed: ${folder} has a quote in its name.`);
  const file = `'${join(folder, `${tool}.jsonl`)}'`;
  const said = `printf '{"at":%s,"said":' "$(date +%s)"; head -c 60000 | tr -d '\\n\\r'; printf '}\\n'`;
  return [
    `[ -d '${folder}' ] &&`,
    '{ umask 077;',
    `{ ${said}; }`,
    `>> ${file};`,
    '} 2>/dev/null;',
    'exit 0',
  ].join(' ');
}

/** Plans to add our entries to the file of a tool, or to remove them; `folder` is where what is told goes. Rejects with a UserError. */
export async function planHooks(
  tool: HookedTool,
  machine: Machine,
  folder: string,
  how: 'install' | 'remove',
): Promise<HookPlan> {
  if (machine.platform === 'win32') throw new UserError(t`Hooks are not installed on Windows yet.`);
  const named = fileOf(tool, machine);
  const path = await realpath(named).catch(() => named);
  const before = await readIfThere(path);
  const command = commandLine(tool, folder);
  if (tool === 'copilot-cli')
    return { tool, path, before, after: how === 'remove' ? undefined : copilotFile(command) };
  if (before === undefined && how === 'remove') return { tool, path, before, after: undefined };
  const text = before === undefined || before.trim() === '' ? '{}\n' : before;
  let after = text;
  for (const event of EVENTS[tool])
    after =
      how === 'install' ? withEntry(after, event, command, path) : withoutEntry(after, event, command, path);
  return { tool, path, before, after };
}

/** Writes what was planned, and a copy of what stood there beside it; rejects where somebody else has written meanwhile. */
export async function followPlan({ path, before, after }: HookPlan, folder: string): Promise<void> {
  if ((await readIfThere(path)) !== before)
    throw new UserError(t`${path} has changed meanwhile; it was left as it is. Try again.`);
  if (after === undefined) {
    if (before !== undefined) await unlink(path);
    return;
  }
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await mkdir(dirname(path), { recursive: true });
  const { mode = 0o600 } = (await stat(path).catch(() => undefined)) ?? {};
  const write = async (to: string, text: string) => {
    await writeAtomically(to, Buffer.from(text));
    await chmod(to, mode & 0o777);
  };
  const kept = `${path}.before-agent-logbook`;
  if (before !== undefined && (await readIfThere(kept)) === undefined) await write(kept, before);
  await write(path, after);
}

/** The file in which a tool looks for hooks of a person. */
function fileOf(tool: HookedTool, { home, env }: Machine): string {
  switch (tool) {
    case 'claude-code':
      return join(from(env, 'CLAUDE_CONFIG_DIR') ?? join(home, '.claude'), 'settings.json');
    case 'codex':
      return join(from(env, 'CODEX_HOME') ?? join(home, '.codex'), 'hooks.json');
    case 'copilot-cli':
      return join(from(env, 'COPILOT_HOME') ?? join(home, '.copilot'), 'hooks', 'agent-logbook.json');
  }
}

/** A file of our own, of which Copilot CLI reads as many as there are. */
function copilotFile(command: string): string {
  const hooks = EVENTS['copilot-cli'].map((event) => [
    event,
    [{ type: 'command', bash: command, timeoutSec: 5 }],
  ]);
  return `${JSON.stringify({ version: 1, hooks: Object.fromEntries(hooks) as object }, undefined, 2)}\n`;
}

/** The longest file of settings that is changed, in UTF-16 code units, and how deep it may nest. */
const MAX_SETTINGS = 4 * 1024 * 1024;
const MAX_DEPTH = 200;

/** A value in a text of JSON, with where it stands. */
interface Node {
  readonly start: number;
  readonly end: number;
  readonly value: unknown;
  /** The values in it, by name or place. */
  readonly inside: readonly { readonly name: string; readonly start: number; readonly node: Node }[];
}

/** A text with our entry for an event, where it has none; all else stays byte by byte. */
function withEntry(text: string, event: string, command: string, path: string): string {
  const root = parsedFile(text, path);
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ';
  const entry = { hooks: [{ type: 'command', command, timeout: 5 }] };
  const hooks = insideOf(root, 'hooks');
  if (!hooks) return added(text, root, `"hooks": ${json({ [event]: [entry] }, indent, 1)}`, indent, 1);
  requireKind(isObject(hooks.value), 'hooks', path);
  const all = insideOf(hooks, event);
  if (!all) return added(text, hooks, `${JSON.stringify(event)}: ${json([entry], indent, 2)}`, indent, 2);
  requireKind(Array.isArray(all.value), `hooks.${event}`, path);
  const isThere = all.inside.some(({ node }) => isOurs(node.value, command));
  return isThere ? text : added(text, all, json(entry, indent, 3), indent, 3);
}

/** The same without our entry; of what then holds nothing, nothing is left. */
function withoutEntry(text: string, event: string, command: string, path: string): string {
  const root = parsedFile(text, path);
  const hooks = insideOf(root, 'hooks');
  const all = hooks && insideOf(hooks, event);
  const at = all?.inside.findIndex(({ node }) => isOurs(node.value, command)) ?? -1;
  if (!hooks || !all || at < 0) return text;
  if (all.inside.length > 1) return removed(text, all, at);
  if (hooks.inside.length > 1)
    return removed(
      text,
      hooks,
      hooks.inside.findLastIndex(({ name }) => name === event),
    );
  return removed(
    text,
    root,
    root.inside.findLastIndex(({ name }) => name === 'hooks'),
  );
}

/** Whether an entry is ours, or one of ours as another version wrote it: nobody else writes into our file. */
function isOurs(entry: unknown, command: string): boolean {
  const hooks = isObject(entry) ? entry.hooks : undefined;
  if (!Array.isArray(hooks) || hooks.length !== 1 || !isObject(hooks[0])) return false;
  const written = hooks[0].command;
  const into = />> '[^']+'/.exec(command)?.[0] ?? command;
  return typeof written === 'string' && written.includes(into);
}

function requireKind(isRight: boolean, name: string, path: string): void {
  if (!isRight)
    throw new UserError(t`${path} has something else at ${name} than hooks; it was left as it is.`);
}

/** The value of a name; of several, the one that counts. */
function insideOf({ inside }: Node, name: string): Node | undefined {
  return inside.findLast((each) => each.name === name)?.node;
}

/** A value as it is written at a depth. */
function json(value: unknown, indent: string, depth: number): string {
  return JSON.stringify(value, undefined, indent).replaceAll('\n', `\n${indent.repeat(depth)}`);
}

/** A text with one more value at the end of an object or a list. */
function added(text: string, into: Node, what: string, indent: string, depth: number): string {
  const last = into.inside.at(-1)?.node;
  const [at, before] = last ? [last.end, ','] : [into.start + 1, ''];
  const rest = text.slice(at);
  const closes = last ? '' : `\n${indent.repeat(depth - 1)}`;
  const kept = last ? rest : rest.replace(/^\s*(?=[}\]])/, '');
  return `${text.slice(0, at)}${before}\n${indent.repeat(depth)}${what}${closes}${kept}`;
}

/** A text without one of the values of an object or a list, and the comma that was there for it. */
function removed(text: string, of: Node, at: number): string {
  const { inside, start, end } = of;
  const [before, it, after] = [inside[at - 1], inside[at], inside[at + 1]];
  if (!it) return text;
  if (before) return text.slice(0, before.node.end) + text.slice(it.node.end);
  if (after) return text.slice(0, it.start) + text.slice(after.start);
  return `${text.slice(0, start + 1)}${text.slice(end - 1)}`;
}

/** A file of settings; what is no JSON, or has comments, is refused and never written anew. */
function parsedFile(text: string, path: string): Node {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UserError(
      t`${path} is no plain JSON (it may have comments); it was left as it is. Add the hook by hand.`,
    );
  }
  const isTooMuch = text.length > MAX_SETTINGS || isDeeperThan(value, MAX_DEPTH);
  if (isTooMuch) throw new UserError(t`${path} is too large for a file of settings; it was left as it is.`);
  const root = nodeAt(text, skipSpace(text, 0));
  if (!isObject(value)) throw new UserError(t`${path} holds no settings; it was left as it is.`);
  return root;
}

/** Where a value of JSON that is known to be right stands, from its first character on. */
function nodeAt(text: string, start: number): Node {
  const open = text[start];
  if (open !== '{' && open !== '[') {
    const rest = text.slice(start);
    const [written = ''] = /^"(?:[^"\\]|\\.)*"|^[^\s,\]}]+/.exec(rest) ?? [];
    return nodeOf(text, start, start + written.length, []);
  }
  const inside: { name: string; start: number; node: Node }[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== '}' && text[at] !== ']') {
    const first = at;
    let name = String(inside.length);
    if (open === '{') {
      const key = nodeAt(text, at);
      name = String(key.value);
      at = skipSpace(text, skipSpace(text, key.end) + 1);
    }
    const node = nodeAt(text, at);
    inside.push({ name, start: first, node });
    at = skipSpace(text, node.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return nodeOf(text, start, at + 1, inside);
}

/** What stands in a text; its value is only read of those few that are asked for it. */
function nodeOf(text: string, start: number, end: number, inside: Node['inside']): Node {
  return {
    start,
    end,
    inside,
    get value() {
      return JSON.parse(text.slice(start, end)) as unknown;
    },
  };
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text[at] ?? '')) at++;
  return at;
}
