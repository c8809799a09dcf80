import { expect, test } from 'vitest';
import { textOf } from '../../../src/core/message.js';
import type { ExportFormat, ExportReport } from '../../../src/export/exportFormat.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { missingWords } from '../../support/missingWords.js';
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

test('HTML holds what Markdown renderers swallow: definitions of links, what stands behind a fence, remote pictures', () => {
  const content =
    '[one]: https://a.example "words of it"\n\n```ts title="file name.ts"\nx\n```\n\n![alt words](https://b.example/c.png)';
  const { text } = full('html', [{ role: 'user', content }]);
  expect(missingWords([content], text.slice(text.indexOf('<body>')))).toEqual([]);
  expect(text).not.toContain('<img');
});

test('an export that is not full counts what it leaves out, CSV and Markdown alike', () => {
  const message = { role: 'assistant', content: 'a', reasoning_content: 'because', odd: 1 };
  const leftOut = (format: ExportFormat, isFull: boolean) => {
    let report: ExportReport | undefined;
    exportMessages([message], format, { full: isFull, onReport: (made) => (report = made) });
    return report?.leftOut;
  };
  expect(leftOut('markdown', false)).toEqual({ reasoning: 1 });
  expect(leftOut('csv', false)).toEqual({ reasoning: 1 });
  expect(leftOut('json', false)).toBeUndefined();
  for (const format of ['markdown', 'csv', 'html'] as const)
    expect(leftOut(format, true)).toEqual({ 'further fields of messages': 1 });
  expect(leftOut('json', true)).toBeUndefined();
});

test('a decision stands between a call and its result, which stay together', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'run', arguments: '{}' } };
  const items = [
    { seq: 1, type: 'message', call: 'k', message: { role: 'assistant', tool_calls: [call] } },
    {
      seq: 2,
      type: 'approval',
      call: 'k',
      toolName: 'run',
      toolCallId: 'c1',
      decision: 'approved',
      decidedBy: 'user',
    },
    { seq: 3, type: 'message', call: 'k', message: { role: 'tool', tool_call_id: 'c1', content: 'done' } },
  ];
  const { text } = full('markdown', items);
  expect(text).toMatch(/Tool Call: run[^]*> run was approved \(user\)[^]*\*\*Result:\*\*[^]*done/);
  expect(text).not.toContain('### Tool');
});

test('a secret in a name counts once in full exports too', () => {
  const agent = `sk-${'Zq8'.repeat(8)}`;
  const record = { seq: 1, type: 'message', agent, message: { role: 'user', content: 'hi' } };
  for (const format of ['json', 'markdown', 'html', 'csv'] as const) {
    let report: ExportReport | undefined;
    const made = exportMessages([record, record], format, { full: true, onReport: (all) => (report = all) });
    expect(made).not.toContain(agent);
    expect(report?.redacted).toBe(1);
  }
});
