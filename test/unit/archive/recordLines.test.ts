import { expect, test, vi } from 'vitest';
import { RecordLines } from '../../../src/archive/recordLines.js';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { SharingGate } from '../../../src/export/sharing/sharingGate.js';
import { sharingRules } from '../../../src/export/sharing/sharingPolicy.js';
import type { LogRecord } from '../../../src/core/record.js';
import { recordOf, said } from '../../support/storeFixture.js';

/** Values that only what stands before them gives away: as most are, and with what JSON escapes. */
const VALUES = ['kR7mQ2xV9bT4wZ', 'pL3"nH8cJ5yF1s', 'dG6\\tS2vB9qW4e', 'uA5\nfK8jX3rM7o', 'zE4/hN9&cY2tP6'];

const escaped = (value: string) =>
  Array.from(value, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

/** Each form in which a value may stand where nothing gives it away. */
const FORMS: Readonly<Record<string, (value: string) => string>> = {
  itself: (value) => value,
  inJson: (value) => JSON.stringify({ of: value }),
  inJsonInJson: (value) => JSON.stringify(JSON.stringify({ of: value })),
  escaped: (value) => `{"of":"${escaped(value)}"}`,
  inAddress: (value) => encodeURIComponent(value),
  base64: (value) => Buffer.from(`x${value}y`).toString('base64'),
  coloured: (value) => `${value.slice(0, 5)}\u001b[1m${value.slice(5)}\u001b[0m`,
  spelledColours: (value) => `${value.slice(0, 5)}\\u001b[1m${value.slice(5)}`,
};

/** A conversation that says a value in some form before it is given away. */
function conversation(value: string, form: string): LogRecord[] {
  const call = { id: 't1', type: 'function', function: { name: 'Write', arguments: form } };
  const bodies = [
    said('a loaf'),
    said(`here is ${form} again`),
    { type: 'message', message: { role: 'assistant', content: '', tool_calls: [call] } },
    { type: 'message', message: { role: 'tool', tool_call_id: 't1', content: 'ok', [form]: 1 } },
    said(`password=${JSON.stringify(value)}\nclient_secret: ${value}`),
    { type: 'message', message: { role: 'user', content: 'x', password: value } },
  ];
  return bodies.map((body, at) => recordOf(at + 1, body as ReturnType<typeof said>));
}

test.each(VALUES.flatMap((value) => Object.keys(FORMS).map((form) => [value, form] as const)))(
  'a record that held nothing when it was looked through loses what was given away later: %j %s',
  async (value, form) => {
    const rules = await sharingRules({ names: ['Annabel'] });
    const records = conversation(value, FORMS[form]?.(value) ?? '');
    const gate = new SharingGate(rules);
    const lines = new RecordLines('redacted', 'c1', rules);
    for (const [at, record] of records.entries()) {
      gate.look(record, at);
      lines.look(record, at);
    }
    const redactor = gate.redactor();
    const made = records.map((record) => lines.lineOf(record));
    expect(made.filter(({ mode }) => mode === 'redacted').map(({ record }) => record)).toEqual(
      records
        .filter((_, at) => made[at]?.mode === 'redacted')
        .map((record) => redactor.partOf(record, record)),
    );
    for (const { line } of made) {
      const text = line.toString();
      const views = [
        text,
        text.replaceAll('\\u001b[1m', ''),
        JSON.stringify(JSON.parse(text)).replaceAll('\\', ''),
      ];
      for (const view of views) expect(view).not.toContain(value);
    }
  },
);

test('the texts of a record that holds nothing are looked through once, and what was made of it once more', async () => {
  const rules = await sharingRules({});
  const lines = new RecordLines('redacted', 'c1', rules);
  const records = Array.from({ length: 50 }, (_, at) => recordOf(at + 1, said(`loaf ${at} of bread`)));
  records.push(recordOf(51, said('password=kR7mQ2xV9bT4wZ')));
  for (const [at, record] of records.entries()) lines.look(record, at);
  const texts = vi.spyOn(Redactor.prototype, 'text');
  const parts = vi.spyOn(Redactor.prototype, 'partOf');
  for (const record of records) lines.lineOf(record);
  // One of them goes through what replaces; of each, the JSON is looked at.
  expect(parts).toHaveBeenCalledTimes(1);
  expect(texts.mock.calls.filter(([text]) => text.startsWith('{'))).toHaveLength(records.length);
  vi.restoreAllMocks();
});
