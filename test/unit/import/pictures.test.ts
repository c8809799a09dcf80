import { expect, test } from 'vitest';
import { picturesOf } from '../../../src/core/picture.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { lines, records } from './reading.js';

const BASE64 = 'iVBORw0KGgo=';
const URL_OF_IT = `data:image/png;base64,${BASE64}`;

/** Who shows how many pictures in a transcript. */
async function shown(...values: unknown[]) {
  const result = await importTranscript(lines(...values), 'talk.jsonl');
  return records(result).flatMap((record) => {
    const { message } = record as { message?: { role: string; content: unknown } };
    const pictures = picturesOf(message?.content);
    return message && pictures.length > 0 ? [[message.role, pictures.length]] : [];
  });
}

const inline = { inlineData: { mimeType: 'image/png', data: BASE64 } };

test('pictures of Gemini CLI, of a person and of a tool, stand beside or inside of its answer', async () => {
  const call = (id: string, result: object[]) => ({
    id,
    name: 'read_file',
    args: {},
    status: 'success',
    result,
  });
  const answer = { functionResponse: { id: 'c', name: 'read_file', response: { output: 'a.png' } } };
  const inside = { functionResponse: { ...answer.functionResponse, parts: [inline] } };
  expect(
    await shown({
      sessionId: 'g',
      projectHash: 'h',
      startTime: '2026-01-05T10:00:00Z',
      messages: [
        { id: '1', type: 'user', content: [{ text: 'Like this' }, inline] },
        {
          id: '2',
          type: 'gemini',
          content: '',
          toolCalls: [call('a', [answer, inline]), call('b', [inside])],
        },
      ],
    }),
  ).toEqual([
    ['user', 1],
    ['tool', 1],
    ['tool', 1],
  ]);
});

test('pictures of OpenCode, of a person and of a tool', async () => {
  const file = { type: 'file', mime: 'image/png', filename: 'a.png', url: URL_OF_IT };
  const state = { status: 'completed', input: {}, output: 'read', attachments: [file] };
  expect(
    await shown({
      info: { id: 'ses_1', directory: '/p', title: 'T', version: '1.2.0', time: { created: 1, updated: 2 } },
      messages: [
        {
          info: { id: 'm1', role: 'user', time: { created: 1 } },
          parts: [{ type: 'text', text: 'See' }, file],
        },
        {
          info: { id: 'm2', role: 'assistant', time: { created: 2 }, modelID: 'm', providerID: 'p' },
          parts: [{ type: 'tool', callID: 'c', tool: 'read', state }],
        },
      ],
    }),
  ).toEqual([
    ['user', 1],
    ['tool', 1],
  ]);
});

test('pictures that Crush keeps as files', async () => {
  const binary = (MIMEType: string) => ({ type: 'binary', data: { Path: 'a', MIMEType, Data: BASE64 } });
  const said = {
    id: 'm1',
    role: 'user',
    parts: [{ type: 'text', data: { text: 'See' } }, binary('image/png')],
  };
  expect(
    await shown({
      session: { id: 's', title: 'T' },
      messages: [said, { id: 'm2', role: 'user', parts: [binary('application/pdf')] }],
    }),
  ).toEqual([['user', 1]]);
});

test("pictures of OpenHands' SDK, and those that tools of OpenAI have drawn or taken of a screen", async () => {
  const event = (kind: string, beside: object) => ({
    kind,
    id: kind,
    source: 'user',
    timestamp: 'x',
    ...beside,
  });
  const parts = [
    { type: 'text', text: 'See' },
    { type: 'image', image_urls: [URL_OF_IT, URL_OF_IT] },
  ];
  expect(
    await shown([
      event('MessageEvent', { llm_message: { role: 'user', content: parts } }),
      event('ObservationEvent', { tool_call_id: 'c', tool_name: 'browse', observation: { content: parts } }),
    ]),
  ).toEqual([
    ['user', 2],
    ['tool', 2],
  ]);
  expect(
    await shown([
      { role: 'user', content: 'draw' },
      { type: 'image_generation_call', id: 'ig', status: 'completed', result: BASE64 },
      { type: 'computer_call', call_id: 'cc', id: 'c', action: { type: 'screenshot' } },
      {
        type: 'computer_call_output',
        call_id: 'cc',
        output: { type: 'computer_screenshot', image_url: URL_OF_IT },
      },
    ]),
  ).toEqual([
    ['tool', 1],
    ['tool', 1],
  ]);
});
