import { describe, expect, test } from 'vitest';
import { isFailed } from '../../../src/query/numbers/failures.js';
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
  expect(elements.slice(records.length).map((last) => Object.keys(last))).toEqual([['title', 'context']]);
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
  expect(text).toMatch(/,3,1,7,3,,,unknown\r\n$/);
  expect(report?.leftOut).toBeUndefined();
  expect(full('csv').report?.leftOut?.['records without a message']).toBeGreaterThan(0);
});

test.each([
  ['markdown', /failed/],
  ['html', /class="error"/],
  ['csv', /,true,/],
] as const)(
  'in %s a tool call has failed where the panel says so: not where a person stopped it',
  (format, mark) => {
    const result = (fields: object) => {
      const message = { role: 'tool', tool_call_id: 'c1', content: 'half' };
      return { seq: 1, type: 'message', toolName: 'run', agent: 'a', ...fields, message };
    };
    const hasFailed = (fields: object) => {
      const item = result(fields);
      return [isFailed(item), mark.test(full(format, [item]).text)];
    };
    expect(hasFailed({})).toEqual([false, false]);
    expect(hasFailed({ isError: true })).toEqual([true, true]);
    expect(hasFailed({ isError: true, partial: 'cancelled' })).toEqual([false, false]);
    expect(hasFailed({ partial: 'error' })).toEqual([true, true]);
  },
);

test.each(['markdown', 'html'] as const)(
  '%s in full holds every text, who approved, what failed and how it ended',
  (format) => {
    const { text } = full(format);
    expect(missingWords(said, text.slice(Math.max(0, text.indexOf('<body>'))))).toEqual([]);
    expect(text).toContain('A story');
    expect(text).toMatch(/was approved by a person/);
    expect(text).toMatch(/planner finished · /);
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

test('every export has one way for pictures: inside, else by their address on the web, else counted', () => {
  const part = (url: unknown) => ({ type: 'image_url', image_url: url });
  const inside = part({ url: 'data:image/png;base64,iVBORw0KGgo=' });
  const content = [
    { type: 'text', text: 'See' },

    inside,
    part({ url: 'https://a.example/b c.png' }),
    part('https://a.example/d.png'),
    part({ url: 'file:///e.png' }),
  ];
  const items = [
    { role: 'user', content },
    { role: 'tool', tool_call_id: 'c', content },
  ];
  const address = (text: string) =>
    [...text.matchAll(/picture: (https:[^\s"<]*)/g)].map(([, found]) => found);
  const both = ['https://a.example/b%20c.png', 'https://a.example/d.png'];
  for (const format of ['markdown', 'html', 'csv'] as const) {
    const { text, report } = full(format, items);
    expect(address(text), format).toEqual([...both, ...both]);
    expect(report?.leftOut, format).toEqual({ pictures: format === 'csv' ? 4 : 2 });
    expect(text, format).not.toContain('image_url');
    if (format !== 'csv') expect(text.match(/data:image\/png;base64,iVBORw0KGgo=/g), format).toHaveLength(2);
  }
  expect(full('json', items).report?.leftOut).toBeUndefined();
});

test('what steers a terminal is not in a page, and is counted; what it shows is', () => {
  const steered = '\u001b[31mred\u001b[0m\u001b[2K\u001b]8;;http://a.example\u0007link\u001b]8;;\u0007';
  const items = [
    { role: 'user', content: steered },
    { role: 'tool', tool_call_id: 'c', content: steered },
  ];
  for (const format of ['markdown', 'html'] as const) {
    const { text, report } = full(format, items);
    expect(text.match(/redlink/g), format).toHaveLength(2);
    expect(text, format).not.toMatch(/\u001b|U\+001B|a\.example/);
    expect(report?.leftOut, format).toEqual({ 'texts with terminal sequences': 2 });
  }
  expect(full('json', items).text).toContain('\\u001b[31mred');
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
  expect(text).toMatch(/\*\*run\*\*[^]*> run was approved by a person[^]*\*\*Result:\*\*[^]*done/);
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

const place = (call: string, agent: string, depth = 0) => ({ call, agent, depth, time: 0, id: call });

/** A task, the dispatch of another agent with it, and what that one is told. */
function dispatched(prompt: string | undefined) {
  const args = JSON.stringify({ task: 'Read the log.' });
  const call = { id: 'c1', type: 'function', function: { name: 'subagent_dispatch', arguments: args } };
  const user = (content: string) => ({ type: 'message', message: { role: 'user', content } });
  return [
    { ...place('k1', 'Pickle'), type: 'callStart', model: 'm', task: 'Why so few?', tools: [] },
    { ...place('k1', 'Pickle'), type: 'message', message: { role: 'system', content: 'You cook.' } },
    { ...place('k1', 'Pickle'), ...user('Why so few?') },
    { ...place('k1', 'Pickle'), type: 'message', message: { role: 'assistant', tool_calls: [call] } },
    {
      ...place('k1', 'Pickle'),
      type: 'dispatch',
      target: 'Cookie',
      task: 'Read the log.',
      toolCallId: 'c1',
      childCall: 'k2',
    },
    ...(prompt === undefined
      ? []
      : [
          { ...place('k2', 'Cookie', 1), type: 'callStart', model: 'm', task: 'Read the log.', tools: [] },
          { ...place('k2', 'Cookie', 1), ...user(prompt) },
        ]),
    {
      ...place('k1', 'Pickle'),
      type: 'message',
      message: { role: 'tool', tool_call_id: 'c1', content: 'Ok.' },
    },
  ].map((record, at) => ({ seq: at + 1, ...record }));
}

test.each(['markdown', 'html'] as const)('%s in full says a task with the message that says it', (format) => {
  const body = (prompt?: string) => {
    const { text } = full(format, dispatched(prompt));
    return text.slice(Math.max(0, text.indexOf('<body>')));
  };
  const times = (text: string, words: string) => text.split(words).length - 1;
  // Once in the headline of the call, once in its arguments, once as the message.
  expect(times(body('Read the log.'), 'Read the log.')).toBe(3);
  expect(times(body('Read the log.\n\nContext: Tuesday'), 'Read the log.')).toBe(3);
  expect(times(body('Read the log.'), 'Why so few?')).toBe(1);
  expect(body('Read the log.')).not.toContain('Cookie begins');
  // What no message says stands before whatever comes instead.
  expect(body()).toMatch(/What Cookie was asked[^]*Read the log\.[^]*Ok\./);
  expect(body('Another prompt')).toMatch(/What Cookie was asked[^]*Read the log\.[^]*Another prompt/);
});

test('a call that nothing is said in tells its task at the end', () => {
  const [start] = dispatched(undefined);
  for (const format of ['markdown', 'html'] as const)
    expect(full(format, [start]).text).toMatch(/Pickle begins[^]*What Pickle was asked[^]*Why so few\?/);
});

test.each(['markdown', 'html'] as const)(
  '%s does not call tokens none that a source did not record',
  (format) => {
    const usage = { inputTokens: 0, outputTokens: 1_311, estimated: false };
    const message = { role: 'assistant', content: 'Warm.' };
    const { text } = full(format, [{ seq: 1, type: 'message', agent: 'a', call: 'k', usage, message }]);
    expect(text).toContain('1,311 tokens out');
    expect(text).not.toContain('0 tokens in');
  },
);

describe.each(['markdown', 'html'] as const)('what failed, in %s', (format) => {
  const place = {
    conversation: 'c',
    run: 'r1',
    call: 'k1',
    agent: 'cook',
    depth: 0,
    time: 1_760_000_000_000,
  };
  const about = (seq: number, type: string, more: object) => ({
    seq,
    id: `m${seq}`,
    ...place,
    type,
    ...more,
  });
  const refused = { code: 'auth', message: 'Incorrect key' };
  const request = (seq: number, attempt: number, error: object) =>
    about(seq, 'request', { attempt, model: 'm-1', endpoint: 'e', durationMs: 3, error });
  const said = about(1, 'message', { message: { role: 'user', content: 'Bake it' } });
  const ended = (seq: number, outcome: string, reason: string) => about(seq, 'callEnd', { outcome, reason });

  /** The lines of notes in an export of these records, as a reader sees them. */
  const notes = (...items: object[]) => {
    const { text } = full(format, [said, ...items]);
    const found = format === 'html' ? text.matchAll(/<aside[^>]*>([^<]*)/g) : text.matchAll(/^> (.*)$/gm);
    return Array.from(found, ([, line = '']) => line.replace(/\\(?=[^\w\s])|⚠ /g, ''));
  };

  test('is said once where requests, the error and the end of the call say it alike', () => {
    const broken = about(4, 'message', {
      partial: 'error',
      message: { role: 'assistant', content: 'First the fl' },
    });
    expect(
      notes(
        request(2, 1, refused),
        request(3, 2, refused),
        broken,
        about(5, 'error', { where: 'model', error: refused }),
        ended(6, 'failed', 'Incorrect key'),
      ),
    ).toEqual(['Error (model): Incorrect key (auth) · m-1 · 2 requests', 'cook failed']);
    expect(full(format, [said, broken]).text).toContain('broken off by an error');
  });

  test('is said of each request that failed in another way, and of one that was repeated with success', () => {
    const answer = about(5, 'message', { message: { role: 'assistant', content: 'Done' } });
    expect(
      notes(
        request(2, 1, { code: 'overloaded', message: 'Too busy' }),
        request(3, 2, { code: 'overloaded', message: 'Too busy' }),
        answer,
        request(6, 1, { code: 'overloaded', message: 'Too busy' }),
        about(7, 'error', { where: 'model', error: refused }),
      ),
    ).toEqual([
      'A request failed: Too busy (overloaded) · m-1 · attempts 1, 2',
      'A request failed: Too busy (overloaded) · m-1 · attempt 1',
      'Error (model): Incorrect key (auth)',
    ]);
  });

  test('is no failure where a person stopped it', () => {
    const stop = { code: 'cancelled', message: 'The run was stopped.' };
    const items = [request(2, 1, stop), ended(3, 'cancelled', stop.message)];
    expect(notes(...items)).toEqual(['A request was stopped · m-1 · attempt 1', 'cook was stopped']);
    expect(full(format, [said, ...items]).text).not.toMatch(/⚠|note failed/);
    const half = about(2, 'message', {
      partial: 'cancelled',
      message: { role: 'assistant', content: 'First' },
    });
    expect(full(format, [said, half]).text).toContain('stopped before it was finished');
  });

  test('and nothing that is said is counted as left out', () => {
    const { report } = full(format, [said, request(2, 1, refused), about(3, 'error', { error: refused })]);
    expect(report?.leftOut).toBeUndefined();
  });
});
