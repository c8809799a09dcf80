import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { importFile } from '../../../src/import/importFile.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import type { ImportResult } from '../../../src/import/reading/importResult.js';
import { lines, records } from './reading.js';

const RING =
  'A ring of parents has no beginning: each says that another of them began it. It is read from the earliest on.';

const rings = ({ problems }: ImportResult) =>
  problems.flatMap(({ message }) => (message.includes('ring') ? [message] : []));
const texts = (result: ImportResult) => JSON.stringify(records(result));

const span = (spanId: string, parentSpanId: string, said: string) => ({
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId,
  parentSpanId,
  name: `invoke_agent ${said}`,
  startTimeUnixNano: '1767225600000000000',
  endTimeUnixNano: '1767225601000000000',
  attributes: [
    { key: 'gen_ai.operation.name', value: { stringValue: 'invoke_agent' } },
    {
      key: 'gen_ai.output.messages',
      value: {
        stringValue: JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: said }] }]),
      },
    },
  ],
});
const trace = (...spans: object[]) => lines({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

test.each([
  ['spans', trace(span('a1', 'b1', 'one'), span('b1', 'a1', 'two')), [RING]],
  [
    'spans, with a child that began first',
    trace(span('c1', 'a1', 'three'), span('a1', 'b1', 'one'), span('b1', 'a1', 'two')),
    [RING],
  ],
  ['spans below one that is not there', trace(span('a1', 'gone', 'one'), span('b1', 'a1', 'two')), []],
])('of %s what goes in a ring is told once, and all of it read', async (_, content, expected) => {
  const result = await importTranscript(content, 'trace.jsonl');
  expect(rings(result)).toEqual(expected);
  expect(texts(result)).toMatch(/one.*two|two.*one/);
});

test.each([
  ['b', [RING]],
  [null, []],
])("messages of ChatGPT's whose first has the parent %s", async (parent, expected) => {
  const node = (id: string, of: string | null, content: string) => ({
    id,
    parent: of,
    children: [],
    message: { author: { role: 'user' }, content: { parts: [content] } },
  });
  const talk = {
    title: 'T',
    conversation_id: 'c',
    current_node: 'b',
    mapping: { a: node('a', parent, 'one'), b: node('b', 'a', 'two') },
  };
  const result = await importTranscript(JSON.stringify([talk]), 'conversations.json');
  expect(rings(result)).toEqual(expected);
  expect(texts(result)).toMatch(/one.*two/);
});

test('messages of ChatGPT in a ring beside the first are told', async () => {
  const node = (id: string, parent: string | null) => ({ id, parent, children: [], message: null });
  const mapping = { r: node('r', null), a: node('a', 'b'), b: node('b', 'a') };
  const talk = { title: 'T', conversation_id: 'c', current_node: 'r', mapping };
  expect(rings(await importTranscript(JSON.stringify([talk]), 'conversations.json'))).toEqual([RING]);
});

test('threads of Codex that say of each other that they began them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'rings-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const [one, two] = ['11111111-1111-7111-8111-111111111111', '22222222-2222-7222-8222-222222222222'];
  const rollout = async (id: string, parent: string | undefined, said: string) => {
    const payload = { id, timestamp: '2026-01-01T00:00:00Z', ...(parent && { parent_thread_id: parent }) };
    const content = [{ type: 'output_text', text: said }];
    const path = join(folder, `rollout-2026-01-01T00-00-00-${id}.jsonl`);
    const message = { type: 'message', role: 'assistant', content };
    await writeFile(
      path,
      lines({ type: 'session_meta', payload }, { type: 'response_item', payload: message }),
    );
    return path;
  };
  await rollout(two, one, 'said by two');
  expect(rings(await importFile(await rollout(one, undefined, 'said by one')))).toEqual([]);
  const result = await importFile(await rollout(one, two, 'said by one'));
  expect(rings(result)).toEqual([RING]);
  expect(texts(result)).toMatch(/said by one.*said by two/);
});
