import fc from 'fast-check';
import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, nested, query, said } from './reading.js';
import { ConversationBuilder } from '../../../src/import/building/conversationBuilder.js';
import { SubagentCalls } from '../../../src/import/messages/subagentCalls.js';

interface Start {
  readonly id: string;
  readonly prompt: string;
}

const builder = new ConversationBuilder('bakery', 'Baker');
const draft = builder.message(builder.entry, { role: 'assistant', content: null });
const started = (starts: readonly Start[]) => {
  const calls = new SubagentCalls(/^Task$/);
  const tool_calls = starts.map(({ id, prompt }) => ({
    id,
    function: { name: 'Task', arguments: JSON.stringify({ prompt }) },
  }));
  calls.note(draft, { tool_calls });
  return calls;
};

/** The rule as it is told, by looking through the list each time. */
function naive(waiting: Start[], prompt: string | undefined, id: string | undefined): Start | undefined {
  let at = waiting.findIndex((start) => start.id === id);
  if (at < 0) at = waiting.findIndex((start) => start.prompt.trim() === prompt?.trim());
  if (at < 0 && waiting.length === 1) at = 0;
  return at < 0 ? undefined : waiting.splice(at, 1)[0];
}

test('a subagent gets the call of its id, else the first with its prompt, else the only one left', () => {
  const word = fc.constantFrom('a', 'b', 'c', ' a ');
  const start = fc.record({ id: word, prompt: word });
  const wish = fc.tuple(fc.option(word, { nil: undefined }), fc.option(word, { nil: undefined }));
  fc.assert(
    fc.property(fc.array(start, { maxLength: 8 }), fc.array(wish, { maxLength: 10 }), (starts, wishes) => {
      const calls = started(starts);
      const waiting = [...starts];
      for (const [prompt, id] of wishes) {
        const taken = calls.take(prompt, id);
        const expected = naive(waiting, prompt, id);
        expect(taken && { id: taken.id, prompt: taken.prompt }).toEqual(
          expected && { id: expected.id, prompt: expected.prompt.trim() },
        );
      }
    }),
  );
});

test('a file of very many subagents does not take longer for each of them', () => {
  const starts = Array.from({ length: 60_000 }, (_, at) => ({ id: `t${at}`, prompt: `look at ${at}` }));
  const calls = started(starts);
  for (const { id, prompt } of starts.toReversed()) expect(calls.take(` ${prompt} `)?.id).toBe(id);
});

/** Sessions in which one subagent starts another, whose file stands before its own. */
const FAMILIES: Readonly<Record<string, () => { main: object[]; beside?: Record<string, object[]> }>> = {
  'Claude Code, by what a result says': () => claudeFamily((agentId) => ({ toolUseResult: { agentId } })),
  'Claude Code, by the prompt': () => claudeFamily(() => ({})),
  'Qwen Code': () => {
    const line = (type: string, parts: object[], more: object = {}) => ({
      uuid: 'u',
      sessionId: 'q1',
      timestamp: '2026-01-01T00:00:01.000Z',
      type,
      message: { role: type === 'assistant' ? 'model' : 'user', parts },
      ...more,
    });
    const asks = (id: string, prompt: string) => [
      { functionCall: { id, name: 'task', args: { prompt, subagent_type: prompt } } },
    ];
    const inner = [line('user', [{ text: 'inner' }]), line('assistant', [{ text: 'found' }])];
    const outer = [line('user', [{ text: 'outer' }]), line('assistant', asks('t2', 'inner'))];
    return {
      main: [line('user', [{ text: 'go' }]), line('assistant', asks('t1', 'outer'))],
      beside: { 'subagents/q1/agent-a.jsonl': inner, 'subagents/q1/agent-b.jsonl': outer },
    };
  },
  Cursor: () => {
    const line = (role: string, ...content: object[]) => ({ role, message: { content } });
    const text = (words: string) => ({ type: 'text', text: words });
    const asks = (prompt: string) => ({
      type: 'tool_use',
      name: 'Subagent',
      input: { prompt, subagent_type: prompt },
    });
    return {
      main: [line('user', text('go')), line('assistant', asks('outer'))],
      beside: {
        'subagents/a.jsonl': [line('user', text('inner')), line('assistant', text('found'))],
        'subagents/b.jsonl': [line('user', text('outer')), line('assistant', asks('inner'))],
      },
    };
  },
  'Copilot CLI': () => {
    const event = (type: string, data: object, at: number) => ({
      type,
      id: `e${at}`,
      timestamp: `2026-01-01T00:00:0${at}.000Z`,
      data,
    });
    const asks = (toolCallId: string) => [{ toolCallId, name: 'task', arguments: {} }];
    return {
      main: [
        event('session.start', { sessionId: 's1', version: 1, producer: 'copilot-agent' }, 0),
        event('user.message', { content: 'go' }, 1),
        event('assistant.message', { content: 'ok', toolRequests: asks('t1') }, 2),
        event('tool.execution_start', { toolCallId: 't1', toolName: 'task' }, 3),
        event('subagent.started', { toolCallId: 't1', agentName: 'outer' }, 4),
        event('assistant.message', { content: 'hm', toolRequests: asks('t2'), parentToolCallId: 't1' }, 5),
        event('tool.execution_start', { toolCallId: 't2', toolName: 'task', parentToolCallId: 't1' }, 6),
        event('subagent.started', { toolCallId: 't2', agentName: 'inner' }, 7),
        event('assistant.message', { content: 'found', parentToolCallId: 't2' }, 8),
      ],
    };
  },
};

function claudeFamily(named: (agentId: string) => object) {
  let lineNumber = 0;
  const line = (role: string, content: unknown, more: object = {}) => ({
    type: role,
    uuid: `u${++lineNumber}`,
    sessionId: 's1',
    timestamp: '2026-01-01T00:00:00Z',
    message: { role, content },
    ...more,
  });
  const asks = (id: string, prompt: string) => [
    { type: 'tool_use', id, name: 'Task', input: { prompt, subagent_type: prompt } },
  ];
  const answers = (tool_use_id: string) => [{ type: 'tool_result', tool_use_id, content: 'done' }];
  const of = (agentId: string) => ({ isSidechain: true, agentId });
  return {
    main: [
      line('user', 'go'),
      line('assistant', asks('t1', 'outer')),
      line('user', answers('t1'), named('b')),
    ],
    beside: {
      'subagents/agent-a.jsonl': [line('user', 'inner', of('a')), line('assistant', 'found', of('a'))],
      'subagents/agent-b.jsonl': [
        line('user', 'outer', of('b')),
        line('assistant', asks('t2', 'inner'), of('b')),
        line('user', answers('t2'), { ...of('b'), ...named('a') }),
      ],
    },
  };
}

test.each(Object.keys(FAMILIES))('a subagent of a subagent stands below it: %s', async (name) => {
  const { main, beside = {} } = FAMILIES[name]?.() ?? { main: [] };
  const sidecars = Object.entries(beside).map(([file, values]) => ({ name: file, source: lines(...values) }));
  const read = await importTranscript(lines(...main), 's1.jsonl', { sidecars });
  const [[, ...agents] = []] = nested(query(read).timeline()) as [unknown[]?];
  expect(agents).toEqual([['outer', ['inner']]]);
  expect(said(read).filter((each) => each === 'assistant: found')).toHaveLength(1);
});
