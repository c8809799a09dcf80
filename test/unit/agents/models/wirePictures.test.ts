import { describe, expect, test } from 'vitest';
import type { ChatMessage, ContentPart } from '../../../../src/core/message.js';
import { silentLog } from '../../../../src/core/ports/log.js';
import { modelAt } from '../../../support/modelAt.js';
import { hear } from '../../../support/readModel.js';
import { refusing, saying, type WireAnswer } from '../../../support/wireAnswers.js';

const url = 'data:image/png;base64,iVBORw0KGgo=';
const picture: ContentPart = { type: 'image_url', image_url: { url } };
const calls: ChatMessage = {
  role: 'assistant',
  content: null,
  tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
};
const result = (id: string, ...pictures: ContentPart[]): ChatMessage => ({
  role: 'tool',
  tool_call_id: id,
  content: [{ type: 'text', text: `seen ${id}` }, ...pictures],
});
const history: readonly ChatMessage[] = [
  { role: 'user', content: 'Look twice.' },
  calls,
  result('a', picture),
  { role: 'tool', tool_call_id: 'b', content: 'nothing' },
];

/** What an endpoint with these answers was sent, one history after the other. */
async function sent(answers: readonly WireAnswer[], ...histories: (readonly ChatMessage[])[]) {
  const { server, model } = await modelAt(answers);
  const heard = [];
  for (const messages of histories) heard.push(await hear(model, { messages }));
  expect(server.violations).toEqual([]);
  return { heard, bodies: server.requests.map(({ messages }) => messages) };
}

describe('pictures that tools answered with', () => {
  test('are shown after the last answer of their message, with the call that they belong to', async () => {
    const { bodies } = await sent([saying('ok')], history);
    expect(bodies[0]?.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: 'seen a' },
      { role: 'tool', tool_call_id: 'b', content: 'nothing' },
      {
        role: 'user',
        content: [{ type: 'text', text: 'Pictures in the answer to the tool call a:' }, picture],
      },
    ]);
  });

  test('stand at the same place when the history has grown', async () => {
    const grown: readonly ChatMessage[] = [
      ...history,
      { role: 'assistant', content: 'Seen.' },
      { role: 'user', content: 'And?' },
    ];
    const { bodies } = await sent([saying('Seen.'), saying('ok')], history, grown);
    expect(bodies[1]?.slice(0, 5)).toEqual(bodies[0]);
    expect(bodies[1]).toHaveLength(7);
  });

  test.each([
    [400, 'Invalid content type. image_url is only supported by certain models.'],
    [400, 'unknown variant `image_url`, expected `text`'],
    [400, 'this model is missing data required for image input'],
    [404, 'No endpoints found that support image input'],
    [422, 'test-model is not a multimodal model'],
    [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
  ])('are left out for a model that answers %i: %s', async (status, words) => {
    const { heard, bodies } = await sent(
      [refusing(status, words), saying('blind'), saying('still')],
      history,
      history,
    );
    expect(heard.map(({ text }) => text)).toEqual(['blind', 'still']);
    expect(bodies.map((messages) => JSON.stringify(messages).includes('image_url'))).toEqual([
      true,
      false,
      false,
    ]);
    expect(bodies[1]).toHaveLength(4);
  });

  test('are left out of a request that is too long, and of no other', async () => {
    const { heard, bodies } = await sent(
      [refusing(413, 'request entity too large'), saying('blind'), saying('seen')],
      history,
      history,
    );
    expect(heard.map(({ text }) => text)).toEqual(['blind', 'seen']);
    expect(bodies.map((messages) => JSON.stringify(messages).includes('image_url'))).toEqual([
      true,
      false,
      true,
    ]);
    const long = await sent([refusing(413, 'too long'), refusing(413, 'too long')], history);
    expect(long.heard[0]?.error).toMatchObject({ status: 413, code: 'contextLength' });
  });

  test.each([
    [413, 'too large', 'this request'],
    [400, 'no image', 'this and all further requests'],
  ])('that are left out after %i are told of', async (status, words, what) => {
    const told: string[] = [];
    const { model } = await modelAt([refusing(status, words), saying('blind')], {}, undefined, {
      ...silentLog,
      warn: (message) => told.push(message),
    });
    await hear(model, { messages: history });
    expect(told).toEqual([expect.stringContaining(`pictures are left out of ${what}: `)]);
  });

  test('a refusal of another kind, or without a picture in the request, is a failure', async () => {
    const other = await sent([refusing(400, 'bad temperature')], history);
    expect(other.heard[0]?.error).toMatchObject({ status: 400 });
    const without = await sent([refusing(400, 'no image')], history.slice(0, 1));
    expect(without.heard[0]?.error).toMatchObject({ status: 400 });
  });

  test('that lie elsewhere or are cut are not sent', async () => {
    const bad = [
      'https://example.org/x.png',
      `${url}A`,
      'data:image/svg+xml;base64,AAAA',
      'data:image/png;base64,',
    ].map((address): ContentPart => ({ type: 'image_url', image_url: { url: address } }));
    const { bodies } = await sent([saying('ok')], [...history.slice(0, 2), result('a', ...bad), result('b')]);
    expect(bodies[0]).toHaveLength(4);
  });
});
