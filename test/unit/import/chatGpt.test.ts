import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { query, records, said } from './reading.js';

const node = (id: string, parent: string | null, children: string[], message: object | null) => ({
  id,
  parent,
  children,
  message,
});
const words = (role: string, text: string, more: object = {}) => ({
  author: { role },
  content: { content_type: 'text', parts: [text] },
  ...more,
});

const read = (...nodes: { id: string }[]) => readTold([], ...nodes);

async function readTold(problems: unknown[], ...nodes: { id: string }[]) {
  const talk = {
    title: 'About cats',
    conversation_id: 'c',
    create_time: 1_750_000_000.5,
    current_node: nodes.at(-1)?.id,
    mapping: Object.fromEntries(nodes.map((each) => [each.id, each])),
  };
  const result = await importTranscript(JSON.stringify([talk]), 'conversations.json');
  expect(result.problems).toMatchObject(problems);
  expect(result).toMatchObject({ format: 'chatgpt', conversations: [{ id: 'c', title: 'About cats' }] });
  return result;
}

test("ChatGPT's export: prompts, reasoning, calls of tools with their results, models, times", async () => {
  const result = await read(
    node('root', null, ['u'], null),
    node('u', 'root', ['t'], words('user', 'where are the cats?', { create_time: 1_750_000_001 })),
    node('t', 'u', ['s'], {
      author: { role: 'assistant' },
      content: { content_type: 'thoughts', thoughts: [{ summary: 'Look', content: 'above' }] },
    }),
    node('s', 't', ['r'], {
      author: { role: 'assistant' },
      recipient: 'web',
      content: { content_type: 'code', text: '{"q":"cats"}' },
      metadata: { model_slug: 'gpt' },
    }),
    node('r', 's', ['a'], {
      author: { role: 'tool', name: 'web' },
      content: { content_type: 'execution_output', text: 'two of them' },
    }),
    node('a', 'r', [], words('assistant', 'On the roof.', { recipient: 'all' })),
  );
  expect(said(result)).toEqual([
    'user: where are the cats?',
    'assistant: null web({"q":"cats"})',
    'tool s: two of them',
    'assistant: On the roof.',
  ]);
  expect(query(result).filter({ role: 'assistant' })[0]).toMatchObject({
    model: 'gpt',
    message: { reasoning_content: 'Look\nabove' },
  });
  expect(query(result).filter({ role: 'user' })[0]).toMatchObject({ time: 1_750_000_001_000 });
});

test('an answer that was made anew follows the conversation as a run of its own, without what was said before it', async () => {
  const result = await read(
    node('u', null, ['b', 'a'], words('user', 'where are the cats?')),
    node('b', 'u', [], words('assistant', 'I do not know.')),
    node('a', 'u', [], words('assistant', 'On the roof.')),
  );
  expect(said(result)).toEqual([
    'user: where are the cats?',
    'assistant: On the roof.',
    'assistant: I do not know.',
  ]);
  expect(records(result).flatMap((record) => (record.type === 'message' ? [record.run] : []))).toEqual([
    'r1',
    'r1',
    'r2',
  ]);
});

test('a tree whose parents are in a circle is read to its end', async () => {
  const result = await readTold(
    [{ message: expect.stringContaining('A ring of parents') as string }],
    node('a', 'b', ['b'], words('user', 'one way')),
    node('b', 'a', ['a'], words('assistant', 'and back')),
  );
  expect(said(result).sort()).toEqual(['assistant: and back', 'user: one way']);
});
