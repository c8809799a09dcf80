import { describe, expect, test } from 'vitest';
import { exportChunks, exportMessages } from '../../../src/export/exportMessages.js';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { REMEMBERED_CALLS } from '../../../src/export/exportRow.js';

const user = (content: unknown) => ({ role: 'user', content });
const call = (id: string, name = 'ls', input: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name, arguments: input },
});
const asks = (...tool_calls: unknown[]) => ({ role: 'assistant', content: null, tool_calls });
const result = (tool_call_id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id, content });
const time = Date.UTC(2026, 10, 21, 9, 30);
const record = (message: object, more = {}) => ({
  seq: 1,
  type: 'message',
  time,
  run: 'r1',
  call: 'k1',
  agent: 'Pickle',
  depth: 1,
  message,
  ...more,
});
const deep = (levels: number) => {
  let value: unknown = 'bottom';
  for (let i = 0; i < levels; i++) value = [value];
  return value;
};

describe('JSON', () => {
  test('of records are their messages, with place and time where metadata are wanted', () => {
    const items = [record(user('a')), { seq: 2, type: 'callEnd' }];
    expect(JSON.parse(exportMessages(items, 'json'))).toEqual([user('a')]);
    expect(JSON.parse(exportMessages(items, 'json', { includeMetadata: true }))).toEqual([
      {
        ...user('a'),
        index: 0,
        token_count: 1,
        timestamp: '2026-11-21T09:30:00.000Z',
        agent: 'Pickle',
        depth: 1,
        run: 'r1',
        call: 'k1',
      },
    ]);
  });

  test('metadata never hide a field of a message', () => {
    const message = { role: 'user', content: 'a', index: 'mine', _metadata: 1, _export_metadata: 2 };
    const [row] = JSON.parse(exportMessages([message], 'json', { includeMetadata: true })) as [object];
    expect(row).toEqual({ ...message, __export_metadata: { index: 0, token_count: 1 } });
  });

  test('a time that is none and a count that nobody knows are null', () => {
    const fails = { count: () => Number.NaN };
    const text = exportMessages([record(user('a'), { time: 1e300 })], 'json', {
      includeMetadata: true,
      tokenCounter: fails,
    });
    expect(JSON.parse(text)).toMatchObject([{ timestamp: null, token_count: null }]);
  });

  test('what nests too deep is named, not thrown', () => {
    const items = [user(deep(100_000)), user('b')];
    for (const redact of [true, false]) {
      const text = exportMessages(items, 'json', { redact });
      expect(text).toContain('[nested too deep]');
      expect(JSON.parse(text)).toHaveLength(2);
    }
  });

  test('what is no JSON in memory is named too', () => {
    const loop: Record<string, unknown> = { role: 'user', content: 7n };
    loop.self = loop;
    expect(JSON.parse(exportMessages([loop], 'json', { redact: false }))).toEqual([
      { role: 'user', content: '7', self: '[circular]' },
    ]);
  });

  test('large messages do not wait for others', () => {
    const big = user('x'.repeat(100_000));
    expect(JSON.parse(exportMessages([big, user(null), big], 'json'))).toEqual([big, user(null), big]);
  });
});

describe('dict', () => {
  test('of records have their time and agent', () => {
    expect(exportMessages([record(user('a'))], 'dict')).toEqual([
      {
        ...user('a'),
        _metadata: {
          index: 0,
          token_count: 0,
          role: 'user',
          timestamp: '2026-11-21T09:30:00.000Z',
          agent: 'Pickle',
        },
      },
    ]);
  });

  test('all use the other key where one message has the usual one', () => {
    const rows = exportMessages([user('a'), { ...user('b'), _metadata: 1 }], 'dict');
    expect(rows.map((row) => Object.keys(row).at(-1))).toEqual(['_export_metadata', '_export_metadata']);
  });

  test('a message without a role has the role unknown', () => {
    expect(exportMessages([{ content: 'a' }], 'dict')).toMatchObject([{ _metadata: { role: 'unknown' } }]);
  });
});

describe('CSV', () => {
  const rows = (...items: unknown[]) => exportMessages(items, 'csv').split('\r\n').slice(1, -1);

  test.each([
    ['=1+1', `'=1+1`],
    ['  +1', `'  +1`],
    ['-5', `'-5`],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\t1', `'\t1`],
    ['\ufeff=1', `'\ufeff=1`],
    ['＝1', `'＝1`],
    ['1-2', '1-2'],
    ['a=b', 'a=b'],
    ['é=b', 'é=b'],
  ])('%j', (content, cell) => {
    expect(rows(user(content))[0]).toBe(`0,user,${cell},,,1`);
  });

  test('content is cut between characters, never inside of one', () => {
    const content = '😀'.repeat(3);
    expect(exportMessages([user(content)], 'csv', { maxContentLength: 2 })).toContain('0,user,😀😀...,,,1');
    expect(exportMessages([user(content)], 'csv', { maxContentLength: -1 })).toContain('0,user,...,,,1');
  });

  test('a result has the name of the tool that it answers', () => {
    expect(rows(asks(call('1', 'grep')), result('1'), result('9'))).toEqual([
      '0,assistant,,grep,,0',
      '1,tool,ok,grep,1,1',
      '2,tool,ok,,9,1',
    ]);
  });

  test('words are counted by any white space', () => {
    expect(rows(user('a\u00a0b\u3000c\n d '))[0]).toMatch(/,4$/);
  });

  test('calls that are too long ago are forgotten', () => {
    function* items() {
      for (let i = 0; i <= 2 * REMEMBERED_CALLS; i++) yield asks(call(`c${i}`));
      yield result('c0');
      yield result(`c${2 * REMEMBERED_CALLS}`);
    }
    const lines = exportMessages(items(), 'csv', { redact: false }).trimEnd().split('\r\n').slice(-2);
    expect(lines.map((line) => line.split(',')[3])).toEqual(['', 'ls']);
  });
});

describe('Markdown', () => {
  const markdown = (...items: unknown[]) => exportMessages(items, 'markdown');

  test('records name their agent', () => {
    expect(markdown(record(user('a'), { agent: '*Pickle*' }))).toBe('### User (\\*Pickle\\*)\n\na');
  });

  test('results that come late, answer none or repeat stand where they came', () => {
    expect(markdown(asks(call('1', 'grep')), user('wait'), result('1', 'late'), result('9', 'stray'))).toBe(
      [
        '### Assistant\n\n**Tool Call: grep**\n\n```json\n{}\n```',
        '### User\n\nwait',
        '### Tool\n\n**Result: grep**\n\n```\nlate\n```',
        '### Tool\n\n**Result: unnamed tool**\n\n```\nstray\n```',
      ].join('\n\n---\n\n'),
    );
    expect(markdown(asks(call('1')), result('1', 'a'), result('1', 'b'))).toMatch(
      /\*\*Result:\*\*\n\n```\na\n```\n\n---\n\n### Tool\n\n\*\*Result: ls\*\*\n\n```\nb\n```$/,
    );
  });

  test('a result of another agent does not land in an open block', () => {
    const text = markdown(
      record(asks(call('1'))),
      record(result('1', 'other'), { call: 'k2' }),
      record(result('1', 'mine')),
    );
    expect(text.split('\n\n---\n\n').map((block) => /(other|mine)/.exec(block)?.[0])).toEqual([
      undefined,
      'other',
      'mine',
    ]);
  });

  test('parts, refusals and odd content are shown', () => {
    const image = { type: 'image_url', image_url: { url: 'data:,' } };
    expect(markdown(user([{ type: 'text', text: 'a' }, image, 'odd', null]))).toBe(
      '### User\n\na\n\n(picture)\n\n(unknown part)\n\n(unknown part)',
    );
    expect(markdown({ role: 'assistant', content: null, refusal: 'no *way*' })).toBe(
      '### Assistant\n\n**Refusal:** no \\*way\\*',
    );
    expect(markdown(user({ a: 1 }))).toBe('### User\n\n```json\n{\n  "a": 1\n}\n```');
  });

  test('a fence grows with what it holds', () => {
    expect(markdown(result('1', '`````'))).toContain('``````\n`````\n``````');
    expect(markdown(result('1', '``'))).toContain('```\n``\n```');
  });

  test('what is said stays Markdown; only what breaks the document or reaches out does not', () => {
    expect(markdown(user('- a_b\n\n```js\n**<x>**\n```\n*c* `<d>`'))).toBe(
      '### User\n\n- a_b\n\n```js\n**<x>**\n```\n*c* `<d>`',
    );
    expect(markdown(user('# Title\n\nother\n==='))).toBe('### User\n\n#### Title\n\n#### other\n');
    expect(markdown(user('```js\n**x**'))).toBe('### User\n\n```js\n**x**\n```');
    expect(markdown(user('a <b>c</b> <https://a.b>'))).toBe('### User\n\na \\<b>c\\</b> <https://a.b>');
    expect(markdown(user('![p](https://a.b/c.png)'))).toBe('### User\n\n\\![p](https://a.b/c.png)');
    expect(markdown(user('|<b>|c|\n|-|-|\n|a|<i>|'))).toBe('### User\n\n|\\<b>|c|\n|-|-|\n|a|\\<i>|');
    expect(markdown(user('[a]: https://a.b'))).toBe('### User\n\n\\[a]: https://a.b');
    expect(markdown(user('[a](command:x)'))).toBe('### User\n\n\\[a](command:x)');
    expect(markdown(user('````\n```\n~~~\n````'))).toBe('### User\n\n````\n```\n~~~\n````');
  });

  test('ten thousand open fences are read in one go', () => {
    const text = markdown(user(`${'````\n```\n'.repeat(10_000)}~~~`));
    expect(text.length).toBeGreaterThan(80_000);
  });
});

describe('HTML', () => {
  test('is one page with a policy that lets nothing load and nothing run but its own script', () => {
    const page = exportMessages([], 'html', { title: 'A & B' });
    expect(page).toMatch(/^<!doctype html>\n/);
    expect(page).toContain('<title>A &amp; B</title>');
    expect(page).toMatch(
      /content="default-src &#39;none&#39;; img-src data:; style-src &#39;sha256-[A-Za-z0-9+/=]+&#39;; script-src &#39;sha256-[A-Za-z0-9+/=]+&#39;; base-uri &#39;none&#39;; form-action &#39;none&#39;"/,
    );
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page).not.toMatch(/<img|<link|href=|\ssrc=/);
    expect(page.endsWith('</html>\n')).toBe(true);
  });

  test('shows who said what and when, what was called and what came back', () => {
    const items = [
      record(asks(call('1', '<b>'))),
      record(result('1', 'a & b'), { isError: true }),
      record(user([{ type: 'text', text: 'hi' }, { type: 'audio' }, 3]), { depth: 9, time: 1e300 }),
      { role: 'moderator', content: { a: 1 } },
      result('9'),
    ];
    const page = exportMessages(items, 'html');
    expect(page).toContain('<article id="m0" class="assistant depth1" data-agent="Pickle">');
    expect(page).toContain(
      '<header><b>assistant</b> · Pickle · <a href="#m0">#1</a> · <time datetime="2026-11-21T09:30:00.000Z">',
    );
    expect(page).toContain(
      '<details open class="call error"><summary title="1"><b>&lt;b&gt;</b> <span>failed</span></summary>\n<div class="came" id="m1">\n<header>Result · <a href="#m1">#1</a></header>\n<pre dir="auto">\na &amp; b</pre>\n</div>\n</details>',
    );
    expect(page).toContain(
      '<article id="m2" class="user depth3" data-agent="Pickle">\n<header><b>user</b> · Pickle · <a href="#m2">#1</a></header>\n<div class="text" dir="auto"><p>hi</p>\n</div>\n<pre dir="auto">\n(audio)</pre>\n<pre dir="auto">\n(unknown part)</pre>',
    );
    expect(page).toContain('<article id="m3" class="other">');
    expect(page).toContain('Result of unnamed tool 9');
  });
});

test('in pages and headings nothing stands that a reader cannot see', () => {
  const items = [record(user('a\u202eb'), { agent: 'Pick\u200ble' })];
  expect(exportMessages(items, 'html')).toContain('a⟨U+202E⟩b');
  expect(exportMessages(items, 'html')).toContain('· Pick⟨U+200B⟩le ·');
  expect(exportMessages(items, 'markdown')).toContain('### User (Pick⟨U+200B⟩le)\n\na\u202eb');
});

test('an export can be left early', async () => {
  let read = 0;
  function* endless() {
    for (;;) {
      read++;
      yield user('x'.repeat(1000));
    }
  }
  for await (const chunk of exportChunks(endless(), 'json')) {
    expect(chunk.length).toBeGreaterThan(60_000);
    break;
  }
  expect(read).toBeLessThan(200);
});

test('an unknown format is refused before anything is read', () => {
  const wrong = 'xml' as 'json';
  const message = "Invalid export format: 'xml'. Valid formats: json, markdown, csv, dict, html";
  expect(() => exportMessages([], wrong)).toThrow(message);
  expect(() => exportChunks([], wrong)).toThrow(message);
  expect(() => new MessageQuery([]).export(wrong)).toThrow(message);
});

test('a query exports all of its messages or some of them', () => {
  const query = new MessageQuery([user('a'), user('b')]);
  expect(JSON.parse(query.export('json', { messages: query.last() }))).toEqual([user('b')]);
  expect(query.export('dict')).toHaveLength(2);
});
