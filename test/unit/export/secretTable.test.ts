import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { redacted } from '../../../src/export/secrets/redacted.js';
import { kindOf } from '../../../src/export/secrets/secretKind.js';
import { fillExample } from '../../../src/export/secrets/secretRow.js';
import { ALL_KINDS, SECRETS } from '../../../src/export/secrets/secretTable.js';

/** What is left of a text, and how many secrets were taken out. */
function clean(text: string) {
  const redactor = new Redactor();
  return { text: redactor.text(text), count: redactor.count };
}

describe('every row of the table', () => {
  test('has a name of its own', () => {
    expect(new Set(SECRETS.map(({ name }) => name)).size).toBe(SECRETS.length);
  });

  test.each(SECRETS)(
    '$name: its example is taken out, also in JSON, and its counter-example stays',
    (row) => {
      const example = fillExample(row.example);
      const { text, count } = clean(example);
      expect(text).toMatch(/\[REDACTED:[a-z0-9-]+\]/);
      expect(redacted(kindOf(row))).toMatch(/^\[REDACTED:[a-z0-9-]{2,40}\]$/);
      expect(count).toBeGreaterThan(0);
      const inJson = new Redactor().value({ arguments: JSON.stringify({ text: example }) });
      expect(inJson).toEqual({ arguments: JSON.stringify({ text }) });
      const counterExample = fillExample(row.counterExample);
      expect(clean(counterExample)).toEqual({ text: counterExample, count: 0 });
    },
  );

  test.each(SECRETS)(
    '$name: finds its example by itself, not thanks to another row',
    ({ find, example, accepts }) => {
      const text = fillExample(example);
      const values =
        find instanceof RegExp
          ? Array.from(text.matchAll(find), ([match, kept]) =>
              match.slice(typeof kept === 'string' ? kept.length : 0),
            )
          : find(text).map(({ start, end }) => text.slice(start, end));
      expect(values.filter((value) => accepts?.(value) ?? true)).not.toEqual([]);
    },
  );

  /** Other ways to write an example, in which much is none any more. */
  const REWRITTEN: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => text.toUpperCase(),
    (text) => text.replace(/ /g, '  '),
    (text) => text.replace(/ /g, '\t'),
    (text) => text.replace(/ /g, '\u00a0'),
    (text) => text.replace(/ /g, ' \t'),
    (text) => text.replace(/ /, '\t'),
    (text) => text.replace(/ /g, ' 2. '),
    (text) => text.replace(/ /g, '\r\n'),
    (text) => text.replace(/: ?/g, '='),
    (text) => text.replace(/=/g, ' = '),
    (text) => text.replace(/"/g, '\\"'),
    (text) => text.replace(/"/g, "'"),
    (text) => text.replace(/[ -]/g, ''),
  ];

  test.each(SECRETS)('$name: is chosen wherever it finds something', (row) => {
    const { find, accepts = () => true } = row;
    const text = fillExample(row.example);
    let found = 0;
    for (const rewritten of REWRITTEN)
      for (const before of ['', '"', ': ', '\n', '日'])
        for (const behind of ['', '"', '\r\n']) {
          const written = before + rewritten(text) + behind;
          const some =
            find instanceof RegExp
              ? [...written.matchAll(find)].filter(([match, kept = '']) => accepts(match.slice(kept.length)))
              : find(written);
          if (some.length === 0) continue;
          found++;
          expect(ALL_KINDS.rowsFor(written), JSON.stringify(written)).toContain(row);
        }
    expect(found).toBeGreaterThan(0);
  });

  test.each(SECRETS)('$name: reads hostile texts in one go', ({ find, example }) => {
    const text = fillExample(example);
    for (const length of [3, 8, 40]) {
      for (const separator of ['', '-', ' ', '="']) {
        const start = text.slice(0, length) + separator;
        const hostile = start.repeat(Math.ceil(60_000 / start.length));
        if (find instanceof RegExp)
          expect(hostile.replace(find, '').length).toBeLessThanOrEqual(hostile.length);
        else expect(find(hostile).length).toBeLessThan(hostile.length);
      }
    }
  });
});
