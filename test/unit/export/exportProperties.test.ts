import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { EXPORT_FORMATS, type ExportFormat, type ExportOptions } from '../../../src/export/exportFormat.js';
import { exportChunks, exportMessages } from '../../../src/export/exportMessages.js';
import { MessageQuery } from '../../../src/export/messageQuery.js';
import { runs } from '../../support/fixedInputs.js';
import { anyHistory, anyItems, anyRecords, anyText } from '../query/arbitraries.js';

const RAW = { redact: false } as const;
const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void | Promise<void>, full = 400) =>
  fc.assert(
    fc.asyncProperty(arbitrary, async (value) => property(value)),
    { numRuns: runs(full) },
  );

/** The rows of a CSV text after RFC 4180. */
function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  for (const [, quoted, plain, separator] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (separator === ',') continue;
    rows.push(row);
    row = [];
  }
  return rows.slice(0, -1);
}

async function streamed(items: readonly unknown[], format: ExportFormat, options?: ExportOptions) {
  async function* source() {
    yield* items;
  }
  let text = '';
  for await (const chunk of exportChunks(source(), format, options)) text += chunk;
  return text;
}

test('no JSON value in any field makes an export throw, and no export changes its messages', async () => {
  await check(anyItems, (items) => {
    const before = JSON.stringify(items);
    for (const format of EXPORT_FORMATS) new MessageQuery(items).export(format, { includeMetadata: true });
    expect(JSON.stringify(items)).toBe(before);
  });
});

test('what JSON exports parses to the same messages', async () => {
  await check(
    fc.oneof(
      anyHistory,
      anyItems.map((items) => items.filter((item) => typeof item !== 'object')),
    ),
    (items) => {
      expect(JSON.parse(exportMessages(items, 'json', RAW))).toEqual(JSON.parse(JSON.stringify(items)));
      expect(JSON.parse(exportMessages(items, 'json', { ...RAW, indent: 0 }))).toEqual(
        JSON.parse(JSON.stringify(items)),
      );
    },
  );
});

test('JSON is written as JSON.stringify would write the whole', async () => {
  await check(fc.tuple(anyHistory, fc.integer({ min: 0, max: 12 })), ([history, indent]) => {
    expect(exportMessages(history, 'json', { ...RAW, indent })).toBe(JSON.stringify(history, null, indent));
  });
});

test('JSON, dict and CSV agree on rows', async () => {
  await check(fc.oneof(anyHistory, anyRecords, anyItems), (items) => {
    const query = new MessageQuery(items);
    const rows = parseCsv(query.export('csv'));
    expect(rows).toHaveLength(query.length + 1);
    expect(query.export('dict')).toHaveLength(query.length);
    expect(JSON.parse(query.export('json'))).toHaveLength(query.length);
    expect(rows.every((row) => row.length === 6)).toBe(true);
  });
});

test('CSV gives content and role back, apart from the guard against formulas', async () => {
  await check(anyHistory, (history) => {
    const rows = parseCsv(exportMessages(history, 'csv', { ...RAW, maxContentLength: 10_000 })).slice(1);
    rows.forEach((row, index) => {
      const { role, content } = history[index]!;
      const text =
        typeof content === 'string'
          ? content
          : (content ?? []).map((p) => ('text' in p ? p.text : '')).join('');
      expect([text, `'${text}`]).toContain(row[2]);
      expect(row.slice(0, 2)).toEqual([String(index), role]);
    });
  });
});

test('no CSV cell is a formula', async () => {
  await check(anyHistory, (history) => {
    for (const row of parseCsv(exportMessages(history, 'csv')).slice(1)) {
      for (const cell of row) expect(cell.trimStart()).not.toMatch(/^[=+\-@]/);
      for (const cell of row) expect(cell).not.toMatch(/^[\t\r\n]/);
    }
  });
});

test('chunks joined are the whole, in every format', async () => {
  await check(
    fc.tuple(fc.oneof(anyHistory, anyRecords), fc.constantFrom(...EXPORT_FORMATS)),
    async ([items, format]) => {
      const whole = exportMessages(items, format);
      const text = typeof whole === 'string' ? whole : JSON.stringify(whole, null, 2);
      expect(await streamed(items, format)).toBe(text);
    },
    200,
  );
});

/** The blocks at the top of what Markdown makes of an export, and whatever reaches out. */
function render(markdown: string) {
  const environment = {};
  const tokens = new MarkdownIt({ html: true }).parse(markdown, environment);
  const top = tokens.filter(({ level, type }) => level === 0 && (type === 'hr' || type === 'heading_open'));
  const all = tokens.flatMap((token) => [token, ...(token.children ?? [])]);
  return {
    separators: top.filter(({ type }) => type === 'hr').length,
    headings: tokens.filter(({ type, tag }) => type === 'heading_open' && Number(tag.slice(1)) <= 3).length,
    html: all
      .filter(({ type }) => type === 'html_block' || type === 'html_inline')
      .map(({ content }) => content),
    pictures: all.filter(
      ({ type, attrs }) => type === 'image' && !String(attrs?.[0]?.[1] ?? '').startsWith('data:'),
    ).length,
    definitions: Object.keys((environment as { references?: object }).references ?? {}),
  };
}

/** What messages consist of that mean to break out. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '<b>',
        '</details>',
        '<!--',
        '<script>',
        '<div\n',
        '![x](http://a.b/c.png)',
        '![x][y]',
        '[y]: http://a.b',
        '[y]:\n',
        '# ',
        '\n# a\n',
        'a\n===\n',
        'a\n---\n',
        '\n```\n',
        '\n~~~~\n',
        '`',
        '``',
        '\n> ',
        '\n- ',
        '\n    ',
        '\n\n',
        '\\',
        '\t',
        '|',
        '\n|-|\n',
        '[a](javascript:x)',
        '<a@b.c>',
        '<http://a.b>',
        '<?',
        ']]>',
        '<![CDATA[',
        '&lt;',
        '\r',
        '!',
        '[',
        '](',
        ')',
        'word',
      ),
      anyText,
    ),
    { maxLength: 10 },
  )
  .map((parts) => parts.join(''));

test('whatever a message says, no HTML, no remote picture, no definition and no heading of its own survive in Markdown', async () => {
  await check(
    fc.array(hostile, { minLength: 1, maxLength: 4 }),
    (texts) => {
      const messages = [...texts, 'The end.'].map((content) => ({ role: 'user', content }));
      const markdown = exportMessages(messages, 'markdown', RAW);
      const { headings, html, pictures, definitions } = render(markdown);
      expect([html, pictures, definitions]).toEqual([[], 0, []]);
      expect(headings).toBe(messages.length);
      expect(markdown.endsWith('\n\n---\n\n### User\n\nThe end.')).toBe(true);
    },
    3000,
  );
});

test('Markdown holds every text as it was written, but for what is made harmless', async () => {
  const squeeze = (text: string) => text.replace(/[\s\\#=-]+|&#32;/g, '');
  await check(
    fc.oneof(hostile, anyText),
    (content) => {
      const markdown = exportMessages([{ role: 'user', content }], 'markdown', RAW);
      expect(squeeze(markdown)).toContain(squeeze(content));
    },
    2000,
  );
});

/** What a page of ours may consist of, and with which attributes. */
const OUR_TAGS: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries(
    [
      'body',
      'html',
      'header',
      'b',
      'summary',
      'p',
      'strong',
      'em',
      's',
      'code',
      'blockquote',
      'main',
      'ul',
      'li',
      'hr',
      'br',
      'table',
      'thead',
      'tbody',
      'tr',
      'h1',
      'h2',
      'h3',
      'h4',
      'h5',
      'h6',
      'span',
      'ins',
      'del',
    ].map((tag) => [tag, /^$/]),
  ),
  article: /^ id="m\d+" class="[a-z0-9 ]+"(?: data-agent="[^"<>]*")?$/,
  aside: /^ role="note" class="note(?: depth\d)?(?: failed)?"(?: data-agent="[^"<>]*")?$/,
  time: /^ datetime="[0-9TZ:.+-]+"$/,
  div: /^(?: role="banner"| class="text" dir="auto"| class="came" id="m\d+")$/,
  summary: /^(?: title="[^"<>]*")?$/,
  pre: /^(?: dir="auto")?$/,
  details: /^(?: open)?(?: class="(?:call|call error|result|error)")?$/,
  ol: /^(?: start="\d+")?$/,
  th: /^(?: style="text-align:(?:left|right|center)")?$/,
  td: /^(?: style="text-align:(?:left|right|center)")?$/,
  code: /^(?: class="language-[^"<>]*")?$/,
  a: /^ href="(?:#m\d+"(?: title="[^"<>]*")?|(?:https?:|mailto:|#)[^"<>]*"(?: title="[^"<>]*")? rel="noreferrer noopener")$/i,
  img: /^ alt="[^"<>]*" src="data:image\/(?:png|jpeg|gif|webp);base64,[^"<>]*"$/i,
};

/** The tags of a page's body that are not as ours are written. */
function foreignTags(page: string): string[] {
  const body = page.slice(page.indexOf('<body>'));
  return Array.from(body.matchAll(/<(\/?)([^\s<>]*)([^<>]*)>?/g)).flatMap(
    ([whole, end, name = '', rest = '']) => {
      const ours = Object.hasOwn(OUR_TAGS, name) ? OUR_TAGS[name] : undefined;
      return (end === '/' ? ours && rest === '' : ours?.test(rest)) === true && whole.endsWith('>')
        ? []
        : [whole];
    },
  );
}

test('HTML has no element and no attribute that a message wrote', async () => {
  const anyMessages = fc
    .array(fc.tuple(hostile, fc.constantFrom('user', 'assistant', 'tool', '<b>')), { maxLength: 4 })
    .map((texts) => texts.map(([content, role]) => ({ role, content, reasoning_content: content })));
  await check(
    fc.tuple(fc.oneof<fc.Arbitrary<readonly unknown[]>[]>(anyHistory, anyRecords, anyMessages), fc.boolean()),
    ([items, full]) => {
      const page = exportMessages(items, 'html', { ...RAW, full, title: '"><script>' });
      expect(foreignTags(page)).toEqual([]);
      expect(page.match(/<(?:article|div class="came") id="m/g)?.length ?? 0).toBe(
        new MessageQuery(items).length,
      );
    },
    600,
  );
});

test('a link that leads nowhere is shown as it was written', () => {
  const page = exportMessages(
    [{ role: 'user', content: '[so]() and [so](<>), [there](https://a.b)' }],
    'html',
    { ...RAW, full: true },
  );
  expect(foreignTags(page)).toEqual([]);
  expect(page).toContain('[so]() and [so](&lt;&gt;), <a href="https://a.b"');
});

test('the look at the tags of a page finds what is not ours', () => {
  const page = (body: string) => foreignTags(`<body>${body}</body>\n</html>\n`);
  expect(page('<p>a</p><ol start="3"><li>b</li></ol>')).toEqual([]);
  for (const tag of [
    '<script>',
    '<p onclick="x">',
    '<a href="javascript:x" rel="noreferrer noopener">',
    '<img alt="" src="https://a.b/c.png">',
    '<div class="text" dir="auto" style="x">',
    '<iframe',
  ])
    expect(page(tag)).toEqual([tag]);
});
