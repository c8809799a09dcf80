import { mkdtemp, open, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import {
  endsWithinLine,
  firstLineFrom,
  LINE_FEED,
  LineRoom,
  linesOf,
  readLines,
} from '../../../src/node/lines.js';

/** Bytes with many line feeds, at their ends too. */
const someBytes = fc
  .array(fc.constantFrom(LINE_FEED, 0x61, 0x62, 0xff), { maxLength: 60 })
  .map((bytes) => Buffer.from(bytes));

/** The lines by another way: a text with a character for each byte is split. */
function splitLines(bytes: Buffer): string[] {
  const lines = bytes.toString('latin1').split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

const asText = (line: Buffer) => line.toString('latin1');

async function fileWith(bytes: Buffer): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'lines-'));
  await writeFile(join(folder, 'lines'), bytes);
  const handle = await open(join(folder, 'lines'));
  onTestFinished(async () => {
    await handle.close();
    await rm(folder, { recursive: true });
  });
  return handle;
}

test('bytes come through a room as whole lines, however they are cut and however small it is', () => {
  const cuts = fc.array(fc.nat({ max: 9 }), { maxLength: 20 });
  fc.assert(
    fc.property(someBytes, cuts, fc.integer({ min: 1, max: 8 }), (bytes, sizes, size) => {
      const room = new LineRoom(Buffer.alloc(size));
      const given: string[] = [];
      for (let at = 0, step = 0; at < bytes.length || step === 0; step++) {
        const free = room.free();
        const length = Math.min(free.length, bytes.length - at, 1 + (sizes[step] ?? 3));
        bytes.copy(free, 0, at, at + length);
        at += length;
        const lines = room.lines(length, at === bytes.length);
        expect(at === bytes.length || lines.length === 0 || lines.at(-1) === LINE_FEED).toBe(true);
        given.push(asText(lines));
      }
      expect(given.join('')).toBe(asText(bytes));
      expect(room.waiting).toBe(0);
    }),
  );
});

test('a room takes no more memory than the longest line needs', () => {
  const line = Buffer.from('0123456789\n');
  const room = new LineRoom(Buffer.alloc(16));
  let most = 0;
  for (let count = 0; count < 1_000; count++)
    for (const byte of line) {
      const free = room.free();
      most = Math.max(most, free.length);
      free[0] = byte;
      room.lines(1, false);
    }
  expect(most).toBe(16);
});

test('the lines of bytes are what stands between their line feeds', () => {
  fc.assert(
    fc.property(someBytes, (bytes) => {
      expect([...linesOf(bytes)].map(asText)).toEqual(splitLines(bytes));
    }),
  );
});

test('a file is read in lines from any line on; longer ones are told, not loaded, and what follows the last is the rest', async () => {
  const text = 'one\n\ntwo is long\nthree\nrest';
  const handle = await fileWith(Buffer.from(text));
  for (const [from, at] of [
    [0, 0],
    [1, 4],
    [2, 5],
    [3, 17],
  ] as const) {
    const found: (string | number)[] = [];
    const visitor = {
      maxBytes: 6,
      line: (bytes: Buffer) => void found.push(asText(bytes)),
      giant: (_offset: number, bytes: number) => void found.push(bytes),
    };
    const chunks = readLines(handle, visitor, at, undefined, undefined, Buffer.alloc(4));
    let chunk = await chunks.next();
    while (!chunk.done) chunk = await chunks.next();
    expect(found).toEqual(['one', '', 11, 'three'].slice(from));
    expect(chunk.value).toEqual({ offset: 23, bytes: 4 });
  }
  expect(await firstLineFrom(handle, 1, text.length)).toBe(4);
  expect(await firstLineFrom(handle, 5, text.length)).toBe(5);
  expect(await firstLineFrom(handle, 24, text.length)).toBeUndefined();
});

test.each([
  ['', false],
  ['a', true],
  ['a\n', false],
  ['a\nb', true],
])('whether a file ends within a line: %j', async (text, isWithin) => {
  expect(await endsWithinLine(await fileWith(Buffer.from(text)), text.length)).toBe(isWithin);
});
