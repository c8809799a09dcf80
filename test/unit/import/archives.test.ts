import { describe, expect, test } from 'vitest';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { frame, repeated, zip } from './zip.js';

const records = ({ conversations }: ImportResult) => conversations.flatMap((each) => each.records);
const messages = (result: ImportResult) =>
  new MessageQuery(records(result)).all().map((record) => ('message' in record ? record.message : undefined));
const problems = (result: ImportResult) =>
  result.problems.map(({ severity, message, line }) => `${severity} ${line ?? '-'} ${message}`);

describe('archives', () => {
  const log = {
    version: 2,
    status: 'success',
    eval: { eval_id: 'e1', task: 'quiz', created: '2026-01-02T03:04:05Z' },
  };
  const attachments = { abcd: 'A long text' };
  const sample = {
    id: 1,
    epoch: 2,
    messages: [
      { role: 'user', content: 'attachment://abcd' },
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', reasoning: 'hm' },
          { type: 'text', text: 'ok' },
          { type: 'image', image: 'attachment://none' },
          { type: 'x' },
        ],
        tool_calls: [{ id: 't', function: 'ls', arguments: { a: 1 } }],
      },
      { role: 'tool', tool_call_id: 't', function: 'ls', content: 'no', error: { type: 'timeout' } },
      { odd: true },
    ],
    attachments,
    events: [{ event: 'state', timestamp: '2026-01-02T03:04:05Z' }],
    model_usage: { 'gpt-4o': { input_tokens: 10, output_tokens: 3, input_tokens_cache_read: 4 }, none: {} },
  };

  test.each([
    ['deflated', {}],
    ['stored', { method: 0, pack: (text) => Buffer.from(text) }],
    ['packed by Zstandard', { method: 93, pack: frame }],
    ['of the 64-bit kind', { isLarge: true }],
  ])('an evaluation that is %s is read sample by sample', async (_, options) => {
    const bytes = zip(
      { 'header.json': JSON.stringify(log), 'samples/1_epoch_2.json': JSON.stringify(sample) },
      options,
    );
    const result = await importTranscript(bytes, 'run.eval');
    expect(result).toMatchObject({ format: 'inspect', conversations: [{ id: 'e1_1_2', title: 'quiz 1' }] });
    expect(messages(result)).toEqual([
      { role: 'user', content: 'A long text' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'ok' },
          { type: 'image_url', image_url: { url: 'attachment://none' } },
          { type: 'x' },
        ],
        reasoning_content: 'hm',
        tool_calls: [{ id: 't', type: 'function', function: { name: 'ls', arguments: '{"a":1}' } }],
      },
      { role: 'tool', name: 'ls', content: 'no', tool_call_id: 't', error: { type: 'timeout' } },
    ]);
    expect(new MessageQuery(records(result)).toolSummary()).toMatchObject([{ calls: [{ isError: true }] }]);
    expect(new MessageQuery(records(result)).stats().usage).toMatchObject({
      inputTokens: 10,
      outputTokens: 3,
      cachedInputTokens: 4,
    });
  });

  test('one bad sample hides no other', async () => {
    const files = {
      '_journal/start.json': JSON.stringify({ eval: log.eval }),
      'samples/1.json': '{',
      'samples/2.json': JSON.stringify(sample),
      'samples/3.json': '['.repeat(1000),
    };
    const result = await importTranscript(zip(files), 'run.eval');
    expect(result.conversations).toHaveLength(1);
    expect(problems(result).map((text) => text.slice(0, 24))).toEqual([
      'error - samples/1.json: ',
      'error - samples/3.json n',
      expect.any(String),
    ]);
  });

  test.each<[string, Uint8Array, string]>([
    ['cut', zip({ 'header.json': '{}' }).subarray(0, 60), 'The archive has no directory; it is cut.'],
    [
      'of something else',
      zip({ 'word/document.xml': '<w/>' }),
      'This is an archive of a kind that is not known.',
    ],
    [
      'encrypted',
      zip({ 'header.json': '{}' }, { flags: 1 }),
      'header.json: It is encrypted; unpack the archive with its password first.',
    ],
    [
      'packed by a method that is not known',
      zip({ 'header.json': '{}' }, { method: 12, pack: (text) => Buffer.from(text) }),
      'The archive is packed by a method that is not known here (12).',
    ],
  ])('an archive that is %s is reported', async (_, bytes, message) => {
    expect(problems(await importTranscript(bytes, 'x.eval')).join()).toContain(message);
  });

  test('a transcript that the zstd program packed is read, and one that is damaged is reported', async () => {
    const packed = frame(JSON.stringify([{ role: 'user', content: 'hi' }]));
    const result = await importTranscript(packed, 'talk.jsonl.zst');
    expect([messages(result), problems(result)]).toEqual([[{ role: 'user', content: 'hi' }], []]);
    const cut = await importTranscript(packed.subarray(0, -3), 'talk.jsonl.zst');
    expect(problems(cut)).toEqual([
      'error - The file could not be unpacked: What Zstandard packed is damaged.',
    ]);
    const large = await importTranscript(packed, 'talk.jsonl.zst', { maxBytes: 30 });
    expect(problems(large).join()).toMatch(/longer than 30 bytes|unpacks to more than/);
  });

  describe('with several transcripts', () => {
    const talk = (content: string) => JSON.stringify([{ role: 'user', content }]);
    const claude = (content: string, more: object = {}) =>
      JSON.stringify({
        type: 'user',
        uuid: content,
        sessionId: 's1',
        message: { role: 'user', content },
        ...more,
      });

    test('gives the conversations of each, those of subagents in theirs', async () => {
      const files = {
        'logs/a.json': talk('first'),
        'logs/s1.jsonl': claude('second'),
        'logs/s1/subagents/agent-x.jsonl': claude('third', { isSidechain: true, agentId: 'x' }),
        '__MACOSX/logs/._a.json': 'junk',
      };
      const result = await importTranscript(zip(files), 'logs.zip');
      expect(result.format).toBe('chat-messages, claude-code');
      expect(result.conversations.map(({ id, title }) => [id, title])).toEqual([
        ['a', 'first'],
        ['s1', 'second'],
      ]);
      expect(JSON.stringify(result.conversations[1])).toContain('third');
      expect(problems(result)).toEqual([]);
    });

    test('tells which of them is none, and where one is damaged', async () => {
      const files = {
        'a.json': talk('first'),
        'package.json': '{"no":"talk"}',
        'b.jsonl': `${talk('x')}\n{"ro`,
      };
      const result = await importTranscript(zip(files), 'logs.zip');
      expect(result.conversations.map(({ id }) => id)).toEqual(['a', 'b']);
      expect(problems(result)).toEqual([
        'error 2 b.jsonl: The last line is cut.',
        'warning - package.json: This is no transcript of a kind that is known here; it was left out.',
      ]);
    });

    test('is read as far as its files together are no longer than what is read', async () => {
      const files = { 'a.json': talk('x'.repeat(400)), 'b.json': talk('y'.repeat(400)) };
      const result = await importTranscript(zip(files), 'logs.zip', { maxBytes: 700 });
      expect(result.conversations.map(({ id }) => id)).toEqual(['a']);
      expect(problems(result).join()).toMatch(/b\.json: It unpacks to more than \d+ bytes/);
    });
  });

  test('what the zstd program packed is unpacked, frame by frame', async () => {
    // {"id":1,"epoch":1,"messages":[{"role":"user","content":"la la …"}]}
    const packed = Buffer.from(
      'KLUv/SSb7QEAooMMEaDthR2DitnbWiMAkbmwgMpgk8yDsq6HbWFj8/C3Ha/fxe9y6HtR6V6WDLt9EPqjLgMCAEjdlG2LEi6lc5s=',
      'base64',
    );
    const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9]);
    const files = { 'header.json': JSON.stringify(log), 'samples/1.json': '' };
    const pack = (text: string) => (text === '' ? Buffer.concat([skipped, packed, frame(' ')]) : frame(text));
    const result = await importTranscript(zip(files, { method: 93, pack }), 'run.eval');
    expect(problems(result)).toEqual([]);
    expect(messages(result)).toEqual([{ role: 'user', content: Array(32).fill('la').join(' ') }]);
  });

  test.each<[string, Buffer, string]>([
    ['is cut', frame('{"messages":[]}').subarray(0, -3), 'samples/1.json: What Zstandard packed is damaged.'],
    [
      'is no Zstandard',
      Buffer.from('no Zstandard at all'),
      'samples/1.json: What Zstandard packed is damaged.',
    ],
    ['wants too much memory', frame('{}', 0xff), 'samples/1.json: A file in the archive wants'],
    ['unpacks to too much', repeated(2000), 'The archive unpacks to more than 200000 bytes'],
  ])('a sample that %s is reported, the others are read', async (_, bad, expected) => {
    const files = {
      'header.json': JSON.stringify(log),
      'samples/0.json': JSON.stringify(sample),
      'samples/1.json': 'bad',
    };
    const pack = (text: string) => (text === 'bad' ? bad : frame(text));
    const result = await importTranscript(zip(files, { method: 93, pack }), 'run.eval', {
      maxBytes: 200_000,
    });
    expect(problems(result).join()).toContain(expected);
    expect(messages(result)).toHaveLength(3);
  });

  test('an archive with lies in its directory is reported', async () => {
    const good = zip({ 'header.json': JSON.stringify(log) });
    for (let at = 0; at < good.length; at++) {
      const bad = Buffer.from(good);
      bad[at] = 0xff;
      expect((await importTranscript(bad, 'x.eval')).format).toBeTypeOf('string');
    }
  });

  const trajectory = (name: string, said: string, refersTo?: string) =>
    JSON.stringify({
      schema_version: 'ATIF-v1.7',
      session_id: name,
      agent: { name, version: '1' },
      steps: [
        {
          step_id: 1,
          source: 'agent',
          message: said,
          ...(refersTo !== undefined && {
            tool_calls: [{ tool_call_id: 't1', function_name: 'ask', arguments: {} }],
            observation: {
              results: [
                {
                  source_call_id: 't1',
                  content: 'done',
                  subagent_trajectory_ref: [{ trajectory_path: refersTo }],
                },
              ],
            },
          }),
        },
      ],
    });

  test('a bundle of trajectories is read, those of subagents inside the ones that refer to them', async () => {
    const files = {
      'manifest.json': '{"files":2}',
      'agent/trajectory.json': trajectory('Pickle', 'ask', './sub/cookie.json'),
      'agent/sub/cookie.json': trajectory('Cookie', 'deeper', 'agent/sub/crumb.json'),
      'agent/sub/crumb.json': trajectory('Crumb', 'crumbs'),
      'other.json': trajectory('Ginger', 'alone'),
    };
    const result = await importTranscript(zip(files), 'run.flightlog.zip');
    expect(result).toMatchObject({ format: 'atif', conversations: [{ id: 'Pickle' }, { id: 'Ginger' }] });
    const agents = records(result).flatMap((record) =>
      'message' in record ? [`${record.depth} ${record.agent}`] : [],
    );
    expect(agents).toEqual(['0 Pickle', '1 Cookie', '2 Crumb', '1 Cookie', '0 Pickle', '0 Ginger']);
    expect(problems(result)).toEqual([
      'warning - Not read, because they are no trajectories: manifest.json (1).',
    ]);
  });

  test('trajectories that refer to each other in a ring are all read, each once', async () => {
    const files = {
      'a.json': trajectory('A', 'a', 'b.json'),
      'b.json': trajectory('B', 'b', 'a.json'),
    };
    const result = await importTranscript(zip(files), 'ring.zip');
    expect(result.conversations.map(({ id }) => id)).toEqual(['A']);
    expect(messages(result)).toHaveLength(4);
  });

  test('a ring beside a trajectory with a beginning is read, also a ring of one', async () => {
    const files = {
      'b.json': trajectory('B', 'b', 'c.json'),
      'c.json': trajectory('C', 'c', 'b.json'),
      'main.json': trajectory('Main', 'main'),
      'self.json': trajectory('Self', 'self', 'self.json'),
      'x/self.json': trajectory('Other', 'other'),
    };
    const result = await importTranscript(zip(files), 'ring.zip');
    expect(result.conversations.map(({ id }) => id)).toEqual(['Main', 'Other', 'B', 'Self']);
    expect(messages(result)).toHaveLength(1 + 1 + 4 + 2);
  });

  test('files of the same name belong to what refers to them from their folder', async () => {
    const files = {
      't1/child.json': trajectory('First', 'one', './child.json'),
      't2/child.json': trajectory('Second', 'two'),
      't2/main.json': trajectory('Main2', 'ask', 'child.json'),
      't1/main.json': trajectory('Main1', 'ask', 'child.json'),
    };
    const result = await importTranscript(zip(files), 'twins.zip');
    const agents = result.conversations.map(({ records: each }) => [
      ...new Set(each.flatMap((record) => ('message' in record ? [record.agent] : []))),
    ]);
    expect(agents).toEqual([
      ['Main2', 'Second'],
      ['Main1', 'First'],
    ]);
  });

  test('an archive that unpacks to too much is read up to there, and says so once', async () => {
    const long = 'a'.repeat(4_000);
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`${index}.json`, trajectory(`T${index}`, long)]),
    );
    const result = await importTranscript(zip(files), 'bomb.zip', { maxBytes: 10_000 });
    expect(result.conversations.map(({ id }) => id)).toEqual(['T0', 'T1']);
    expect(problems(result)).toEqual([
      'error - The archive unpacks to more than 10000 bytes; 7 of its files were not read, the first of them 2.json.',
    ]);
    const logs = {
      'samples/1.json': JSON.stringify({ ...sample, long: long.repeat(3) }),
      'header.json': JSON.stringify(log),
    };
    const cut = await importTranscript(zip(logs), 'run.eval', { maxBytes: 10_000 });
    expect(cut.format).toBe('inspect');
    expect(problems(cut)[0]).toContain('unpacks to more than 10000 bytes; 1 of');
  });

  test('a log without samples is kept', async () => {
    const result = await importTranscript(JSON.stringify(log), 'x.json');
    expect(result).toMatchObject({ format: 'inspect', problems: [{ message: 'This log has no samples.' }] });
    expect(records(result)).toHaveLength(1);
  });
});
