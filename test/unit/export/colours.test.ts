import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { fillExample } from '../../../src/export/secrets/secretRow.js';
import { ResultCheck } from '../../../src/export/sharing/resultCheck.js';
import { SharingGate } from '../../../src/export/sharing/sharingGate.js';
import { withoutTerminalSequences } from '../../../src/core/terminalText.js';
import { TEXT_FORMATS } from '../../../src/core/ports/exportFormats.js';
import { runs } from '../../support/fixedInputs.js';

const ESC = '\u001b';
const BODY = fillExample('{36}');
const VALUE = fillExample('{14}');
const clean = (text: string) => new Redactor().text(text);

describe('colours hide no secret', () => {
  test.each([
    ['found by grep', `TOK ${ESC}[01;31m${ESC}[Kghp_${ESC}[m${ESC}[K${BODY} end`, BODY],
    ['with the body in colour', `TOK ghp_${ESC}[01;31m${BODY}${ESC}[m end`, BODY],
    ['with a colour inside', `ghp_${BODY.slice(0, 24)}${ESC}[1m${BODY.slice(24)}`, BODY.slice(24)],
    ['with 256 colours', `ghp_${ESC}[38;5;82m${BODY}${ESC}[39m`, BODY],
    ['printed by jq', `${ESC}[34;1m"password"${ESC}[0m${ESC}[1;39m:${ESC}[0;32m "${VALUE}"`, VALUE],
    ['with a name in colour', `${ESC}[36mpassword${ESC}[0m=${VALUE}`, VALUE],
    ['with a colour behind it', `password: ${VALUE}${ESC}[0m`, VALUE],
    ['behind a change of characters', `password: ${VALUE}${ESC}(B${ESC}[m`, VALUE],
    ['in JSON', JSON.stringify({ out: `password: ${ESC}[31m${VALUE}${ESC}[0m` }), VALUE],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(`ghp_${ESC}[1m${BODY}`)), BODY],
    ['in a link', `${ESC}]8;;https://me:${VALUE}@git.example/a\u0007a${ESC}]8;;\u0007`, VALUE],
    ['in a title', `${ESC}]0;mysql --password=${VALUE}\u0007done`, VALUE],
    ['behind an escape alone', `${ESC}ghp_${BODY}`, BODY],
  ])('%s', (_, text, secret) => {
    const left = clean(text);
    expect(withoutTerminalSequences(left)).not.toContain(secret);
    expect(left).not.toContain(secret);
    expect(left).toMatch(/\[REDACTED:[a-z-]+\]/);
  });

  test('and stay where they were', () => {
    expect(clean(`a ${ESC}[31mghp_${ESC}[m${BODY}${ESC}[0m b ${ESC}[1mpassword=${VALUE}${ESC}[0m c`)).toBe(
      `a ${ESC}[31m[REDACTED:github-token]${ESC}[m${ESC}[0m b ${ESC}[1mpassword=[REDACTED:named-value]${ESC}[0m c`,
    );
    const link = `${ESC}]8;;https://a.example/b${ESC}\\here${ESC}]8;;${ESC}\\ and ${ESC}[2Jmore`;
    expect(clean(link)).toBe(link);
  });

  test('wherever they stand in a text with secrets, the text that is left is the same without them', () => {
    const text = `one ghp_${BODY} two password="${VALUE}" three https://me:${VALUE}@a.example four`;
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.nat(text.length),
            fc.constantFrom(`${ESC}[0m`, `${ESC}[01;31m`, `${ESC}[K`, `${ESC}(B`, `${ESC}]0;t\u0007`),
          ),
          { maxLength: 12 },
        ),
        (marks) => {
          const coloured = marks
            .toSorted(([a], [b]) => b - a)
            .reduce((made, [at, mark]) => made.slice(0, at) + mark + made.slice(at), text);
          const left = clean(coloured);
          expect(withoutTerminalSequences(left)).toBe(clean(text));
          for (const [, mark] of marks) expect(left).toContain(mark);
        },
      ),
    );
  });
});

const said = (content: string, seq = 0) => ({
  seq,
  type: 'message',
  id: `m${seq}`,
  time: 1,
  conversation: 'c',
  run: 'r',
  call: 'k',
  agent: 'Cookie',
  depth: 0,
  message: { role: 'user', content },
});

test.each(TEXT_FORMATS)('a transcript with a coloured key is written as %s, without the key', (format) => {
  const items = [
    said(`TOK ${ESC}[01;31mghp_${ESC}[m${BODY}`),
    said(`${ESC}[34m"api_key"${ESC}[0m: "${VALUE}"`, 1),
    said(`and ${VALUE.slice(0, 5)}${ESC}[7m${VALUE.slice(5)}${ESC}[0m alone`, 2),
  ];
  const gate = new SharingGate();
  items.forEach((item, at) => gate.look(item, at));
  const made = exportMessages(items, format, { gate, full: true });
  expect(made).not.toContain(BODY.slice(8));
  expect(made).not.toContain(VALUE.slice(5));
  expect(made.replaceAll('\\', '').match(/\[REDACTED:named-value:1\]/g)).toHaveLength(2);
});

test.each([
  ['a key', `ghp_${ESC}[m${BODY}`],
  ['a key in JSON', JSON.stringify(`ghp_${ESC}[m${BODY}`)],
])('the second look sees through colours: %s', (_, text) => {
  expect(() => new ResultCheck().next(text)).toThrow('github-token');
});

test('long texts of colours are read in one go', () => {
  for (const text of [
    `${ESC}[`.repeat(runs(500_000)),
    `${ESC}]`.repeat(runs(500_000)),
    `${ESC}[31mpassword="x${ESC}[0m `.repeat(runs(40_000)),
    '\\u001b'.repeat(runs(150_000)),
    `${ESC}]${'x'.repeat(runs(1_000_000))}`,
    '\\'.repeat(runs(1_000_000)) + 'u001b',
  ])
    expect(clean(text).length).toBeLessThanOrEqual(text.length);
});
