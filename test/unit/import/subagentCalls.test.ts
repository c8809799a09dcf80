import fc from 'fast-check';
import { expect, test } from 'vitest';
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
