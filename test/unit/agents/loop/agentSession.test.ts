import { expect, test } from 'vitest';
import { RunStop } from '../../../../src/agents/loop/runScope.js';
import { until } from '../../../support/manualTime.js';
import { anAgent, ask, aTeam, aTool, linesOf, use } from '../../../support/scriptedTeam.js';

test('a prompt is answered, and everything said is recorded in order', async () => {
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'Hello!' }] } });
  const result = await team.session.run('hi');
  expect(result).toMatchObject({ outcome: 'done', text: 'Hello!' });
  expect(linesOf(team.records)).toEqual([
    '0 Pickle callStart hi',
    '0 Pickle message system: You are Pickle.',
    '0 Pickle message user: hi',
    '0 Pickle request stop',
    '0 Pickle message assistant: Hello!',
    '0 Pickle callEnd done',
  ]);
});

test('a tool answers, and the model goes on with its answer', async () => {
  const team = aTeam(['Pickle'], {
    script: { Pickle: [use('time'), { expect: { role: 'tool', contains: 'noon' }, text: 'It is noon.' }] },
    tools: [aTool('time', () => 'noon')],
  });
  expect(await team.session.run('what time is it?')).toMatchObject({ outcome: 'done', text: 'It is noon.' });
  expect(linesOf(team.records).slice(3)).toEqual([
    '0 Pickle request tool_calls',
    '0 Pickle message assistant: time()',
    '0 Pickle message tool: noon',
    '0 Pickle request stop',
    '0 Pickle message assistant: It is noon.',
    '0 Pickle callEnd done',
  ]);
});

test('an agent asks another one, who begins with fresh messages and is shown once', async () => {
  const team = aTeam(['Pickle', 'Cookie'], {
    script: {
      Pickle: [ask('Cookie', 'bake', 'no nuts'), { text: 'Enjoy.' }],
      Cookie: [{ text: 'Done baking.' }],
    },
  });
  expect((await team.session.run('cake please')).text).toBe('Enjoy.');
  expect(team.model.requests[1]?.messages).toEqual([
    { role: 'system', content: 'You are Cookie.' },
    { role: 'user', content: 'bake\n\nContext: no nuts' },
  ]);
  expect(team.frontend.lines.filter((line) => !line.startsWith('tool'))).toEqual([
    'start Pickle Cookie bake',
    'result Pickle Cookie Done baking.',
    'text Pickle Enjoy.',
  ]);
  const sent = JSON.stringify(team.model.requests.at(-1)?.messages);
  expect(sent).toContain('session_id');
  expect(sent).not.toContain('You are Cookie.');
});

test('runs come one after another, and the second knows the first', async () => {
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'one', delayMs: 5 }, { text: 'two' }] } });
  expect(team.session.asHistory()).toBeUndefined();
  const [first, second] = await Promise.all([team.session.run('a'), team.session.run('b')]);
  expect([first.text, second.text]).toEqual(['one', 'two']);
  expect(team.session.get().map(({ content }) => content)).toEqual(['a', 'one', 'b', 'two']);
  expect(team.model.requests[1]?.messages.map(({ role }) => role)).toEqual([
    'system',
    'user',
    'assistant',
    'user',
  ]);
  expect(linesOf(team.records).filter((line) => line.includes('system'))).toHaveLength(1);
});

test('a call past the depth limit is refused before it starts', async () => {
  const team = aTeam(['A', 'B', 'C'], {
    maxDepth: 1,
    script: {
      A: [ask('B', 'x'), { text: 'end' }],
      B: [ask('C', 'y'), { expect: { role: 'tool', contains: 'limit is 1' }, text: 'ok' }],
    },
  });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done', text: 'end' });
  expect(linesOf(team.records)).toContain(
    '1 B dispatch C refused: B (depth 1) cannot dispatch C: its depth would be 2, the limit is 1.',
  );
});

test('where nobody says otherwise, agents call each other five levels deep and no deeper', async () => {
  const steps = (name: string) => [...Array.from({ length: 3 }, () => ask(name, 'x')), ...says(3)];
  const says = (count: number) => Array.from({ length: count }, () => ({ text: 'ok' }));
  const team = aTeam(['A', 'B'], { script: { A: steps('B'), B: steps('A') } });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done', text: 'ok' });
  const depths = team.records.filter(({ type }) => type === 'callStart').map(({ depth }) => depth);
  expect(depths).toEqual([0, 1, 2, 3, 4, 5]);
  expect(linesOf(team.records).join('\n')).toContain('its depth would be 6, the limit is 5.');
});

test('two tools of one name are refused before the model is asked', async () => {
  const twin = aTool('twin', () => 'x');
  const team = aTeam([anAgent('Pickle')], { tools: [twin, twin], script: { Pickle: [{ text: 'never' }] } });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'failed', error: { code: 'duplicateTool' } });
  expect(team.model.requests).toEqual([]);
});

test('a history from before is gone on with, made valid, its instructions not said again', async () => {
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'Still here.' }] } });
  team.session.update([
    { role: 'system', content: 'You are Pickle.' },
    { role: 'user', content: 'before' },
    { role: 'tool', tool_call_id: 'x', content: 'of nobody' },
  ]);
  expect(team.session.asHistory()).toEqual([{ role: 'user', content: 'before' }]);
  await team.session.run('after');
  expect(team.model.requests[0]?.messages).toEqual([
    { role: 'system', content: 'You are Pickle.' },
    { role: 'user', content: 'before' },
    { role: 'user', content: 'after' },
  ]);
  expect(linesOf(team.records).some((line) => line.includes('system'))).toBe(false);
});

test('instructions that have changed are said anew', async () => {
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'Yes.' }] } });
  team.session.update([{ role: 'system', content: 'You were somebody else.' }]);
  await team.session.run('go');
  expect(linesOf(team.records)).toContain('0 Pickle message system: You are Pickle.');
});

test('a run can have a configuration of its own', async () => {
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'one' }] } });
  const other = aTeam(['Pickle'], { script: { Pickle: [{ text: 'two' }] } });
  expect((await team.session.run('a', { config: { ...team.config, model: other.model } })).text).toBe('two');
  expect((await team.session.run('b')).text).toBe('one');
});

test('a record that fails fails its run and no later one', async () => {
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'fine' }] } });
  const broken = {
    record: () => {
      throw new Error('no door');
    },
  };
  const first = team.session.run('a', { config: { ...team.config, messageLog: broken } });
  const second = team.session.run('b');
  expect(team.session.pending).toBe(2);
  await expect(first).rejects.toThrow('no door');
  expect((await second).text).toBe('fine');
  expect(team.session.pending).toBe(0);
});

test('a run that is stopped while it waits for its turn ends at once, and is recorded in its turn', async () => {
  const controller = new AbortController();
  let answer: ((text: string) => void) | undefined;
  const slow = aTool('slow', () => new Promise<string>((resolve) => (answer = resolve)));
  const script = { Pickle: [use('slow'), { text: 'one' }, { text: 'three' }] };
  const team = aTeam(['Pickle'], { script, tools: [slow] });
  const first = team.session.run('a');
  const second = team.session.run('b', { signal: controller.signal });
  const third = team.session.run('c');
  await until(() => answer !== undefined);
  controller.abort();
  const stopped = await second;
  expect(stopped).toMatchObject({ outcome: 'cancelled', error: { code: 'cancelled' }, text: '' });
  expect(team.session.pending).toBe(3);
  answer?.('ok');
  expect([(await first).text, (await third).text]).toEqual(['one', 'three']);
  const ends = team.records.filter(({ type, depth }) => type === 'callEnd' && depth === 0);
  expect(ends.map(({ run }) => run)).toEqual([(await first).run, stopped.run, (await third).run]);
  expect(ends[1]).toMatchObject({ call: stopped.call, outcome: 'cancelled' });
  expect(team.session.get().map(({ content }) => content)).toEqual([
    'a',
    null,
    'ok',
    'one',
    'b',
    'c',
    'three',
  ]);
});

test('a run that is told why it is stopped while it waits says so', async () => {
  const controller = new AbortController();
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'one', delayMs: 5 }] } });
  const first = team.session.run('a');
  const second = team.session.run('b', { signal: controller.signal });
  controller.abort(new RunStop('store', 'Nothing more can be kept.'));
  const error = { code: 'store', message: 'Nothing more can be kept.' };
  expect(await second).toMatchObject({ outcome: 'limited', error });
  await first;
});

test('what was given to a session or got from it can be changed without changing the session', async () => {
  const team = aTeam(['Pickle'], { script: { Pickle: [{ text: 'one' }, { text: 'two' }] } });
  const given = [{ role: 'user' as const, content: 'before' }];
  team.session.update(given);
  given[0]!.content = 'changed';
  await team.session.run('go');
  for (const got of [team.session.get(), team.session.asHistory()] as unknown as { content: string }[][]) {
    for (const message of got) message.content = 'changed';
    got.length = 1;
  }
  await team.session.run('on');
  const sent = team.model.requests.map(({ messages }) => messages.map(({ content }) => content));
  expect(sent[1]).toEqual(['You are Pickle.', 'before', 'go', 'one', 'on']);
  expect(team.session.get()).toHaveLength(5);
});

test('a history that is replaced during a run is the one that the next run goes on from', async () => {
  let answer: ((text: string) => void) | undefined;
  const slow = aTool('slow', () => new Promise<string>((resolve) => (answer = resolve)));
  const team = aTeam(['Pickle'], {
    script: { Pickle: [use('slow'), { text: 'one' }, { text: 'two' }] },
    tools: [slow],
  });
  const run = team.session.run('go');
  await until(() => answer !== undefined);
  team.session.update([{ role: 'user', content: 'Only this.' }]);
  answer?.('ok');
  await run;
  expect(team.session.get()).toEqual([{ role: 'user', content: 'Only this.' }]);
  await team.session.run('on');
  expect(
    team.model.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ content }) => content),
  ).toEqual(['Only this.', 'on']);
});

test('a model that is missing is a failure that is recorded with the prompt', async () => {
  const resolveModel = async () => ({ code: 'noModel', message: 'There is no gone.' });
  const team = aTeam([anAgent('Pickle', { models: ['gone'] })], { resolveModel });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'failed', error: { code: 'noModel' } });
  expect(linesOf(team.records)).toEqual([
    '0 Pickle callStart go',
    '0 Pickle message system: You are Pickle.',
    '0 Pickle message user: go',
    '0 Pickle error runtime noModel: There is no gone.',
    '0 Pickle callEnd failed: There is no gone.',
  ]);
});

test('tools that cannot be given are a failure', async () => {
  const team = aTeam(['Pickle'], {
    toolsFor: () => {
      throw new Error('no tools today');
    },
  });
  const error = { code: 'notReady', message: 'Pickle cannot be called: no tools today' };
  expect(await team.session.run('go')).toMatchObject({ outcome: 'failed', error });
});
