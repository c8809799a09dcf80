import { expect, test } from 'vitest';
import { textOf } from '../../../src/core/message.js';
import type { ExportFormat, ExportReport } from '../../../src/export/exportFormat.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { teamStory } from '../../support/teamStory.js';

const { records } = teamStory();

/** A full export of the team's story, and what its report says. */
function full(format: ExportFormat, items: readonly unknown[] = records) {
  let report: ExportReport | undefined;
  const onReport = (made: ExportReport) => (report = made);
  const made = exportMessages(items, format, { full: true, redact: false, title: 'A story', onReport });
  return { text: typeof made === 'string' ? made : JSON.stringify(made), report };
}

/** Each text that somebody said, called or got as an answer in the story. */
const said = records.flatMap((record) => {
  if (record.type !== 'message') return [];
  const { content, reasoning_content: reasoning, tool_calls: calls } = record.message;
  return [textOf(content), reasoning ?? '', ...(calls ?? []).map((call) => call.function.arguments)];
});

/** The words of three letters and more with how often they stand there; marks and layout are no words. */
function wordsOf(text: string): Map<string, number> {
  const words = new Map<string, number>();
  for (const [word] of text.matchAll(/\p{L}{3,}/gu)) words.set(word, (words.get(word) ?? 0) + 1);
  return words;
}

/** The words of `texts` that stand less often in an export. */
function missingWords(texts: readonly string[], exported: string): string[] {
  const there = wordsOf(exported);
  return [...wordsOf(texts.join('\n'))]
    .filter(([word, count]) => (there.get(word) ?? 0) < count)
    .map(([word]) => word);
}

test('JSON in full holds every record with all of its fields', () => {
  const elements = JSON.parse(full('json').text) as { record: object }[];
  expect(elements).toHaveLength(records.length);
  for (const [at, record] of records.entries()) {
    const { message, ...rest } = record as { message?: object };
    expect(elements[at]).toMatchObject({ ...message, record: JSON.parse(JSON.stringify(rest)) as object });
  }
});

test('CSV in full has a column for what readers compare, and cuts nothing', () => {
  const long = {
    seq: 1,
    type: 'message',
    agent: 'a',
    model: 'm',
    usage: { inputTokens: 7, outputTokens: 3, estimated: false },
    message: { role: 'assistant', content: 'x'.repeat(2_000) },
  };
  const { text, report } = full('csv', [long]);
  expect(text.split('\r\n')[0]).toContain('agent,depth,role,model,content,reasoning');
  expect(text).toContain('x'.repeat(2_000));
  expect(text).toMatch(/,3,7,3\r\n$/);
  expect(report?.leftOut).toBeUndefined();
  expect(full('csv').report?.leftOut?.['records without a message']).toBeGreaterThan(0);
});

test.each(['markdown', 'html'] as const)(
  '%s in full holds every text, who approved, what failed and how it ended',
  (format) => {
    const { text } = full(format);
    expect(missingWords(said, text.slice(Math.max(0, text.indexOf('<body>'))))).toEqual([]);
    expect(text).toContain('A story');
    expect(text).toMatch(/was approved \(user\)/);
    expect(text).toMatch(/ends: done/);
    expect(text).toMatch(/gpt-5-mini/);
  },
);
