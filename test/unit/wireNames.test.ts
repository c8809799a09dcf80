import { cp, readFile, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { commands } from '../../src/surfaces/cli/commands.js';
import type { CommandName } from '../../src/surfaces/cli/command.js';
import { readTools } from '../../src/surfaces/mcp/readTools.js';
import { FILE_FORMATS } from '../../src/core/ports/exportFormats.js';
import { agentLogbook, messageLines } from '../support/commandLine.js';
import { decidedStory } from '../support/decidedStory.js';
import { noteOn } from '../support/noteOn.js';
import { temporaryStore } from '../support/storeFixture.js';

// What other programs know by its name: a name in the code may change, these may not.

/** The paths of all keys in a value, such as `message.tool_calls[].id`. */
function* keysIn(value: unknown, at = ''): Generator<string> {
  if (Array.isArray(value)) for (const each of value) yield* keysIn(each, `${at}[]`);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) {
      const path = at === '' ? key : `${at}.${key}`;
      yield path;
      yield* keysIn(inner, path);
    }
}

/** The paths of all keys that a JSON schema tells of. */
function* keysOfSchema(schema: unknown, at = ''): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  const { properties = {}, items } = schema as { properties?: Record<string, unknown>; items?: unknown };
  if (items !== undefined) yield* keysOfSchema(items, `${at}[]`);
  for (const [key, inner] of Object.entries(properties)) {
    const path = at === '' ? key : `${at}.${key}`;
    yield path;
    yield* keysOfSchema(inner, path);
  }
}

/** A section of the snapshot: a title, and below it each name once and in order, those of one object on a line. */
function section(title: string, names: Iterable<string>): string {
  const lines = new Map<string, string[]>();
  for (const name of [...new Set(names)].sort()) {
    const end = /^\.|\//.test(name) ? -1 : name.lastIndexOf('.');
    const owner = end > 0 ? `${name.slice(0, end)}: ` : '';
    lines.set(owner, [...(lines.get(owner) ?? []), name.slice(end + 1)]);
  }
  expect([...lines], title).not.toEqual([]);
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  return `## ${title}\n${sorted.map(([owner, keys]) => owner + keys.join(', ')).join('\n')}\n`;
}

/** The keys of one JSON text, or of lines of JSON. */
function keysOfTexts(text: string): string[] {
  try {
    return [...keysIn(JSON.parse(text))];
  } catch {
    const lines = text.split('\n').filter((line) => line !== '');
    return lines.flatMap((line) => [...keysIn(JSON.parse(line))]);
  }
}

/** The names of attributes and events in spans of OpenTelemetry. */
function namesIn(text: string): string[] {
  return [...text.matchAll(/"(?:key|name)":\s*"([\w.]+)"/g)].map(([, name]) => name ?? '');
}

/** The keys of lines of JSON, apart for each kind. */
function keysByKind(
  title: string,
  text: string,
  kindOf: (value: Readonly<Record<string, unknown>>) => unknown,
) {
  const kinds = new Map<string, string[]>();
  for (const line of text.split('\n').filter((each) => each.trim() !== '')) {
    const value = JSON.parse(line) as Readonly<Record<string, unknown>>;
    const kind = String(kindOf(value) ?? 'head');
    kinds.set(kind, [...(kinds.get(kind) ?? []), ...keysIn(value)]);
  }
  return [...kinds].sort().map(([kind, keys]) => section(`${title}: ${kind}`, keys));
}

const CONVERSATION = 'c_wire';

/** A workspace with a store that holds a story of every kind of record, with a note on it. */
async function recordedWorkspace(): Promise<{ cwd: string; root: string }> {
  const { store, root } = await temporaryStore();
  const story = decidedStory();
  const records = story.records.map((record) => ({ ...record, conversation: CONVERSATION }));
  await store.importConversation(CONVERSATION, records);
  await noteOn(store, CONVERSATION, 1, { id: 'n_1', text: 'Look here.', at: 1_790_000_000_000 });
  await store.close();
  return { cwd: join(root, '..'), root };
}

/** The files below a folder, with the parts of their names that are made up taken out. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .map((path) =>
      path.replace(/conversations\/[^/]+/, 'conversations/ID').replace(/logs\/[^/]+\//, 'logs/ID/'),
    );
}

/** How each command is asked for lines of JSON; undefined: it writes none. */
const asked: Readonly<Record<CommandName, readonly (readonly string[])[]>> = {
  list: [['list']],
  show: [['show', CONVERSATION]],
  follow: [['follow', 'talk.jsonl', '--last', '2']],
  query: [
    ['query', 'timetable'],
    ['query', 'timetable', '--count'],
    ['query', '--rows', 'toolCalls', 'tool:read_file'],
  ],
  search: [['search', 'timetable']],
  stats: [['stats', CONVERSATION], ['stats']],
  cost: [['cost'], ['cost', '--by', 'model']],
  timeline: [['timeline', CONVERSATION]],
  tools: [['tools', CONVERSATION]],
  compare: [
    ['compare', CONVERSATION, 'talk.jsonl'],
    ['compare', CONVERSATION, 'talk.jsonl', CONVERSATION],
  ],
  check: [['check', 'talk.logbook.yaml', 'wrong.logbook.yaml']],
  blame: [['blame', 'talk.jsonl', CONVERSATION]],
  // It needs a repository; explain.test.ts makes one.
  explain: [],
  // Its one shape is in verify.test.ts.
  verify: [],
  export: [['export', CONVERSATION]],
  import: [['import', 'talk.jsonl']],
  // It goes on; its lines are those of list --from.
  watch: [],
  push: [],
  mcp: [],
  record: [],
  run: [['run', 'pickle', 'Why', 'were there so few cookies on Tuesday?']],
  // It takes a run that was recorded before; replay.test.ts has one.
  replay: [],
  serve: [],
  completion: [],
};

// Every command is loaded for it, which takes its time where nothing else did so before.
test('what other programs know by its name keeps it', async () => {
  const { cwd, root } = await recordedWorkspace();
  await cp(join(import.meta.dirname, '../../samples/team'), cwd, { recursive: true });
  await writeFile(join(cwd, 'talk.jsonl'), messageLines(['user', 'Hello'], ['assistant', 'Hello, you']));
  const expectation = `tests: [{ name: T, session: ${CONVERSATION}, expect: { maxErrors: 0, answer: { contains: x } } }]`;
  await writeFile(join(cwd, 'talk.logbook.yaml'), expectation);
  await writeFile(join(cwd, 'wrong.logbook.yaml'), 'tests: 3');
  const parts: string[] = [];
  const journal = await readFile(join(root, 'conversations', CONVERSATION, 'messages.jsonl'), 'utf8');
  parts.push(...keysByKind('a line of messages.jsonl', journal, ({ type }) => type));
  const notes = await readFile(join(root, 'conversations', CONVERSATION, 'notes.jsonl'), 'utf8');
  parts.push(...keysByKind('a line of notes.jsonl', notes, ({ kind }) => kind));

  for (const { name, options } of commands) {
    if (!options.some((option) => option.name === 'json')) continue;
    for (const words of asked[name]) {
      // Follow goes on until it is interrupted.
      const interruption = new AbortController();
      const onWrite = () => name === 'follow' && interruption.abort();
      const how = { cwd, signal: interruption.signal, onWrite };
      const { out, err } = await agentLogbook([...words, '--json'], how);
      expect(out, `${words.join(' ')}: ${err}`).not.toBe('');
      parts.push(...keysByKind(`agent-logbook ${words.join(' ')} --json`, out, ({ kind }) => kind));
    }
  }
  for (const format of FILE_FORMATS) {
    const { out } = await agentLogbook(['export', CONVERSATION, '--format', format], { cwd });
    if (/^[{[]/.test(out)) parts.push(section(`export --format ${format}`, keysOfTexts(out)));
    if (format === 'otlp-json') parts.push(section('names of attributes and events of spans', namesIn(out)));
    if (format === 'csv') parts.push(section('columns of csv', out.split('\n')[0]?.split(',') ?? []));
  }
  for (const { name, properties, answer } of readTools)
    parts.push(
      section(`tool ${name} of MCP: what it is given`, keysOfSchema({ properties })),
      section(`tool ${name} of MCP: what it answers`, keysOfSchema(answer)),
    );
  parts.push(section('files of a store', await filesIn(root)));
  await expect(parts.join('\n')).toMatchFileSnapshot('./wireNames.txt');
}, 300_000);
