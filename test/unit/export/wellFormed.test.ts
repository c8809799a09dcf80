import { describe, expect, test } from 'vitest';
import { wellFormedIn, wellFormedJson } from '../../../src/core/wellFormed.js';
import { BRIDGE_FORMATS, type FileFormat } from '../../../src/core/ports/exportFormats.js';
import type { ExportOptions, ExportReport } from '../../../src/export/exportFormat.js';
import { fileChunks } from '../../../src/export/files/fileChunks.js';

const HALF = '\ud83d';
const CALL = {
  id: 't1',
  type: 'function',
  function: { name: 'bake', arguments: JSON.stringify({ [`key${HALF}`]: `flour ${HALF}`, fair: '🎡' }) },
};
const AT = { run: 'r', call: 'c', agent: 'baker', depth: 0, conversation: 'v', type: 'message' };
const RECORDS = [
  { role: 'user', content: `cherry 🍒 cut ${HALF}` },
  { role: 'assistant', content: [{ type: 'text', text: `plum ${HALF}` }], tool_calls: [CALL] },
  { role: 'tool', tool_call_id: 't1', content: `done \udf52 ${HALF}${HALF}` },
].map((message, index) => ({ seq: index + 1, id: `m${index}`, time: 5 + index, ...AT, message }));

/** Half of a character, as it is or as an escape, at any depth of JSON within JSON. */
const LONE =
  /\p{Surrogate}|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\+u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\*)\\u[dD][c-fC-F][0-9a-fA-F]{2}/u;

async function written(format: FileFormat, options: ExportOptions) {
  let report: ExportReport | undefined;
  let text = '';
  const onReport = (made: ExportReport) => (report = made);
  for await (const chunk of fileChunks(RECORDS, format, { ...options, onReport })) text += chunk;
  return { text, report };
}

const FORMATS: readonly FileFormat[] = ['markdown', 'html', 'csv', 'json', ...BRIDGE_FORMATS];

describe.each(FORMATS)('%s', (format) => {
  test.each([
    ['in full', { full: true, title: `Cherries ${HALF}` }],
    ['the messages', { full: false }],
  ] as const)('%s: what leaves is well formed, and that halves were replaced is told', async (_, options) => {
    const { text, report } = await written(format, options);
    expect(text).toContain('cherry 🍒 cut \ufffd');
    expect(LONE.exec(text)?.[0]).toBeUndefined();
    expect(report?.leftOut?.['halves of characters']).toBeGreaterThan(0);
  });
});

test('what was recorded comes back from our own export of everything, secrets included', async () => {
  const { text, report } = await written('json', { full: true, redact: false });
  expect(JSON.parse(text)).toMatchObject(RECORDS.map(({ message }) => message));
  expect(report?.leftOut).toBeUndefined();
});

test('only halves are replaced', () => {
  expect(wellFormedIn(RECORDS.slice(0, 0))).toEqual([]);
  const whole = { text: '🍒 \\ud83d', arguments: String.raw`{"a":"\ud83c\udf52 \\ud83d \u0041"}` };
  expect(wellFormedIn(whole)).toBe(whole);
  expect(wellFormedJson(String.raw`"\\\ud83d\\ud83d\udf52"`)).toBe(
    String.raw`"\\` + '\ufffd' + String.raw`\\ud83d` + '\ufffd"',
  );
});
