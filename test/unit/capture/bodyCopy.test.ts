import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { BodyCopy } from '../../../src/capture/proxy/recordingProxy.js';
import { readSent } from '../../../src/capture/proxy/exchangeRecorder.js';
import { BodyBudget } from '../../../src/capture/servers/requestBody.js';

/** The most bytes of one that is unpacked. */
const MAX = 1_000_000;

test('a copy that is larger than one may be is left out, and holds nothing', async () => {
  const budget = new BodyBudget(100);
  const copy = new BodyCopy(10, budget);
  for (let at = 0; at < 5; at += 1) copy.add(Buffer.from('1234'));
  expect(await readSent(copy.sent(undefined), MAX)).toEqual({
    value: undefined,
    problem: '20 bytes are more than is kept at once.',
  });
  expect(budget.used).toBe(0);
});

test('copies that would hold too much together are left out, until others are given up', async () => {
  const budget = new BodyBudget(10);
  const [first, second] = [new BodyCopy(10, budget), new BodyCopy(10, budget)];
  first.add(Buffer.from('"12345"'));
  second.add(Buffer.from('"12345"'));
  expect((await readSent(second.sent(undefined), MAX)).problem).toBe(
    '7 bytes are more than is kept at once.',
  );
  expect((await readSent(first.sent(undefined), MAX)).value).toBe('12345');
  first.free();
  const third = new BodyCopy(10, budget);
  third.add(Buffer.from('"12345"'));
  expect((await readSent(third.sent(undefined), MAX)).value).toBe('12345');
});

const TEXT = Array.from({ length: 5_000 }, (_, at) => `line ${at * 7919}`).join('\n');

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['gzip, br', (text: string) => brotliCompressSync(gzipSync(text))],
])('what is packed as %s is read, and where it was cut as far as it came', async (encoding, pack) => {
  const packed = pack(TEXT);
  expect(await readAs(encoding, packed)).toEqual({ value: TEXT, problem: '' });
  const { value, problem } = await readAs(encoding, packed.subarray(0, packed.length / 2));
  expect(TEXT.startsWith(String(value))).toBe(true);
  expect(String(value).length).toBeGreaterThan(100);
  expect(problem).toBe(`What is packed as ${encoding} was cut; it is kept as far as it came.`);
});

test.each(['gzip', 'zstd', 'gzip, gzip, gzip, gzip, gzip'])('what is no %s is not kept', async (encoding) => {
  expect(await readAs(encoding, Buffer.from('plain'))).toEqual({
    value: undefined,
    problem: `5 bytes that are no ${encoding} were not kept.`,
  });
});

function readAs(encoding: string, bytes: Buffer) {
  const copy = new BodyCopy(MAX, new BodyBudget(MAX));
  copy.add(bytes);
  return readSent(copy.sent(encoding), MAX);
}
