import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { fillExample } from '../../../src/export/secrets/secretRow.js';
import { runs } from '../../support/fixedInputs.js';

const VALUE = fillExample('{14}');

/** What is left of a value, and how much was taken out. */
function left(value: unknown) {
  const redactor = new Redactor();
  return { value: redactor.value(value), count: redactor.count };
}

const NAMED = '[REDACTED:named-value]';

describe('in objects', () => {
  test.each([
    ['a list', { passwords: [VALUE, 'none'] }, { passwords: [NAMED, 'none'] }],
    ['a field', { password: { value: VALUE, id: 1 } }, { password: { value: NAMED, id: 1 } }],
    ['a number', { password: 483920175566 }, { password: NAMED }],
    [
      'an environment',
      [{ name: 'DB_PASSWORD', value: 'correcthorse' }],
      [{ name: 'DB_PASSWORD', value: NAMED }],
    ],
    [
      'an environment of Amazon',
      [{ Name: 'db-password', Value: VALUE }],
      [{ Name: 'db-password', Value: NAMED }],
    ],
    ['words of a command', ['mysql', `-p${VALUE}`], ['mysql', '-p[REDACTED:password]']],
    ['words of curl', ['curl', '-u', `u:${VALUE}`], ['curl', '-u', 'u:[REDACTED:password]']],
    ['words of an option', ['tool', '--password', VALUE], ['tool', '--password', '[REDACTED:password]']],
  ])('%s loses what is secret', (_, value, clean) => {
    expect(left(value)).toEqual({ value: clean, count: 1 });
    // Arguments of calls are a text of JSON, and stay one.
    const { arguments: text } = left({ arguments: JSON.stringify(value) }).value as { arguments: string };
    expect(JSON.stringify(JSON.parse(text))).not.toMatch(/aB3dE5|correcthorse|4839/);
  });

  test.each([
    [{ tokens: ['The', 'quick2brown'], token: 12345678, max_tokens: 123456 }],
    [{ password: false, secret: 1, passwords: [], secrets: ['db-credentials'] }],
    [{ token: { value: 'identifier', line: 12345678 } }],
    [{ password: { type: 'string', minLength: 12 } }],
    [[{ name: 'token', value: 'identifier' }]],
    [[{ name: 'DB_PASSWORD', value: '$(DB_PASSWORD)' }]],
    [['mysql', '-p', 'shop2026']],
    [['mkdir', '-p', 'a/b2']],
  ])('%j stays', (value) => {
    expect(left(value)).toEqual({ value, count: 0 });
  });
});

test('a number in JSON is replaced by a string, so that it stays JSON', () => {
  const text = JSON.stringify({ a: JSON.stringify({ password: 483920175566, b: 1 }) });
  const clean = JSON.parse(String(left(text).value)) as { a: string };
  expect(JSON.parse(clean.a)).toEqual({ password: NAMED, b: 1 });
});

test.each([
  ['"$Tr0ng!P4ssword"', false],
  ['"<3myC4tVery"', false],
  ['"@dmin!2026"', false],
  ['"$DB_PASSWORD"', true],
  ['"${DB_PASSWORD}"', true],
  ['"$config.password2"', true],
  ['"<your password 2>"', true],
  ['"@password"', true],
])('only a whole reference is one: password: %s', (value, stays) => {
  const text = `"password": ${value}`;
  expect(left(text).count).toBe(stays ? 0 : 1);
});

test('every word of a list of passwords goes out, also in text', () => {
  expect(left(`passwords: ["${VALUE}", "${VALUE}x"], b: ["${VALUE}"]`).value).toBe(
    `passwords: ["${NAMED}", "${NAMED}"], b: ["${VALUE}"]`,
  );
});

const LINE = fillExample('{40}');

describe('a private key of which a part is missing', () => {
  test.each([
    ['its end', `a\n-----BEGIN PRIVATE KEY-----\n${LINE}\n${LINE}\nabcd1234==\nThe end.`],
    ['its end, with numbers', `a\n1\t-----BEGIN PRIVATE KEY-----\n2\t${LINE}\n3\t${LINE}\nThe end.`],
    ['its beginning', `a b\n${LINE}\nabcd1234==\n-----END PRIVATE KEY-----\nThe end.`],
    [
      'its beginning, with numbers',
      `a b\n8\t${LINE}\n9\tabcd1234==\n10\t-----END PRIVATE KEY-----\nThe end.`,
    ],
  ])('%s', (_, text) => {
    const clean = String(left(text).value);
    expect(clean).not.toMatch(/aB3dE5|abcd1234/);
    expect(clean).toMatch(/^a[^]*\[REDACTED:private-key\][^]*The end\.$/);
  });
});

test('long texts of almost-values are read in one go', () => {
  for (const text of [
    'password: x '.repeat(runs(80_000)),
    'password: ["a",'.repeat(runs(70_000)),
    'password(`'.repeat(runs(100_000)),
    'password="""'.repeat(runs(80_000)),
    'password&quot;:&quot;'.repeat(runs(50_000)),
    'password :: '.repeat(runs(80_000)),
    '["a","-p'.repeat(runs(120_000)),
    '["a","-p",'.repeat(runs(100_000)),
    '-----END PRIVATE KEY-----\n'.repeat(runs(40_000)),
    `-----BEGIN PRIVATE KEY-----\n${'1 '.repeat(runs(400_000))}`,
    '%3A%2F%2F'.repeat(runs(100_000)),
    `password: ${'$a'.repeat(runs(400_000))}`,
  ])
    expect(new Redactor().text(text).length).toBeGreaterThan(0);
});
