import { describe, expect, it } from 'vitest';
import { factsOf } from '../../../../src/query/numbers/facts.js';
import type { ChatMessage } from '../../../../src/core/message.js';
import type { MessageBody, RecordBody } from '../../../../src/core/record.js';
import { NO_PRICES } from '../../../../src/core/ports/prices.js';
import { deedOf } from '../../../../src/query/numbers/deed.js';
import { filesIn } from '../../../../src/page/panel/rows/stepRow.js';
import { RecordReader } from '../../../../src/page/panel/recordReader.js';
import { RowPages } from '../../../../src/page/panel/rows/rowPages.js';
import { cutField } from '../../../../src/page/panel/rows/rowFields.js';
import { TranscriptProjection } from '../../../../src/page/panel/projection/transcriptProjection.js';
import { MemoryTranscript } from '../../../support/memoryTranscript.js';
import { StoryTeller, type CallTeller } from '../../../support/storyTeller.js';

/** The end of a call that failed for a reason of its own. */
const FAILED_END: RecordBody = {
  type: 'callEnd',
  outcome: 'failed',
  reason: 'out of luck',
  durationMs: 5,
  ownUsage: { inputTokens: 1, outputTokens: 1, estimated: false },
  totalUsage: { inputTokens: 2, outputTokens: 1, estimated: false },
};

/** The rows of what one agent's call left, without those of the prompt. */
async function rowsOf(tell: (call: CallTeller) => void) {
  const story = new StoryTeller();
  tell(story.run('planner', 'Go'));
  const transcript = new MemoryTranscript(story.conversation, story.records);
  const projection = new TranscriptProjection();
  projection.add(story.records.map(factsOf));
  const pages = new RowPages(projection, new RecordReader(transcript));
  const numbers = Array.from({ length: projection.index.length }, (_, row) => row);
  const context = { prices: NO_PRICES, hueOf: () => 0, isExpanded: () => false, running: false };
  return (await pages.rows(numbers, context)).slice(2);
}

const rowOfMessage = async (message: ChatMessage, rest: Partial<MessageBody> = {}) =>
  (await rowsOf((call) => call.message(message, rest)))[0];
const rowOfBody = async (body: RecordBody) => (await rowsOf((call) => call.add(body)))[0];

describe('the rows of a panel', () => {
  it('cuts a long text and says how much is left out, never in the middle of a character', async () => {
    const row = await rowOfMessage({ role: 'assistant', content: '🧵'.repeat(5_000) });
    expect(row).toMatchObject({ body: { rest: 4_000 } });
    expect(cutField({ text: 'a🧵' }, 2)).toEqual({ text: 'a', rest: 2 });
  });

  it('says of what lies in a file of its own how large it is', async () => {
    const spill = [{ field: 'content', path: 'p', bytes: 80_000, sha256: 'x' }] as const;
    const row = await rowOfMessage({ role: 'tool', tool_call_id: 'x', content: 'begins' }, { spill });
    expect(row).toMatchObject({ orphan: true, body: { text: 'begins', rest: 0, spilledBytes: 80_000 } });
  });

  it('shows images that the text holds, and names those that lie elsewhere', async () => {
    const url = (text: string) => ({ type: 'image_url', image_url: { url: text } });
    const content = [
      url('data:image/png;base64,AA'),
      url('https://x/y.png'),
      url('data:text/html,x'),
      { type: 'audio' },
      { type: 'text', text: 'a' },
    ];
    expect(await rowOfMessage({ role: 'user', content })).toMatchObject({
      body: { text: 'a' },
      images: [
        { part: 0, type: 'image/png', shown: true },
        { part: 1, type: 'remote', shown: false },
        { part: 2, type: 'remote', shown: false },
      ],
      otherParts: ['audio'],
    });
  });

  it('tells of a picture in a file of its own how large it is, and shows the text beside it whole', async () => {
    const content = [
      { type: 'text', text: 'Cheese!' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBOR' } },
    ];
    const spill = [{ field: 'content', index: 1, path: 'p', bytes: 80_000, sha256: 'x' }] as const;
    const images = [{ part: 1, type: 'image/png', shown: true, characters: 80_000 }];
    const text = { text: 'Cheese!', rest: 0 };
    expect(await rowOfMessage({ role: 'user', content }, { spill })).toMatchObject({ body: text, images });
    const [row] = await rowsOf((call) => {
      const asked = call.toolCall('photograph', {});
      call.say(null, 5, [asked]);
      call.message({ role: 'tool', tool_call_id: asked.id, content }, { toolName: 'photograph', spill });
    });
    expect(row).toMatchObject({ kind: 'tool', result: text, images });
    expect(row).not.toHaveProperty('result.spilledBytes');
  });

  it.each([
    [{ role: 'assistant', content: null }, { body: { text: '', rest: 0 } }],
    [{ role: 'assistant', content: 7 }, { body: { text: '' } }],
    [{ role: 'alien', content: 'x' }, { role: 'user' }],
    [{ role: 'assistant', content: [null, 3, { type: 'text' }] }, { otherParts: ['unknown', 'unknown'] }],
    [{}, { role: 'user' }],
  ])('shows the malformed message %j', async (message, row) => {
    expect(await rowOfMessage(message as never)).toMatchObject(row);
  });

  it.each([
    ['{"result":"Found it.","session_id":"k_9"}', { result: { text: 'Found it.', rest: 0 }, session: 'k_9' }],
    ['{"error":"No such agent","session_id":"k_9"}', { result: { text: 'No such agent' }, session: 'k_9' }],
    ['{"result":"It begins \\"so\\"\\nand is cu', { result: { text: 'It begins "so"\nand is cu' } }],
    ['{"result":"half an escape \\u00', { result: { text: 'half an escape ' } }],
    ['{"result":{"a":1}}', { result: { text: '{"result":{"a":1}}' } }],
    ['{"other":1}', { result: { text: '{"other":1}' } }],
    ['Words alone', { result: { text: 'Words alone' } }],
  ])('shows the answer to a dispatch, not the object that it came in: %s', async (content, shown) => {
    const rows = await rowsOf((call) => {
      const { child, call: asked } = call.dispatch('researcher', 'Look');
      child.end();
      call.answer(asked, content);
    });
    expect(rows.find(({ kind }) => kind === 'dispatch')).toMatchObject(shown);
  });

  it('takes an object that only another tool answers with for its result', async () => {
    const [row] = await rowsOf((call) => call.useTool('read_file', {}, '{"result":"x"}'));
    expect(row).toMatchObject({ kind: 'tool', result: { text: '{"result":"x"}' } });
  });

  it('tells what a reply cost with its first row alone', async () => {
    const rows = await rowsOf((call) => {
      call.say('I read', 5, [call.toolCall('read', {}), call.toolCall('read', {})]);
      call.say(null, 5, [call.toolCall('read', {})]);
    });
    expect(rows.map((row) => 'tokens' in row)).toEqual([true, false, false, true]);
  });

  it('says of a call without a result that it was never answered', async () => {
    const [row] = await rowsOf((call) => call.say(null, 5, [call.toolCall('read', '{broken')]));
    expect(row).toMatchObject({
      kind: 'tool',
      state: 'unanswered',
      arguments: { text: '{broken' },
      summary: '{broken',
    });
  });

  it('says at the end of a run why it failed, unless the error above it has said so', async () => {
    const error = (message: string): RecordBody => ({
      type: 'error',
      where: 'model',
      error: { code: 'c', message },
    });
    const textsAfter = async (message: string) => {
      const rows = await rowsOf((call) => {
        call.add(error(message));
        call.add(FAILED_END);
      });
      return rows.map((row) => (row.kind === 'note' ? row.text : ''));
    };
    expect(await textsAfter('out of luck')).toEqual(['Model error: out of luck (c)', 'Run 1 failed']);
    expect((await textsAfter('busy')).at(-1)).toBe('Run 1 failed: out of luck');
  });

  it.each<[RecordBody, string, string]>([
    [
      { type: 'error', where: 'model', error: { code: 'c', message: 'It broke', status: 500 } },
      'error',
      'Model error: It broke (c, 500)',
    ],
    [FAILED_END, 'error', 'Run 1 failed: out of luck'],
    [{ type: 'title', title: 'New name' }, 'plain', 'Renamed to “New name”'],
    [
      {
        type: 'request',
        model: 'm',
        endpoint: 'e',
        attempt: 2,
        durationMs: 1,
        error: { code: 'x', message: 'No' },
      },
      'warning',
      'Request 2 failed: No (x)',
    ],
    [{ type: 'later' } as never, 'plain', 'A record of type “later” that this version does not know'],
    [{ type: 'imported', kind: 'summary', value: {} } as never, 'plain', 'Imported as it was: summary'],
    [{ type: 'imported', kind: 'unknown', value: 3 } as never, 'plain', 'Imported as it was'],
    [
      { type: 'imported', kind: 'span', value: { name: 'chat', ms: 12, tags: [], note: 'a\nb' } } as never,
      'plain',
      'Imported as it was: span · name: chat, ms: 12, note: a b',
    ],
    [
      { type: 'imported', kind: 'event', value: { id: 1, payload: { type: 'count', used: 5 } } } as never,
      'plain',
      'Imported as it was: event · type: count, used: 5',
    ],
    [{ type: 'callEnd' } as never, 'plain', 'Run 1 ended'],
    [{ type: 'error', error: null } as never, 'error', 'Error: no words were given'],
  ])('words the record %j', async (body, level, text) => {
    expect(await rowOfBody(body)).toMatchObject({ kind: 'note', level, text });
  });
});

describe('the arguments of a tool call on one line', () => {
  it.each([
    ['{"path":"a.ts"}', 'a.ts'],
    ['{"path":"a.ts","line":3}', 'path: a.ts, line: 3'],
    ['{"command":"npm\\n  test"}', 'npm test'],
    ['{"deep":{"a":[1,2]}}', 'a: (1, 2)'],
    ['{"recursive":true}', 'recursive: true'],
    ['{"limit":5}', 'limit: 5'],
    ['{}', ''],
    ['', ''],
    ['not json', 'not json'],
  ])('sums %s up as %s', (text, words) => {
    expect(deedOf('unheard_of', text).headline).toBe(words);
  });

  it('names the files in it with their line, and nothing that is no path', () => {
    expect(filesIn('{"path":"a.ts","line":3,"files":["b.ts",7,""],"file_path":"x\\u0000y"}')).toEqual([
      { path: 'a.ts', line: 3 },
      { path: 'b.ts', line: 3 },
    ]);
    expect(filesIn('{"__proto__":{"path":"a"},"line":-1}')).toEqual([]);
  });
});
