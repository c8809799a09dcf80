import { describe, expect, test } from 'vitest';
import { stateOf } from '../../../src/capture/discovery/sessionState.js';
import { LifeReader } from '../../../src/import/tools/life.js';
import type { ToolId } from '../../../src/import/toolHomes.js';
import {
  calls,
  CLAUDE,
  homeOf,
  MINUTE,
  REGISTRY,
  registered,
  result,
  SECOND,
  T0,
  user,
  words,
} from '../../support/livingSession.js';

describe('what others took for something else', () => {
  test('1: words about waiting while an agent works that it started', async () => {
    const { say, put, brief, after } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake'), calls('t', 'Agent', { prompt: 'Bake' }), result('t'));
    await say(words('I will wait for its completion. Shall I tell you then?'));
    after(MINUTE);
    await put('.claude/projects/-w/s1/subagents/agent-1.jsonl', '{}\n');
    expect(await brief()).toBe('working children record');
  });

  test('2: the turn is over and agents work on', async () => {
    const { say, put, brief, after } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake'), words('Begun.'));
    after(SECOND);
    await put('.claude/projects/-w/s1/subagents/agent-1.jsonl', '{}\n');
    await put(REGISTRY, registered('idle', T0 + SECOND));
    expect(await brief()).toBe('working children record');
    // Its last words may never say that they are.
    after(4 * MINUTE);
    expect(await brief()).toBe('finished registry');
  });

  test("2: Codex's agents have files of their own", async () => {
    const [one, two] = ['1', '2'].map((digit) => `${digit.repeat(8)}-1111-1111-1111-111111111111`);
    const at = (id = '') => `.codex/sessions/2026/11/20/rollout-2026-11-20T10-00-00-${id}.jsonl`;
    const { say, add, brief, after, states } = await homeOf('codex', at(one));
    await say(
      { type: 'session_meta', payload: { id: one, cwd: '/w' } },
      { type: 'event_msg', payload: { type: 'task_started' } },
      { type: 'event_msg', payload: { type: 'task_complete' } },
    );
    after(SECOND);
    await add(at(two), { type: 'session_meta', payload: { id: two, parent_thread_id: one } });
    await add(at(two), { type: 'event_msg', payload: { type: 'task_started' } });
    expect(await brief()).toBe('working children record');
    expect((await states()).map(({ id, state }) => [id, state.isChild])).toEqual(
      expect.arrayContaining([
        [one, false],
        [two, true],
      ]),
    );
  });

  test('3: what an agent does that it started clears nothing of its own', async () => {
    const { say, brief } = await homeOf('claude-code', CLAUDE);
    const side = { isSidechain: true, agentId: 'a1' };
    await say(user('Bake'), calls('q', 'AskUserQuestion'));
    await say(calls('t', 'Bash', {}, side), result('t', side), words('Done.', 'end_turn', side));
    expect(await brief()).toBe('waiting question record');
    await say(result('q'));
    expect(await brief()).toBe('working record');
  });

  test('4: a long command', async () => {
    const { say, state, after } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake'), calls('t', 'Bash', { command: 'sleep 3000' }));
    after(50 * MINUTE);
    expect(await state()).toMatchObject({ state: 'working', source: 'record', quiet: 50 * MINUTE });
    expect((await state()).marks).toEqual([{ kind: 'stalled', source: 'silence' }]);
  });

  test.each<[ToolId, string, object[]]>([
    [
      'pi',
      '.pi/agent/sessions/--w--/1.jsonl',
      [{ type: 'message', message: { role: 'assistant', stopReason: 'stop', content: [] } }],
    ],
    [
      'cursor',
      '.cursor/projects/w/agent-transcripts/1/1.jsonl',
      [{ role: 'assistant', message: { content: [{ type: 'tool_use', name: 'Shell' }] } }],
    ],
  ])('5: the end of a turn, and a command that nobody asks about (%s)', async (tool, path, lines) => {
    const { say, state } = await homeOf(tool, path);
    await say(...lines);
    expect((await state()).state).not.toBe('waiting');
  });

  test('6: of two questions at once one is answered', async () => {
    const { say, brief } = await homeOf('copilot-cli', '.copilot/session-state/333/events.jsonl');
    const ask = (id: string) => ({ type: 'permission.requested', data: { requestId: id } });
    const told = (id: string) => ({ type: 'permission.completed', data: { requestId: id } });
    await say({ type: 'user.message', data: { content: 'Bake' } }, ask('1'), ask('2'), told('1'));
    expect(await brief()).toBe('waiting approval record');
    await say(told('2'));
    expect(await brief()).toBe('working record');
  });

  test('7: what an earlier call said comes after a question', async () => {
    const { say, brief } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake'), calls('t', 'Bash'), calls('q', 'AskUserQuestion'), result('t'));
    expect(await brief()).toBe('waiting question record');
  });

  test('7: of an ask without a name, what is older than it', () => {
    const life = new LifeReader();
    life.take({ kind: 'ask', for: 'approval', at: T0 });
    life.take({ kind: 'step', at: T0 - SECOND });
    expect(life.life?.asks).toHaveLength(1);
    life.take({ kind: 'step', at: T0 + SECOND });
    expect(life.life?.asks).toHaveLength(0);
  });

  test('8: a process that is gone, or another one of its number', async () => {
    const { say, put, state, after } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake'), calls('q', 'AskUserQuestion'));
    after(MINUTE);
    await put(REGISTRY, registered('waiting', T0, { procStart: '1' }));
    expect(await state()).toMatchObject({ state: 'gone', source: 'registry', isLive: false });
    // One that writes is there, wherever its processes are.
    await say(result('q'));
    expect(await state()).toMatchObject({ state: 'working', source: 'record' });
  });

  test('8: the notes of a process that nobody can look up are believed for half a day', () => {
    const of = { id: 's', pid: 1, started: '', status: 'waiting', since: T0 } as const;
    const live = (now: number) =>
      stateOf({ changed: T0, life: undefined, registered: of, process: 'unknown' }, now).isLive;
    expect([live(T0 + MINUTE), live(T0 + 13 * 60 * MINUTE)]).toEqual([true, false]);
  });

  test('8: a question by a clock that is ahead is asked since it was written', async () => {
    const { say, state } = await homeOf('claude-code', CLAUDE);
    const timestamp = new Date(T0 + 60 * MINUTE).toISOString();
    await say(user('Bake'), calls('q', 'AskUserQuestion', {}, { timestamp }));
    expect(await state()).toMatchObject({ state: 'waiting', since: T0 });
  });

  test('9: a question that was answered is none, and the same question keeps its time', async () => {
    const { say, state, after, put, now } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake'), calls('q', 'AskUserQuestion'));
    after(MINUTE);
    expect((await state()).since).toBe(T0);
    await put(REGISTRY, registered('busy', now()));
    // The list says so before the line of the answer comes.
    expect(await state()).toMatchObject({ state: 'working', source: 'registry' });
  });

  test('11: what is written without that anybody is told', async () => {
    const { say, brief } = await homeOf('claude-code', CLAUDE);
    await say(user('Bake'));
    expect(await brief()).toBe('working record');
    await say(words('Baked.'));
    expect(await brief()).toBe('finished record');
  });
});

test('the same call again and again is a loop, until somebody says something', async () => {
  const { say, state } = await homeOf('claude-code', CLAUDE);
  const again = (id: string) => [calls(id, 'Bash', { command: 'npm test' }), result(id)];
  await say(user('Bake'), ...again('1'), ...again('2'));
  expect((await state()).marks).toEqual([]);
  await say(...again('3'));
  expect((await state()).marks).toEqual([{ kind: 'looping', source: 'record' }]);
  await say(user('Stop that'));
  expect((await state()).marks).toEqual([]);
});

test('several calls that are about one file are no loop', async () => {
  const { say, state } = await homeOf('claude-code', CLAUDE);
  await say(user('Bake'));
  for (const id of ['1', '2', '3', '4']) {
    const edit = { file_path: 'cake.md', old_string: id, new_string: `${id}${id}` };
    await say(calls(id, 'Edit', edit), result(id));
  }
  expect((await state()).marks).toEqual([]);
});

test('when a turn began stays known where that stands further up than what is read', async () => {
  const { say, states, after } = await homeOf('claude-code', CLAUDE);
  const turn = async () => (await states())[0]?.about.life?.turn;
  await say(user('Bake'), words('Baked.'));
  after(MINUTE);
  await say(user('And another'));
  expect(await turn()).toBe(T0 + MINUTE);
  await say(...Array.from({ length: 400 }, (_, at) => words(`${at} ${'x'.repeat(500)}`, null)));
  expect(await turn()).toBe(T0 + MINUTE);
});

test('a line that is longer than what is read of an end is read all the same', async () => {
  const { say, brief } = await homeOf('claude-code', CLAUDE);
  await say(user('Bake'), ...Array.from({ length: 300 }, (_, at) => words(`${at} ${'x'.repeat(500)}`, null)));
  await say(words('y'.repeat(200_000)));
  expect(await brief()).toBe('finished record');
});

test('what nobody can understand claims nothing', async () => {
  const { put, state } = await homeOf('claude-code', CLAUDE);
  await put(
    CLAUDE,
    '{"type":"assistant","message":[]}\nnull\n[1]\n{"type":"user"}\n{"type":"assistant","mess',
  );
  await put(REGISTRY, '{"pid":"x","sessionId":7');
  expect((await state()).state).not.toBe('waiting');
});
