import { expect, test } from 'vitest';
import { settle } from '../../../support/manualTime.js';
import { aTeam, aTool, ask, linesOf, said, three, use } from '../../../support/scriptedTeam.js';

test('a message cut at its length runs no tool, however whole its arguments look', async () => {
  let ran = 0;
  const steps = [
    { toolCalls: [{ name: 'count', arguments: {} }], finish: 'length' },
    { text: 'Shorter now.' },
  ];
  const { lines, result } = await said(steps, [aTool('count', () => String(++ran))]);
  expect(ran).toBe(0);
  expect(lines.slice(0, 2)).toEqual([
    '0 Pickle message assistant [length]: count()',
    '0 Pickle message tool [error]: Not run: the message was cut at its length limit. Say less at once.',
  ]);
  expect(result.outcome).toBe('done');
});

test('an answer that breaks off runs no tool, is recorded as partial, and can be gone on with', async () => {
  let ran = 0;
  const { team, lines, result } = await said(
    [{ text: 'I will', toolCalls: [{ name: 'count' }], error: { message: 'broke off' } }, { text: 'Again.' }],
    [aTool('count', () => String(++ran))],
  );
  expect(ran).toBe(0);
  expect(result).toMatchObject({ outcome: 'failed', text: 'I will', error: { message: 'broke off' } });
  expect(lines).toEqual([
    '0 Pickle message assistant [error]: count() I will',
    '0 Pickle message tool [error]: Not run: the message that called it broke off.',
    '0 Pickle error model scripted: broke off',
    '0 Pickle callEnd failed: broke off',
  ]);
  expect(await team.session.run('go on')).toMatchObject({ outcome: 'done', text: 'Again.' });
});

test('an answer cut at its length ends the call as limited, with what was said', async () => {
  const { result } = await said([{ text: 'Once upon', finish: 'length' }], []);
  expect(result).toMatchObject({ outcome: 'limited', text: 'Once upon', error: { code: 'length' } });
});

test('an answer that the provider withholds is a failure', async () => {
  const { result } = await said([{ text: '', reasoning: 'hm', finish: 'content_filter' }], []);
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'contentFilter' } });
});

test('a message of which the provider withholds a part runs no tool', async () => {
  let ran = 0;
  const steps = [{ toolCalls: [{ name: 'count', arguments: {} }], finish: 'content_filter' }];
  const { lines, result } = await said(steps, [aTool('count', () => String(++ran))]);
  expect(ran).toBe(0);
  expect(lines[1]).toBe(
    '0 Pickle message tool [error]: Not run: the provider withheld a part of the message.',
  );
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'contentFilter' } });
});

test('an answer without a word is an answer', async () => {
  const { result, team } = await said([{ text: '' }, { text: 'Now.' }], []);
  expect(result).toMatchObject({ outcome: 'done', text: '' });
  expect(await team.session.run('and?')).toMatchObject({ text: 'Now.' });
  expect(team.model.requests[1]?.messages.at(-2)).toEqual({ role: 'assistant', content: '(no answer)' });
});

test('reasoning is recorded and shown', async () => {
  const { team } = await said([{ reasoning: 'Cucumbers?', text: 'Yes.' }], []);
  const answer = team.records.find(
    (record) => record.type === 'message' && record.message.role === 'assistant',
  );
  expect(answer).toMatchObject({
    message: { reasoning_content: 'Cucumbers?', content: 'Yes.' },
    model: 'script/test',
  });
  expect(team.events.some((event) => event.type === 'reasoningDelta')).toBe(true);
});

test('calls without or with the same id get ids of their own, and each its answer', async () => {
  const same = { name: 'time', id: 'x' };
  const steps = [
    { toolCalls: [same, { ...same, arguments: { a: 1 } }, { name: 'time', arguments: { a: 2 } }] },
    { toolCalls: [{ ...same, arguments: { a: 3 } }] },
    { text: 'ok' },
  ];
  const { team } = await said(steps, [aTool('time', () => 'noon')]);
  const ids = team.records.flatMap((record) =>
    record.type === 'message' ? (record.message.tool_calls ?? []).map(({ id }) => id) : [],
  );
  expect(ids[0]).toBe('x');
  expect(new Set(ids).size).toBe(4);
  const answers = team.records.flatMap((record) =>
    record.type === 'message' && record.message.role === 'tool' ? [record.message.tool_call_id] : [],
  );
  expect(answers).toEqual(ids);
});

test('a tool knows its call, can record and has its own signal', async () => {
  const seen: object[] = [];
  const curious = aTool('curious', (_, context) => {
    const { call, toolCallId, frontend, signal } = context;
    context.record({ ...call, type: 'title', title: 'Found' });
    seen.push({ depth: call.depth, agent: call.agent, toolCallId, frontend, aborted: signal.aborted });
    return 'ok';
  });
  const { team, lines } = await said(
    [{ toolCalls: [{ name: 'curious', id: 'c1' }] }, { text: 'ok' }],
    [curious],
  );
  expect(seen).toEqual([
    { depth: 0, agent: 'Pickle', toolCallId: 'c1', frontend: team.frontend, aborted: false },
  ]);
  expect(lines).toContain('0 Pickle title Found');
});

test('the frontend sees what tools do, the record what they took', async () => {
  const { team } = await said(
    [use('time', { zone: 'UTC' }), { text: 'Noon.' }],
    [aTool('time', () => 'noon')],
  );
  expect(team.frontend.lines[0]).toBe('tool Pickle time start {"zone":"UTC"}');
  expect(team.frontend.lines[1]).toMatch(/^tool Pickle time end \d+ ms$/);
  const answer = team.records.find((record) => record.type === 'message' && record.message.role === 'tool');
  expect(answer).toMatchObject({
    toolName: 'time',
    isError: false,
    durationMs: expect.any(Number) as number,
  });
});

test('a frontend and a listener that fail hurt nothing', async () => {
  const fail = () => {
    throw new Error('broken');
  };
  const broken = new Proxy({}, { get: () => async () => Promise.reject(new Error('broken')) }) as never;
  const team = aTeam(['Pickle', 'Cookie'], {
    frontend: broken,
    onEvent: fail,
    script: { Pickle: [ask('Cookie', 'x'), { text: 'ok' }], Cookie: [{ text: 'done' }] },
  });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done', text: 'ok' });
  expect(team.log.lines.some((line) => line.includes('A frontend failed: broken'))).toBe(true);
});

test('verbosity decides what is shown and never what is recorded', async () => {
  const shown = await Promise.all(
    ([0, 1, 2] as const).map(async (verbosity) => {
      const script = { Pickle: [{ reasoning: 'hm', ...use('time') }, { text: 'ok' }] };
      const team = aTeam(['Pickle'], { verbosity, script, tools: [aTool('time', () => 'noon')] });
      await team.session.run('go');
      return { types: [...new Set(team.events.map(({ type }) => type))], lines: linesOf(team.records) };
    }),
  );
  expect(shown.map(({ types }) => types)).toEqual([
    ['runStart', 'said', 'textDelta', 'runEnd'],
    ['runStart', 'said', 'toolStart', 'toolEnd', 'textDelta', 'runEnd'],
    ['runStart', 'reasoningDelta', 'said', 'toolStart', 'toolEnd', 'textDelta', 'runEnd'],
  ]);
  expect(shown[0]?.lines).toEqual(shown[2]?.lines);
});

const tooLong = { error: { message: 'too long', code: 'contextLength', status: 400 } };

test('a history that the model cannot read whole is halved, and the record stays whole and says so', async () => {
  const long = aTool('long', ({ n }) => `${String(n)} ${'x'.repeat(500)}`);
  const steps = [
    use('long', { n: 1 }),
    use('long', { n: 2 }),
    use('long', { n: 3 }),
    tooLong,
    { text: 'Got it.' },
  ];
  const { team, lines, result } = await said(steps, [long]);
  expect(result).toMatchObject({ outcome: 'done', text: 'Got it.' });
  expect(lines).toContain(
    "0 Pickle error model compacted: Pickle's model cannot read so much: it is no longer sent 4 earlier messages. The record keeps them.",
  );
  expect(team.records.find(({ type }) => type === 'error')).toMatchObject({ dropped: 4 });
  expect(team.records.find(({ type }) => type === 'callStart')).toMatchObject({
    tools: ['long'],
    toolTokens: [expect.toSatisfy((tokens: number) => tokens > 10)],
  });
  expect(team.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'user',
    'assistant',
    'tool',
  ]);
  expect(
    team.records.filter((record) => record.type === 'message' && record.message.role === 'tool'),
  ).toHaveLength(3);
});

test('a history that cannot be shorter is a failure', async () => {
  const { result, team } = await said([tooLong], []);
  expect(result).toMatchObject({ outcome: 'failed', error: { code: 'contextLength' } });
  expect(team.model.requests).toHaveLength(1);
});

test('limits that make no sense do no harm', async () => {
  const limits = { toolsAtOnce: 0, toolMs: Infinity, runMs: 1e15 };
  const { result } = await said(
    [three('t'), { text: 'ok' }],
    [aTool('t', () => settle().then(() => 'x'))],
    limits,
  );
  expect(result.outcome).toBe('done');
});
