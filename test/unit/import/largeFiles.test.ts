import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FileBytes } from '../../../src/import/reading/byteWindow.js';
import { listStart } from '../../../src/import/reading/jsonLines.js';
import { FileEntries, linesOf } from '../../../src/import/reading/fileEntries.js';
import { formats } from '../../../src/import/tools.js';
import { importFile, openImport } from '../../../src/import/importFile.js';
import { ImportSink } from '../../../src/import/building/importSink.js';
import { read } from '../../../src/import/importTranscript.js';
import { atOnce } from '../../../src/import/reading/steps.js';
import { claudeSessions } from '../../../src/import/tools/claudeCode/claudeSessions.js';
import { Drafts } from '../../../src/import/spool/drafts.js';
import { SeenValues } from '../../../src/import/spool/seenValues.js';
import { Spool } from '../../../src/import/spool/spool.js';
import { isOfAnyLength } from '../../../src/import/building/transcriptFormat.js';
import { lines } from './reading.js';

const transcripts = fileURLToPath(new URL('../../../../shared/transcripts/', import.meta.url));

/** A folder with these files, gone after the test. */
async function folder(files: Record<string, string>) {
  const root = await mkdtemp(join(tmpdir(), 'large-'));
  onTestFinished(() => rm(root, { recursive: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  return root;
}

/** What a file gives with all of it held in memory, and with nothing held; problems in no order. */
async function bothWays(path: string) {
  const read = async (heldBytes: number) => {
    const { format, conversations, problems } = await importFile(path, { heldBytes });
    const told = problems.map(({ message, line, severity }) => `${severity} ${line ?? ''} ${message}`);
    return { format, told: told.sort(), conversations: conversations.map((each) => JSON.stringify(each)) };
  };
  return { held: await read(Number.POSITIVE_INFINITY), spooled: await read(0) };
}

let count = 0;
const line = (type: string, message: object, more: object = {}) => ({
  type,
  uuid: `u${++count}`,
  sessionId: 's1',
  timestamp: `2026-01-01T00:00:${count % 60}Z`,
  message: { role: type, ...message },
  ...more,
});
const answer = (id: string, ...content: object[]) => line('assistant', { id, model: 'claude', content });
const result = (id: string, content: unknown, more: object = {}) =>
  line('user', { content: [{ type: 'tool_result', tool_use_id: id, content }] }, more);
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input });
const words = (text: string) => ({ type: 'text', text });

/** A session with what makes a reader look back and ahead: answers in pieces, copies, subagents, broken lines. */
function session() {
  const first = line('user', { content: 'Bake a cake, please.' });
  const task = call('t1', 'Task', { prompt: 'Look for the flour.', subagent_type: 'Finder' });
  const piece = (at: number) => answer('m1', words(`Piece ${at} of one long answer.`));
  return {
    's1.jsonl': [
      lines({ type: 'file-history-snapshot', messageId: 'x', snapshot: { of: 'the whole kitchen' } }, first),
      '{"type":"user","broken',
      lines(
        piece(1),
        answer('m2', words('I send somebody.'), task),
        result('t1', 'Flour found.', { toolUseResult: { agentId: 'a1', totalTokens: 123456 } }),
        first,
        piece(2),
        line('user', { content: 'Side by side.' }, { isSidechain: true, agentId: 'b2' }),
        answer('m3', call('t2', 'Bash', { command: 'ls -la /kitchen/shelf' })),
        result('t2', [
          words('a'),
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ]),
        line(
          'user',
          {
            content: [
              { type: 'tool_result', tool_use_id: 't3', content: 'Two in one line.' },
              words('And this.'),
            ],
          },
          { toolUseResult: { file: { note: 'a note that stands in no message, of which two are made' } } },
        ),
        { type: 'brand-new', sessionId: 's1', text: 'Something that nobody knows yet.' },
        piece(3),
        { type: 'summary', summary: 'A cake', leafUuid: 'u1' },
        'just a text of its own',
        42,
      ),
      '{"type":"user","uuid":"cut',
    ].join('\n'),
    's1/subagents/agent-a1.jsonl': [
      lines(line('user', { content: 'Look for the flour.' })),
      'no JSON at all',
      lines(answer('n1', words('It is on the shelf.')), answer('n1', words('The upper one.'))),
    ].join('\n'),
    's1/subagents/agent-a1.meta.json': lines({
      agentType: 'Finder',
      note: 'a text that stands in no message',
    }),
  };
}

test('a session gives the same records whether it is held or waits on the disk', async () => {
  const root = await folder(session());
  const { held, spooled } = await bothWays(join(root, 's1.jsonl'));
  expect(held.conversations.join()).toContain('a text that stands in no message');
  expect(held.told.join('\n')).toContain('stands in no message; it was kept at the end');
  expect(spooled).toEqual(held);
});

/** A rollout with one of a subagent, calls in pieces, events that repeat messages, and a broken line. */
function rollout() {
  const [main, child] = ['0199aaaa-0000-7000-8000-000000000001', '0199aaaa-0000-7000-8000-000000000002'];
  const of = (type: string, payload: object) => ({ timestamp: '2026-01-01T00:00:01Z', type, payload });
  const item = (payload: object) => of('response_item', payload);
  const says = (role: string, text: string) =>
    item({ type: 'message', role, content: [{ type: 'output_text', text }] });
  const ask = item({
    type: 'function_call',
    call_id: 'c1',
    name: 'spawn_agent',
    arguments: '{"task":"look"}',
  });
  return {
    [`rollout-2026-01-01T00-00-00-${main}.jsonl`]: [
      lines(
        of('session_meta', { id: main, cwd: '/kitchen' }),
        of('turn_context', { turn_id: 't1', model: 'gpt' }),
      ),
      lines(says('user', 'Bake.'), of('event_msg', { type: 'user_message', message: 'Bake.' })),
      'broken {',
      lines(
        item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'Where is the flour?' }] }),
        of('event_msg', {
          type: 'token_count',
          info: { total_token_usage: { input_tokens: 10, output_tokens: 5 } },
        }),
        says('assistant', 'I look.'),
        ask,
        of('event_msg', { type: 'exec_command_begin', command: 'a command that only this event names' }),
        item({ type: 'local_shell_call', call_id: 'c2', action: { command: ['ls'] } }),
        item({ type: 'function_call_output', call_id: 'c1', output: JSON.stringify({ agent_id: child }) }),
        item({ type: 'function_call_output', call_id: 'c2', output: 'flour' }),
        of('brand_new', { about: 'something that nobody knows' }),
      ),
    ].join('\n'),
    [`rollout-2026-01-01T00-00-05-${child}.jsonl`]: lines(
      of('session_meta', { id: child, parent_thread_id: main, agent_role: 'finder' }),
      of('turn_context', { turn_id: 't1' }),
      says('user', 'Bake.'),
      of('turn_context', { turn_id: 't2' }),
      says('user', 'look'),
      says('assistant', 'On the shelf.'),
    ),
  };
}

const pi = {
  'pi.jsonl': lines(
    { type: 'model_change', modelId: 'small' },
    {
      type: 'session',
      version: 3,
      id: 'p1',
      timestamp: '2026-01-01T00:00:00Z',
      cwd: '/kitchen',
      modelId: 'large',
    },
    { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'Bake.' }] } },
    {
      type: 'message',
      message: {
        role: 'assistant',
        content: [{ type: 'toolCall', id: 'c1', name: 'ls', arguments: { path: '.' } }],
      },
    },
    {
      type: 'message',
      message: { role: 'toolResult', toolCallId: 'c1', content: [{ type: 'text', text: 'flour' }] },
    },
  ),
};

const copilot = {
  'events.jsonl': lines(
    ...[
      {
        type: 'tool.execution_start',
        data: { toolCallId: 'c1', toolName: 'view', arguments: { path: '/kitchen' } },
      },
      { type: 'session.start', data: { sessionId: 'e1' } },
      { type: 'user.message', data: { content: 'Bake.' } },
      {
        type: 'assistant.message',
        data: { content: '', toolRequests: [{ toolCallId: 'c1', name: 'view' }] },
      },
      {
        type: 'tool.execution_complete',
        data: { toolCallId: 'c1', success: true, result: { content: 'flour' } },
      },
      {
        type: 'session.shutdown',
        data: { modelMetrics: { large: { usage: { inputTokens: 7, outputTokens: 3 } } } },
      },
    ].map((event, at) => ({ ...event, id: `e${at}`, timestamp: '2026-01-01T00:00:00Z' })),
  ),
};

const chat = {
  'chat.jsonl': lines(
    { role: 'user', content: 'Bake.' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', name: 'ls', arguments: '{}' }] },
    { role: 'tool', tool_call_id: 'c1', content: 'flour', took_ms: 123456 },
    { messages: [{ role: 'user', content: 'Another talk.' }], title: 'Two' },
    { role: 'assistant', content: 'Done.' },
  ),
};

const qwen = {
  'q1.jsonl': lines(
    ...[
      { type: 'user', message: { role: 'user', parts: [{ text: 'Bake.' }] } },
      {
        type: 'assistant',
        message: {
          role: 'model',
          parts: [{ functionCall: { id: 'c1', name: 'task', args: { prompt: 'Look.' } } }],
        },
      },
      {
        type: 'user',
        isSidechain: true,
        agentId: 'a1',
        message: { role: 'user', parts: [{ text: 'Look.' }] },
      },
      { type: 'system', subtype: 'custom_title', systemPayload: { customTitle: 'A cake' } },
    ].map((each, at) => ({ ...each, uuid: `u${at}`, sessionId: 'q1', timestamp: '2026-01-01T00:00:00Z' })),
  ),
};

test.each([
  ['codex', rollout()],
  ['pi', pi],
  ['copilot-events', copilot],
  ['chat-messages', chat],
  ['qwen-code', qwen],
])('so does a session of %s', async (format, files) => {
  const root = await folder(files);
  const { held, spooled } = await bothWays(join(root, Object.keys(files)[0] ?? ''));
  expect(held.format).toBe(format);
  expect(held.conversations.join().length).toBeGreaterThan(500);
  expect(spooled).toEqual(held);
});

/** The formats that people have large files of lines of. */
const LARGE = [
  'claude-code',
  'codex',
  'qwen-code',
  'copilot-events',
  'pi',
  'chat-messages',
  'kimi',
  'droid',
  'goose',
  'amp',

  'antigravity',
  'claude-hooks',
  'cursor',
  'codex-events',
  'rpc-log',
  'gemini-cli',
  'opencode',
  'openhands',

  'google-adk',
  'ui-stream',
  'openai-responses',
  'anthropic-messages',
  'agent-logbook',
  'any-messages',
  'agent-steps',
  'prompt-pairs',
  'bedrock-agent',

  'otlp',
  'langfuse',
  'langsmith',
  'braintrust',
  'weave',
  'datadog-llm',
  'openai-agents',
  'gemini-telemetry',
  'api-traffic',
  'atif',
];

test.each(LARGE)('files of lines of %s may have any length', (name) => {
  const format = formats.find((each) => each.name === name);
  expect(format && isOfAnyLength(format)).toBe(true);
});

test.skipIf(!existsSync(transcripts))(
  'real transcripts give the same records when they wait on the disk',
  async () => {
    const names = (await readdir(transcripts, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
    expect(names.length).toBeGreaterThan(20);
    for (const name of names) {
      const { held, spooled } = await bothWays(join(transcripts, name));
      expect(spooled, name).toEqual(held);
    }
  },
);

/**
 * Reads a session of so many answers in pieces, with few bytes held; gives how many drafts were held at once, and how many
 * bytes were held of all.
 */
async function held(answers: number) {
  const talk = Array.from({ length: answers }, (_, at) =>
    lines(answer(`m${at}`, words('one')), answer(`m${at}`, words('two')), result(`t${at}`, `out ${at}`)),
  );
  const root = await folder({ 's1.jsonl': talk.join('\n') });
  const spool = new Spool();
  onTestFinished(() => spool.close());
  const sink = new ImportSink('s1', new Drafts(spool, 4_000));
  const entries = linesOf(join(root, 's1.jsonl'), sink, () => undefined);
  if (!(entries instanceof FileEntries)) throw new Error('These are lines.');
  atOnce(read(claudeSessions, entries, sink, []));
  expect(sink.drafts.taken).toBe(answers * 3);
  return { count: sink.drafts.mostHeld, ofAll: sink.drafts.bytes };
}

test('a session ten times as long holds no more at once', async () => {
  const few = await held(200);
  expect(few.count).toBeGreaterThan(10);
  expect((await held(2_000)).count).toBeLessThanOrEqual(few.count + 2);
});

test('of each line, a large session holds no more than a few numbers', async () => {
  const [few, many] = [await held(2_000), await held(20_000)];
  const bytesOfALine = (many.ofAll - few.ofAll) / (18_000 * 3);
  expect(bytesOfALine).toBeGreaterThan(0);
  expect(bytesOfALine).toBeLessThan(32);
});

test('ids of lines are known without being held', () => {
  const seen = new SeenValues();
  const source = { valueAt: (offset: number, length: number) => ({ offset, length }) };
  const entry = (at: number) => ({ value: {}, line: at, offset: at * 2_000, length: 1_999 });
  const count = 200_000;
  for (let at = 0; at < count; at++) expect(seen.put(`id-${at}`, entry(at), source)).toBeUndefined();
  expect(seen.put('id-77', entry(count), source)?.()).toEqual({ offset: 154_000, length: 1_999 });
  expect(seen.put('id-77', entry(1), source)?.()).toEqual({ offset: count * 2_000, length: 1_999 });
  expect(seen.bytes / count).toBeLessThan(32);
});

describe('one list of values', () => {
  const talk = (id: number, said: string) => ({
    title: `Talk ${id}`,
    conversation_id: `c${id}`,
    current_node: 'b',
    mapping: {
      a: { id: 'a', parent: null, children: ['b'], message: null },
      b: {
        id: 'b',
        parent: 'a',
        children: [],
        message: { author: { role: 'user' }, content: { parts: [said] } },
      },
    },
  });
  const talks = [talk(1, 'one, with ] and \\" in it'), talk(2, 'two'), talk(3, 'three')];
  const whole = JSON.stringify(talks);
  const partsOf = async (path: string, content: string) => {
    await writeFile(path, content);
    const parts: string[] = [];
    const onPart = (part: string) => parts.push(part);
    const { close, conversations } = await openImport(path, { heldBytes: 0, onPart });
    expect(conversations.map(({ id }) => id)).toEqual(['c1', 'c2', 'c3']);
    close();
    return parts;
  };

  test.each([
    ['in one line', whole],
    ['over many lines, with a mark and white space around', `\ufeff\n${JSON.stringify(talks, null, 2)}\n\n`],
  ])('%s is read from the disk item by item, and says the same', async (_, content) => {
    const path = join(await folder({}), 'conversations.json');
    expect(await partsOf(path, content)).toEqual(['reading', 'records', 'comparing']);
    const { held, spooled } = await bothWays(path);
    expect(spooled).toEqual(held);
  });

  test.each([
    ['breaks off', whole.slice(0, -40)],
    ['holds something else than objects', `${whole.slice(0, -1)}, 7]`],
    [
      'has an item that nests too deep',
      `${whole.slice(0, -1)},{"deep":${'['.repeat(900)}${']'.repeat(900)}}]`,
    ],
    ['has a broken item', whole.replace('"two"', 'two')],
    ['has commas behind the last members of its objects', whole.replaceAll('"}', '",}')],
    ['has a comma behind its last item', `${whole.slice(0, -1)},]`],
    ['has two commas between items', whole.replace('},{"title"', '},,{"title"')],
    ['has no comma between items', whole.replace('},{"title"', '} {"title"')],
    ['is followed by something', `${whole}\n${JSON.stringify({ more: 'behind it' })}`],
  ])('where it %s, nothing is missed', async (_, content) => {
    const path = join(await folder({ 'conversations.json': content }), 'conversations.json');
    const { held, spooled } = await bothWays(path);
    expect(spooled).toEqual(held);
  });

  test('lines are counted, however far the window has moved', async () => {
    const path = join(await folder({}), 'conversations.json');
    const items = Array.from({ length: 4_000 }, (_, at) => JSON.stringify(talk(at, `${at} `.repeat(100))));
    await writeFile(path, `[\n${items.join(',\n\n')}\n]`);
    const read = [...(linesOf(path, new ImportSink('c'), () => undefined, false, true) ?? [])];
    expect(statSync(path).size).toBeGreaterThan(2 * 1024 * 1024);
    expect(read.map(({ line: at }) => at)).toEqual(items.map((_, at) => 2 + 2 * at));
  });

  test('an item that is no JSON is kept and told, and hides no other', async () => {
    const path = join(await folder({}), 'conversations.json');
    await writeFile(path, whole.replace('"two"', 'two'));
    const { conversations, problems } = await importFile(path, { heldBytes: 0 });
    expect(conversations.map(({ id }) => id)).toEqual(['c1', 'c3']);
    expect(JSON.stringify(conversations)).toContain('[two]');
    expect(problems).toMatchObject([
      { severity: 'error', line: 1, message: 'This item of the list is no JSON.' },
    ]);
  });

  test('as long as there is another item, no more is held', async () => {
    const path = join(await folder({}), 'conversations.json');
    const long = Array.from({ length: 3_000 }, (_, at) => talk(at, `${at} `.repeat(400)));
    await writeFile(path, JSON.stringify(long));
    const file = openSync(path, 'r');
    const bytes = new FileBytes(file, 0, statSync(path).size);
    expect(listStart(bytes)).toBe(1);
    closeSync(file);
    expect(statSync(path).size).toBeGreaterThan(4 * 1024 * 1024);
    expect(bytes.bytes.length).toBeLessThan(3 * 1024 * 1024);
  });
});

test('a large import says which part of its work begins', async () => {
  const root = await folder(session());
  const parts: string[] = [];
  const opened = await openImport(join(root, 's1.jsonl'), {
    heldBytes: 0,
    onPart: (part) => parts.push(part),
  });
  opened.close();
  expect(parts).toEqual(['reading', 'records', 'comparing']);
});

test('nothing of a large import is left in the folder for temporary files', async () => {
  const [root, temporary] = [await folder(session()), await folder({})];
  vi.stubEnv('TMPDIR', temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  const opened = await openImport(join(root, 's1.jsonl'), { heldBytes: 0 });
  expect([...(opened.conversations[0]?.records ?? [])].length).toBeGreaterThan(10);
  opened.close();
  expect(() => [...(opened.conversations[0]?.records ?? [])]).toThrow('were given up already');
  await expect(
    openImport(join(root, 's1.jsonl'), { heldBytes: 0, signal: AbortSignal.abort('enough') }),
  ).rejects.toBe('enough');
  expect(await readdir(temporary)).toEqual([]);
});

test('what is added to a file while it is read belongs to the next import', async () => {
  const root = await folder(session());
  const path = join(root, 's1.jsonl');
  const sink = new ImportSink('s1');
  const entries = linesOf(path, sink, () => undefined);
  const before = [...(entries ?? [])].length;
  await appendFile(path, `\n${lines(line('user', { content: 'More.' }))}`);
  expect([...(entries ?? [])]).toHaveLength(before);
});

test('a file that another one replaces while it is read is not read on', async () => {
  const root = await folder(session());
  const path = join(root, 's1.jsonl');
  const entries = linesOf(path, new ImportSink('s1'), () => undefined);
  await rm(path);
  await writeFile(join(root, 'other'), 'x');
  await writeFile(path, 'short');
  expect(() => [...(entries ?? [])]).toThrow('The file was replaced while it was read.');
});
