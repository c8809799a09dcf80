import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { fillExample } from '../../../src/export/secrets/secretRow.js';
import { INNOCENTS, SECRET_KINDS } from '../../support/secretKinds.js';

/** What was made up of a text: each `{36}` by itself. */
const inventions = (template: string) =>
  Array.from(template.matchAll(/\{(?:u|[hAd]?\d{1,3})\}/g), ([one]) => fillExample(one)).filter(
    (one) => one.length >= 8,
  );

/** The kinds of which the longest part that was made up can still be read in an export. */
const missed = Object.entries(SECRET_KINDS)
  .filter(([, template]) => {
    const text = new Redactor().text(fillExample(template));
    const [longest = ''] = inventions(template).toSorted((a, b) => b.length - a.length);
    return text.includes(longest);
  })
  .map(([kind]) => kind);

const alarms = INNOCENTS.map((template) => fillExample(template)).filter(
  (text) => new Redactor().text(text) !== text,
);

const kinds = Object.keys(SECRET_KINDS).length;
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

test('of at least 150 kinds of secrets, at least 95 in 100 are found', () => {
  expect(kinds).toBeGreaterThanOrEqual(150);
  expect(missed.length / kinds, missed.join(', ')).toBeLessThanOrEqual(0.05);
});

test('of at least 150 innocent texts, at most 2 in 100 are changed', () => {
  expect(new Set(INNOCENTS).size).toBe(INNOCENTS.length);
  expect(INNOCENTS.length).toBeGreaterThanOrEqual(150);
  expect(alarms.length / INNOCENTS.length, alarms.join('\n')).toBeLessThanOrEqual(0.02);
});

test('docs/sharing.md tells these figures', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sharing.md'), 'utf8').replace(
    /\s+/g,
    ' ',
  );
  const found = `${kinds - missed.length} of ${kinds} kinds of secrets (${percent(kinds - missed.length, kinds)})`;
  const changed = `${alarms.length} of ${INNOCENTS.length} innocent texts (${percent(alarms.length, INNOCENTS.length)})`;
  expect(page.includes(`${found} and changes ${changed}`), `${found} and changes ${changed}`).toBe(true);
});
