import { expect, test } from 'vitest';
import type { ChatMessage } from '../../../../src/core/message.js';
import type { ModelEvent, ModelRequest } from '../../../../src/core/ports/model.js';
import { MessageAccumulator } from '../../../../src/core/record/messageAccumulator.js';
import { Recorder } from '../../../../src/core/record/recorder.js';
import { aTeam, aTool, PlainExecutor } from '../../../support/scriptedTeam.js';

const TURNS = 10_000;

test('ten thousand turns send one and the same history, never a copy, and touch no message of before', async () => {
  const histories = new Set<readonly ChatMessage[]>();
  let touched = 0;
  let turn = 0;
  const watch = (message: ChatMessage): ChatMessage =>
    new Proxy(message, { get: (target, key) => (touched++, Reflect.get(target, key) as unknown) });
  const model = {
    id: 'm',
    label: 'm',
    kind: 'http',
    endpoint: 'e',
    async *stream({ messages }: ModelRequest): AsyncGenerator<ModelEvent> {
      histories.add(messages);
      // From here on any look at an old message counts.
      const list = messages as ChatMessage[];
      for (let index = Math.max(0, list.length - 2); index < list.length; index++)
        list[index] = watch(list[index]!);
      touched = turn === 0 ? 0 : touched;
      if (++turn > TURNS) {
        yield { type: 'text', text: 'done' };
        yield { type: 'end', finishReason: 'stop' };
        return;
      }
      yield { type: 'toolCall', index: 0, id: `t${turn}`, name: 'count', arguments: `{"n":${turn}}` };
      yield { type: 'end', finishReason: 'tool_calls' };
    },
  } as const;
  const accumulator = new MessageAccumulator();
  const recorder = new Recorder({ conversation: 'c', accumulator, onListenerFailure: () => undefined });
  const limits = { steps: TURNS + 1, tokens: Infinity };
  const tools = [aTool('count', ({ n }) => String(n))];
  const executorFor = () => new PlainExecutor(tools);
  const team = aTeam(['Pickle'], {
    messageLog: recorder,
    limits,
    tools,
    executorFor,
    onEvent: () => undefined,
  });
  expect(await team.session.run('go', { config: { ...team.config, model } })).toMatchObject({
    outcome: 'done',
    text: 'done',
  });
  expect(histories.size).toBe(1);
  expect(accumulator.size).toBe(2 * TURNS + 3);
  expect(touched).toBeLessThan(10 * TURNS);
});
