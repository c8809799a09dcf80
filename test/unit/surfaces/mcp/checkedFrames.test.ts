import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { checkedFrames, type FrameRefusal } from '../../../../src/surfaces/mcp/checkedFrames.js';

/** What of a stream is passed on, and what is refused. */
async function checked(pieces: readonly (string | Buffer)[]) {
  const refused: FrameRefusal[] = [];
  const frames = checkedFrames((refusal) => refused.push(refusal));
  const passed = buffer(frames);
  for (const piece of pieces) frames.write(piece);
  frames.end();
  return { passed: (await passed).toString('utf8'), refused };
}

const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const ended = '{"jsonrpc":"2.0","method":"notifications/initialized","params":{}}';

test.each([
  '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
  '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"no address"}}',
  '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_sessions","arguments":{"cursor":7}}}',
  '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x","capabilities":{},"clientInfo":{"name":"a"}}}',
])('%s is answered by whoever knows it', async (frame) => {
  expect(await checked([`${frame}\n`])).toEqual({ passed: `${frame}\n`, refused: [] });
});

test('messages pass as they came, also in parts, with line ends of either kind', async () => {
  const { passed, refused } = await checked([ping.slice(0, 7), `${ping.slice(7)}\r\n\n${ended}\n`, ping]);
  expect(passed.split('\n').map((line) => line.trim())).toEqual([ping, ended, ping, '']);
  expect(refused).toEqual([]);
});

test.each(['\ufeff', '\u00a0', '\u2028', '\v', ' \t'])(
  'a message behind %j is the message',
  async (before) => {
    expect(await checked([`${before}${ping}${before}\n`])).toEqual({ passed: `${ping}\n`, refused: [] });
  },
);

test.each([
  ['{"jsonrpc":"2.0","id":1,"method":', null, -32700],
  ['hello', null, -32700],
  [`${ping}${ping}`, null, -32700],
  ['[]', null, -32600],
  [`[${ping}]`, null, -32600],
  ['null', null, -32600],
  ['7', null, -32600],
  ['{}', null, -32600],
  ['{"id":3,"method":"ping"}', 3, -32600],
  ['{"jsonrpc":"1.0","id":"a","method":"ping"}', 'a', -32600],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', null, -32600],
  ['{"jsonrpc":"2.0","id":4,"method":7}', 4, -32600],
  ['{"jsonrpc":"2.0","id":5}', 5, -32600],
  ['{"jsonrpc":"2.0","id":6,"method":"ping","params":[1]}', 6, -32600],
  ['{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}', 7, -32600],
  ['{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"cursor":7}}', 8, -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"tools/list","params":{"cursor":"made up"}}', 8, -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"resources/list","params":{"cursor":{}}}', 8, -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"resources/templates/list","params":{"cursor":""}}', 8, -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{}}', 8, -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"resources/read"}', 8, -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"resources/read","params":{"uri":["a"]}}', 8, -32602],
  ['{"jsonrpc":"2.0","id":8,"method":"initialize","params":{"protocolVersion":5}}', 8, -32602],
] as const)('%s is refused, and what follows is read', async (frame, id, code) => {
  const { passed, refused } = await checked([`${frame}\n${ping}\n`]);
  expect(refused).toEqual([{ jsonrpc: '2.0', id, error: { code, message: expect.any(String) as string } }]);
  expect(passed).toBe(`${ping}\n`);
});

test.each([
  ['a message', `{"jsonrpc":"2.0","id":9,"method":"${'x'.repeat(20_000_000)}"}`, 9, -32600],
  ['no JSON', 'x'.repeat(20_000_000), null, -32700],
] as const)('of 20 MB %s is refused, and what follows is read', async (_, frame, id, code) => {
  const { passed, refused } = await checked([Buffer.from(frame), `\n${ping}\n`]);
  expect(refused).toMatchObject([{ id, error: { code } }]);
  expect(passed).toBe(`${ping}\n`);
});
