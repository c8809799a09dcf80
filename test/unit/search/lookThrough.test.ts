import fc from 'fast-check';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isPlainLine, rawTextsOfPattern, type RawText } from '../../../src/search/bytes/rawText.js';
import { escapeRegExp } from '../../../src/core/escapeRegExp.js';
import { mayStandIn } from '../../../src/search/sessions/storedSession.js';
import { literalSearch } from '../../../src/search/bytes/byteSearch.js';
import { allTextOf } from '../../../src/query/textTest.js';
import { encodeHeader } from '../../../src/store/format/journalHeader.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { runs } from '../../support/fixedInputs.js';
import { nastyText } from '../../support/nastyTexts.js';
import { recordOf, said } from '../../support/storeFixture.js';

const folder = mkdtempSync(join(tmpdir(), 'look-through-'));
const path = join(folder, 'messages.jsonl');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const text = (text: string, ignoresCase = true): RawText => ({ text, ignoresCase });

/** Whether a text may stand in a journal of these lines. */
function mayStand(wanted: RawText, lines: readonly (string | Buffer)[]): boolean {
  writeFileSync(path, Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')])));
  return mayStandIn(path, [wanted]);
}

const line = (content: string) => encodeLine(recordOf(1, said(content)));
/** A line as another program may write it: with what it may escape escaped, and without a checksum. */
const escaped = (content: string) =>
  JSON.stringify(recordOf(1, said(content))).replaceAll(
    content,
    content.replaceAll(/[^]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );

describe('the bytes of a journal', () => {
  test.each([
    ['a text in a message', 'error', [line('no'), line('an ERROR here')], true],
    ['nothing like it', 'error', [line('no'), line('nothing')], false],
    ['a name of the format that is no text', 'conversation', [line('no')], false],
    ['a text whose letters are escaped', 'error', [line('no'), escaped('error')], true],
    ['escaped letters of another text', 'error', [escaped('other')], false],
    ['what is escaped to be safe in HTML', 'error', [escaped('<a & b>')], false],
    ['the Kelvin sign for a k', 'kiss', [line('a \u212aiss')], true],
    ['the Kelvin sign, escaped', 'kiss', [escaped('\u212aiss')], true],
    ['the long s for an s', 'kiss', [line('a ki\u017fs')], true],
    ['a damaged line, which has to be told', 'error', [line('no'), line('an error').subarray(0, -3)], true],
    ['the header of the journal', 'logbook', [encodeHeader('c1', 1, 0), line('no')], false],
  ])('%s', (_, wanted, lines, may) => {
    expect(mayStand(text(wanted), lines)).toBe(may);
  });

  test('letter case counts where it is asked to', () => {
    expect(mayStand(text('Error', false), [line('an error')])).toBe(false);
    expect(mayStand(text('Error', false), [line('an Error')])).toBe(true);
  });

  test('a large text that is elsewhere may hold any', () => {
    const record = {
      ...recordOf(1, said('the beginning')),
      spill: [{ field: 'content', path: 'x', bytes: 9, sha256: '0' }],
    };
    expect(mayStand(text('error'), [encodeLine(record as never)])).toBe(true);
  });

  test('a line is found wherever the pieces end in which a long journal is read', () => {
    const long = 'word '.repeat(700_000);
    for (const at of [0, 1, 2, 3]) {
      const lines = [0, 1, 2, 3].map((number) => line(number === at ? `${long} needle` : long));
      expect(mayStand(text('needle'), lines)).toBe(true);
    }
    expect(mayStand(text('needle'), [line(long), line(long), line(long)])).toBe(false);
  });

  test('tell of no text that it is not there while it is', () => {
    const needles = fc.constantFrom('kiss', 'I', 's', '42', 'the', 'a b');
    fc.assert(
      fc.property(
        fc.array(nastyText(12), { maxLength: 6 }),
        needles,
        fc.boolean(),
        (texts, needle, exact) => {
          const records = texts.map((each, at) => recordOf(at + 1, said(each)));
          const holds = records.some((record) => {
            const all = allTextOf(record);
            return exact ? all.includes(needle) : all.toLowerCase().includes(needle.toLowerCase());
          });
          if (holds) expect(mayStand(text(needle, !exact), records.map(encodeLine))).toBe(true);
        },
      ),
      { numRuns: runs(300) },
    );
  });
});

/** A line with a letter escaped in a text, or, `deep`, in arguments that are JSON within JSON. */
const withLetter = (letter: string, deep: boolean) => {
  const code = `\\u00${letter.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return Buffer.from(
    JSON.stringify(recordOf(1, said('@'))).replace('@', deep ? `\\\\${code.slice(1)}` : code),
  );
};

test('a line is plain unless a character is escaped that a text which is looked for in bytes may have, or a backslash', () => {
  const ascii = Array.from({ length: 0x5f }, (_, at) => String.fromCharCode(0x20 + at));
  for (const letter of ascii)
    for (const deep of [false, true]) {
      const [raw] = rawTextsOfPattern(new RegExp(escapeRegExp(`${letter}${letter}`), 'u')) ?? [];
      const isSafe = isPlainLine(withLetter(letter, deep));
      expect([letter, isSafe]).toEqual([letter, raw === undefined && letter !== '\\']);
    }
});

test.each([
  ['plain words', true],
  ['é and \u001b[1m', true],
  ['a \u212a', false],
])('a line with %s is plain or not', (content, isPlain) => {
  expect(isPlainLine(line(content))).toBe(isPlain);
});

test('a literal is found at each of its places, whatever letter it is searched by', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'B', 'b', 'A', 'x', ' '), maxLength: 6_000, minLength: 0 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'x', 'q'), minLength: 1, maxLength: 9 }),
      // In many bytes a letter is rare, and there are several pieces.
      fc.constantFrom(0, 98_300, 98_303, 200_000),
      fc.boolean(),
      (some, literal, blanks, ignoresCase) => {
        const bytes = `${some}${' '.repeat(blanks)}${some.slice(0, 200)}${literal}Q`;
        const [where, what] = ignoresCase ? [bytes.toLowerCase(), literal.toLowerCase()] : [bytes, literal];
        const wanted: number[] = [];
        for (let at = where.indexOf(what); at >= 0; at = where.indexOf(what, at + 1)) wanted.push(at);
        const next = literalSearch(literal, ignoresCase).over(Buffer.from(bytes));
        const found: number[] = [];
        for (let at = next(0); at >= 0; at = next(at + 1)) found.push(at);
        expect(found).toEqual(wanted);
      },
    ),
    { numRuns: runs(200) },
  );
});
