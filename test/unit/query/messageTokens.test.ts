import { describe, expect, test } from 'vitest';
import { imageSize } from '../../../src/query/numbers/imageTokens.js';
import type { TokenCounter } from '../../../src/core/ports/tokenCounter.js';
import { countMessageTokens, tokensOfMessage } from '../../../src/query/numbers/messageTokens.js';

/** The tokens of a message, a token a character. */
const tokens = (message: object) =>
  countMessageTokens(message as Record<string, unknown>, (text) => text.length);

/** A data URL of an image, its bytes written as numbers and texts. */
const dataUrl = (...parts: (string | number[])[]) =>
  `data:image/x;base64,${Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part)))).toString('base64')}`;

const big = (number: number) => [number >> 24, number >> 16, number >> 8, number].map((byte) => byte & 0xff);
const png = (width: number, height: number) =>
  dataUrl('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', big(width), big(height));

describe('the rule for a message', () => {
  test.each([
    ['a message costs its role and its text', { role: 'user', content: 'abc' }, 3 + 4 + 3],
    ['nothing said costs nothing more', { role: 'user', content: null }, 3 + 4],
    ['a name costs one more', { role: 'user', name: 'Ada', content: '' }, 3 + 4 + 3 + 1],
    ['the id of a result counts', { role: 'tool', tool_call_id: 'c1', content: 'x' }, 3 + 4 + 2 + 1],
    ['a refusal counts', { role: 'assistant', refusal: 'no' }, 3 + 9 + 2],
    [
      'reasoning is never sent back',
      { role: 'assistant', content: 'a', reasoning_content: 'long' },
      3 + 9 + 1,
    ],
    [
      'a call costs id, name and arguments',
      { role: 'assistant', tool_calls: [{ id: 'c1', function: { name: 'ls', arguments: '{}' } }] },
      3 + 9 + 3 + 2 + 2 + 2,
    ],
    [
      'arguments may be a value',
      { role: 'assistant', tool_calls: [{ name: 'ls', arguments: { a: 1 } }] },
      3 + 9 + 3 + 2 + 7,
    ],
    ['what is no call costs nothing', { role: 'assistant', tool_calls: [null, 3, 'x'] }, 3 + 9],
    [
      'text parts count as their text',
      { role: 'user', content: [{ type: 'text', text: 'ab' }, 'cd', 7] },
      3 + 4 + 4,
    ],
    ['other parts count as JSON', { role: 'user', content: [{ type: 'x' }] }, 3 + 4 + 12],
    ['content that is an object counts as JSON', { role: 'user', content: { a: 1 } }, 3 + 4 + 7],
  ])('%s', (_, message, expected) => {
    expect(tokens(message)).toBe(expected);
  });

  test.each([
    ['low detail', { url: 'https://a.b/c.png', detail: 'low' }, 85],
    ['a remote image, taken for 1,024 by 1,024', { url: 'https://a.b/c.png' }, 85 + 4 * 170],
    ['512 by 512 is one tile', { url: png(512, 512) }, 85 + 170],
    ['513 by 512 are two', { url: png(513, 512) }, 85 + 2 * 170],
    ['2,048 by 4,096 shrinks to 768 by 1,536', { url: png(2048, 4096) }, 85 + 6 * 170],
    ['a small one is not enlarged', { url: png(10, 10) }, 85 + 170],
    ['an image that is no object', png(512, 512), 85 + 170],
    ['no address at all', {}, 85 + 4 * 170],
  ])('an image: %s', (_, image_url, expected) => {
    expect(tokens({ role: '', content: [{ type: 'image_url', image_url }] })).toBe(3 + expected);
  });
});

describe('the size of an image', () => {
  const le16 = (number: number) => [number & 0xff, number >> 8];
  const filler = Array.from({ length: 20 }, () => 0);
  test.each([
    ['PNG', png(300, 200), { width: 300, height: 200 }],
    ['GIF', dataUrl('GIF89a', le16(300), le16(200)), { width: 300, height: 200 }],
    [
      'WebP with extras',
      dataUrl('RIFF', [0, 0, 0, 0], 'WEBPVP8X', big(0), big(0), [43, 1, 0], [199, 0, 0]),
      { width: 300, height: 200 },
    ],
    [
      'WebP without loss',
      dataUrl('RIFF', big(0), 'WEBPVP8L', big(0), [0x2f], [0x2b, 0xc1, 0x31, 0], filler),
      { width: 300, height: 200 },
    ],
    [
      'WebP with loss',
      dataUrl('RIFF', big(0), 'WEBPVP8 ', big(0), big(0), [0, 0], le16(300), le16(200)),
      { width: 300, height: 200 },
    ],
    ['WebP of no kind that is known', dataUrl('RIFF', big(0), 'WEBPWHAT', filler), undefined],
    [
      'JPEG',
      dataUrl([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc2, 0, 8, 8, 0, 200, 1, 44], filler),
      { width: 300, height: 200 },
    ],
    ['JPEG without a frame', dataUrl([0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff], filler), undefined],
    ['an image without a side', png(0, 10), undefined],
    ['something else', dataUrl('BM', filler), undefined],
    ['too short', dataUrl('\x89PNG'), undefined],
    ['no base64', 'data:image/png;base64,*', undefined],
    ['no data', 'https://a.b/c.png', undefined],
    ['data as text', 'data:image/svg+xml,<svg/>', undefined],
  ])('%s', (_, url, size) => {
    expect(imageSize(url)).toEqual(size);
  });
});

test('a counter may count whole messages, and one that fails or says nonsense counts nothing', () => {
  const message = { role: 'user', content: 'abc' };
  const count = () => 1;
  const tokensBy = (counter: TokenCounter | undefined) => tokensOfMessage(counter)(message, message);
  expect(tokensBy({ count, countMessage: () => 42 })).toEqual({ tokens: 42, exact: false });
  for (const nonsense of [Number.NaN, -1, Number.POSITIVE_INFINITY, '3' as unknown as number]) {
    expect(tokensBy({ count, countMessage: () => nonsense }).tokens).toBeUndefined();
  }
  const fails = () => {
    throw new Error('boom');
  };
  expect(tokensBy({ count: fails }).tokens).toBeUndefined();
  expect(tokensBy(undefined).tokens).toBeUndefined();
});
