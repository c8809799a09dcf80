import { describe, expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { expectSaid, lines, query, records, said, usage } from './reading.js';

describe('Codex', () => {
  const item = (payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type: 'response_item', payload });
  const event = (payload: object) => ({ timestamp: '2026-01-01T00:00:01Z', type: 'event_msg', payload });
  const meta = { type: 'session_meta', payload: { id: 'c1', agent_nickname: 'Dexter' } };
  const count = (input: number, output: number) =>
    event({
      type: 'token_count',
      info: { total_token_usage: { ...usage(input, output), cached_input_tokens: input / 2 } },
    });

  test.each([
    ['with the total of the thread', true],
    ['without', false],
  ])('a request that is told by itself and by the total counts once, %s', async (_, hasTotal) => {
    const request = (id: string, own: object, total: object) => ({
      timestamp: '2026-01-01T00:00:01Z',
      type: 'token_usage_record',
      payload: { response_id: id, usage: own, ...(hasTotal && { thread_token_usage: total }) },
    });
    const say = (text: string) =>
      item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
    const result = await importTranscript(
      lines(
        meta,
        say('one'),
        request('r1', usage(100, 10), usage(100, 10)),
        count(100, 10),
        // Either may come first.
        ...[say('two'), count(250, 15), request('r2', usage(150, 5), usage(250, 15))].slice(
          0,
          hasTotal ? 3 : 1,
        ),
        ...(hasTotal ? [] : [request('r2', usage(150, 5), {}), count(250, 15)]),
      ),
      'rollout',
    );
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 250, outputTokens: 15 });
  });

  test('items are messages, events repeat them, and costs are what totals grow by', async () => {
    const result = await expectSaid(
      [
        meta,
        { type: 'turn_context', payload: { model: 'gpt-5' } },
        item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }),
        event({ type: 'user_message', message: 'hi' }),
        item({ type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }),
        item({
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'ok', annotations: [] }],
        }),
        item({ type: 'function_call', name: 'shell', arguments: '{"a":1}', call_id: 'f1' }),
        item({ type: 'custom_tool_call', name: 'patch', input: 'text', call_id: 'f2' }),
        item({ type: 'function_call_output', call_id: 'f1', output: 'done' }),
        item({
          type: 'custom_tool_call_output',
          call_id: 'f2',
          output: [{ type: 'input_text', text: 'patched' }],
        }),
        item({ type: 'local_shell_call', call_id: 'f3', action: { command: ['ls'] } }),
        count(100, 10),
        count(100, 10),
        count(250, 15),
        count(20, 5),
        event({ type: 'brand_new' }),
        item({ type: 'odd_thing' }),
        item({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'the end' }] }),
      ],
      'codex',
      [
        'user: hi',
        'assistant: ok shell({"a":1}) patch(text)',
        'tool f1: done',
        'tool f2: patched',
        'assistant: null local_shell({"action":{"command":["ls"]}})',
        'assistant: null',
      ],
      [
        'Kept without being understood: events of type brand_new (once).',
        'Kept without being understood: lines of type odd_thing (once).',
      ],
    );
    expect(result.conversations[0]).toMatchObject({ id: 'c1', title: 'hi' });
    expect(query(result).stats()).toMatchObject({
      usage: { inputTokens: 270, outputTokens: 20, cachedInputTokens: 135 },
      byAgent: { Dexter: { totalMessages: 6 } },
    });
    expect(
      records(result).find(
        (record) => 'message' in record && 'reasoning_content' in (record.message as object),
      ),
    ).toMatchObject({ model: 'gpt-5', message: { reasoning_content: 'hm' } });
  });

  test('where there are no items, events are the messages', async () => {
    await expectSaid(
      [
        meta,
        event({ type: 'user_message', message: 'hi' }),
        event({ type: 'agent_message', message: 'ok' }),
        event({ type: 'turn.completed', usage: usage(3, 1) }),
      ],
      'codex',
      ['user: hi', 'assistant: ok'],
    );
  });

  test('items without an envelope are read as well', async () => {
    await expectSaid(
      [
        meta,
        { type: 'message', role: 'user', content: 'hi' },
        { role: 'assistant', content: 'ok' },
        { type: 'function_call', name: 'ls', call_id: '1' },
      ],
      'codex',
      ['user: hi', 'assistant: ok ls({})'],
    );
  });

  const said1 = (role: string, words: string) =>
    item({
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text: words }],
    });
  const thread = (id: string, more: object = {}) => ({ type: 'session_meta', payload: { id, ...more } });
  const turn = (id: string) => ({ type: 'turn_context', payload: { turn_id: id, model: 'gpt-5' } });
  const spawn = (callId: string, task: string) =>
    item({
      type: 'function_call',
      name: 'spawn_agent',
      call_id: callId,
      arguments: JSON.stringify({ message: task }),
    });
  const rollout = (name: string, ...values: object[]) => ({
    name: `rollout-${name}.jsonl`,
    source: lines(...values),
  });

  test.each([
    [
      'by the event that tells of its start',
      event({
        type: 'collab_agent_spawn_end',
        call_id: 's1',
        new_thread_id: 'c2',
        new_agent_nickname: 'Ada',
        prompt: 'look',
      }),
      item({ type: 'function_call_output', call_id: 's1', output: 'started' }),
    ],
    [
      'by the result that names it',
      event({ type: 'task_started' }),
      item({ type: 'function_call_output', call_id: 's1', output: '{"agent_id":"c2"}' }),
    ],
  ])('a subagent stands inside the call that started it: %s', async (_, told, output) => {
    const main = lines(
      thread('c1'),
      turn('t1'),
      said1('user', 'go'),
      spawn('s1', 'look'),
      told,
      output,
      said1('assistant', 'Done.'),
    );
    const child = rollout(
      'c2',
      thread('c2', { agent_nickname: 'Ada' }),
      turn('t2'),
      said1('user', 'look'),
      spawn('s2', 'deeper'),
      item({ type: 'function_call_output', call_id: 's2', output: '{"agent_id":"c3"}' }),
      said1('assistant', 'found'),
    );
    const grandchild = rollout(
      'c3',
      thread('c3', {
        source: { subagent: { thread_spawn: { parent_thread_id: 'c2', agent_role: 'digger' } } },
      }),
      said1('user', 'deeper'),
    );
    const result = await importTranscript(main, 'rollout-c1.jsonl', { sidecars: [grandchild, child] });
    expect(result.conversations).toHaveLength(1);
    expect(said(result)).toEqual([
      'user: go',
      'assistant: null spawn_agent({"message":"look"})',
      'user: look',
      'assistant: null spawn_agent({"message":"deeper"})',
      'user: deeper',
      'tool s2: {"agent_id":"c3"}',
      'assistant: found',
      'tool s1: ' + (output.payload as { output: string }).output,
      'assistant: Done.',
    ]);
    const depths = records(result).flatMap((record) =>
      record.type === 'dispatch' ? [`${record.depth} ${record.target as string}`] : [],
    );
    expect(depths).toEqual(['0 Ada', '1 digger']);
  });

  test('what a subagent repeats of its parent is there once, and cost once', async () => {
    const before = [turn('t1'), said1('user', 'go'), said1('assistant', 'ok'), count(100, 10)];
    const main = lines(thread('c1'), ...before, turn('t2'), count(150, 20));
    const child = rollout(
      'c2',
      thread('c2', { parent_thread_id: 'c1' }),
      thread('c1'),
      ...before,
      turn('t9'),
      said1('user', 'look'),
      count(130, 15),
    );
    const result = await importTranscript(main, 'rollout-c1.jsonl', { sidecars: [child] });
    expect(said(result)).toEqual(['user: go', 'assistant: ok', 'user: look']);
    expect(query(result).stats().usage).toMatchObject({ inputTokens: 180, outputTokens: 25 });
    expect(result.problems.map(({ message }) => message)).toEqual([
      "A subagent's rollout repeats 5 lines of its parent; they were left out.",
    ]);
  });

  describe('a fork without the session that it repeats', () => {
    const FORKED = '2026-03-01T10:00:00.000Z';
    /** An id as Codex makes them, from a time on the day of the fork. */
    const idAt = (time: string) => {
      const digits = Date.parse(`2026-03-01T${time}Z`).toString(16).padStart(12, '0');
      return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
    };
    const [parent, child] = [idAt('09:00:00'), idAt('10:00:00')];
    /** A session whose lines were written at these times: two turns of the parent, and one of its own. */
    const fork = (about: object, repeatedAt: string, turns: readonly [string, string, string]) => {
      const stamped = (timestamp: string, ...values: object[]) =>
        values.map((value) => ({ ...value, timestamp }));
      const [first, second, own] = turns;
      return lines(
        ...stamped(FORKED, thread(child, about), thread(parent)),
        ...stamped(repeatedAt, turn(first), said1('user', 'go'), said1('assistant', 'ok'), count(9_000, 900)),
        ...stamped(
          repeatedAt,
          turn(second),
          said1('user', 'on'),
          said1('assistant', 'so'),
          count(20_000, 950),
        ),
        ...stamped('2026-03-01T10:01:00Z', turn(own), said1('user', 'and now?'), said1('assistant', 'now')),
        ...stamped('2026-03-01T10:01:09Z', count(20_130, 965)),
      );
    };
    const plain = ['t1', 't2', 't3'] as const;
    const dated = [idAt('09:00:01'), idAt('09:30:00'), idAt('10:00:59')] as const;

    test.each([
      ['by its metadata, written down at once', { forked_from_id: parent }, FORKED, plain],
      ['by its metadata, written down slowly', { forked_from_id: parent }, '2026-03-01T10:00:08Z', dated],
      ["as a subagent, with its parent's metadata", { parent_thread_id: parent }, FORKED, plain],
      ["with nothing but its parent's metadata", {}, '2026-03-01T10:00:08Z', dated],
    ] as const)('counts its own tokens once: %s', async (_, about, repeatedAt, turns) => {
      const result = await importTranscript(fork(about, repeatedAt, turns), `rollout-${child}.jsonl`);
      expect(query(result).stats().usage).toMatchObject({ inputTokens: 130, outputTokens: 15 });
      expect(said(result)).toEqual([
        'user: go',
        'assistant: ok',
        'user: on',
        'assistant: so',
        'user: and now?',
        'assistant: now',
      ]);
      expect(result.conversations[0]?.facts).toEqual({ 'Forked from': parent });
      expect(result.problems.map(({ message }) => message)).toEqual([
        `This session repeats the beginning of ${parent}, from which it was forked: what was said there is kept, what it cost is left out (token counts: 2).`,
      ]);
    });

    /** A fork whose turns have ids without a date, of which copying took three seconds. */
    const slowly = (about: object) => {
      let at = Date.parse(FORKED);
      const after = (milliseconds: number, value: object) => {
        at += milliseconds;
        return { ...value, timestamp: new Date(at).toISOString() };
      };
      const head = [after(0, thread(child, about)), after(0, thread(parent))];
      const copied = Array.from({ length: 1_000 }, (_, index) => [
        after(1, turn(`t${index}`)),
        after(1, said1('user', 'go')),
        after(1, said1('assistant', 'ok')),
        after(0, count(9_000 * (index + 1), 900 * (index + 1))),
      ]).flat();
      const call = item({ type: 'function_call', name: 'ls', arguments: '{}', call_id: 'c1' });
      const result = item({ type: 'function_call_output', call_id: 'c1', output: 'flour' });
      return lines(
        ...head,
        ...copied,
        after(40_000, turn('own')),
        after(0, said1('user', 'and now?')),
        after(900, call),
        // A tool that is quick gives its result before the tokens of the request that called it are counted.
        after(5, result),
        after(1, count(9_000_130, 900_015)),
        after(700, said1('assistant', 'now')),
        after(1, count(9_000_300, 900_025)),
      );
    };

    test.each([{ forked_from_id: parent }, {}])(
      'counts its own tokens once, however long copying took: %j',
      async (about) => {
        const result = await importTranscript(slowly(about), `rollout-${child}.jsonl`);
        expect(query(result).stats().usage).toMatchObject({ inputTokens: 300, outputTokens: 25 });
        expect(result.problems.map(({ message }) => message).join()).toContain('(token counts: 1000)');
      },
    );

    test('a session of its own counts all that it used, however soon', async () => {
      const whole = fork({}, FORKED, plain).replaceAll(parent, child);
      const result = await importTranscript(whole, `rollout-${child}.jsonl`);
      expect(query(result).stats().usage).toMatchObject({ inputTokens: 20_130, outputTokens: 965 });
      expect(result.problems).toEqual([]);
    });
  });

  test('rollouts without an id of their own are all read', async () => {
    const nameless = (words: string) =>
      rollout(words, thread('', { parent_thread_id: 'c1' }), said1('user', words));
    const main = lines(thread('c1'), said1('user', 'go'));
    const sidecars = [nameless('one'), nameless('two')];
    const result = await importTranscript(main, 'rollout-c1.jsonl', { sidecars });
    expect(said(result)).toEqual(['user: go', 'user: one', 'user: two']);
    expect(result.problems).toEqual([]);
  });

  test('a rollout of somebody else that lies beside it is left alone, and told of', async () => {
    const other = rollout('c9', thread('c9'), said1('user', 'not mine'));
    const result = await importTranscript(lines(thread('c1'), said1('user', 'go')), 'rollout-c1.jsonl', {
      sidecars: [other],
    });
    expect(said(result)).toEqual(['user: go']);
    expect(result.problems).toEqual([
      {
        severity: 'warning',
        message: `Not read, because nothing in this session began them: ${other.name} (1).`,
      },
    ]);
  });
});

describe('the first versions of Codex', () => {
  const header = { id: 'old', timestamp: '2025-04-20T10:00:00Z', instructions: 'Be brief, please.' };
  const items = [
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'list the files' }] },
    { type: 'function_call', name: 'shell', arguments: '{"command":["ls"]}', call_id: 'c1' },
    { type: 'function_call_output', call_id: 'c1', output: 'a listing' },
  ];

  test.each([
    ['lines without an envelope', lines(header, { record_type: 'state' }, ...items)],
    ['one object', JSON.stringify({ session: header, items })],
  ])('are read: %s', async (_what, text) => {
    const result = await importTranscript(text, 'rollout.json');
    expect(result).toMatchObject({ format: 'codex', conversations: [{ id: 'old' }], problems: [] });
    expect(said(result)).toEqual([
      'user: list the files',
      'assistant: null shell({"command":["ls"]})',
      'tool c1: a listing',
    ]);
  });
});
