import { expect, test } from 'vitest';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { contextOf } from '../../../src/library.js';
import { exportMessages } from '../../../src/export/exportMessages.js';
import { contextStory } from '../../support/contextStory.js';

const { records } = contextStory();
const FULL = { full: true, includeMetadata: true } as const;

/** The section of an export, without what stands before it. */
function sectionOf(items: readonly unknown[], format: 'markdown' | 'html', more: object = {}): string {
  const text = exportMessages(items, format, { ...FULL, ...more });
  return text.slice(text.lastIndexOf('What filled the windows'));
}

const number = (value: number) => value.toLocaleString('en-US');

test.each(['markdown', 'html'] as const)(
  '%s in full ends with what filled each window, as the panel says it',
  async (format) => {
    const section = sectionOf(records, format);
    const contexts = await contextOf(records);
    expect(contexts.length).toBeGreaterThan(1);
    for (const { agent, requests, compactions } of contexts) {
      const most = Math.max(...requests.map(({ total }) => total));
      expect(section).toContain(agent);
      expect(section).toContain(`${requests.length} requests; the largest was sent ${number(most)} tokens.`);
      for (const { messages, tokens } of compactions)
        expect(section).toContain(`took out ${messages} messages, about ${number(tokens)} tokens.`);
    }
    expect(section).toMatch(/Files · Read · \/work\/src\/export\/invoices\d\.ts/);
  },
);

test('the parts of a window add up to its largest request', async () => {
  const tables = sectionOf(records, 'markdown').split('| Part | Tokens | Share |').slice(1);
  const wholes = (await contextOf(records)).map(({ requests }) =>
    Math.max(...requests.map(({ total }) => total)),
  );
  const sums = tables.map((table) =>
    [...table.matchAll(/\| ([\d,]+) \| [\d.]+ % \|/g)].reduce(
      (sum, [, tokens = '']) => sum + Number(tokens.replaceAll(',', '')),
      0,
    ),
  );
  expect(sums.toSorted((a, b) => b - a)).toEqual(wholes.toSorted((a, b) => b - a));
});

/** What an export as JSON says of the windows; undefined where it says nothing. */
function contextIn(items: readonly unknown[], more: object = {}) {
  const elements = JSON.parse(exportMessages(items, 'json', { ...FULL, ...more })) as readonly object[];
  const last = elements.at(-1) ?? {};
  return 'context' in last ? (last as { context: JsonContext }).context : undefined;
}
interface JsonContext {
  readonly windows: readonly {
    readonly agent: string;
    readonly call: string;
    readonly requests: number;
    readonly largest: { readonly tokens: number; readonly parts: readonly { readonly tokens: number }[] } & {
      readonly more_parts?: { readonly tokens: number };
    };
    readonly compactions?: readonly { readonly messages: number; readonly tokens: number }[];
  }[];
}

test('JSON in full ends with the same as data, whose parts add up too, and which is read again as nothing new', async () => {
  const windows = contextIn(records)?.windows ?? [];
  const contexts = await contextOf(records);
  expect(windows.map(({ call }) => call).toSorted()).toEqual(contexts.map(({ call }) => call).toSorted());
  for (const { call, agent, requests, largest, compactions } of windows) {
    const context = contexts.find((each) => each.call === call);
    expect([agent, requests]).toEqual([context?.agent, context?.requests.length]);
    expect(largest.tokens).toBe(Math.max(...(context?.requests ?? []).map(({ total }) => total)));
    const parts = largest.parts.reduce((sum, { tokens }) => sum + tokens, largest.more_parts?.tokens ?? 0);
    expect(parts).toBe(largest.tokens);
    expect((compactions ?? []).map(({ messages, tokens }) => [messages, tokens])).toEqual(
      context?.compactions.map(({ messages, tokens }) => [messages, tokens]),
    );
  }
  expect(JSON.stringify(windows)).toMatch(/"kind":"files","tool":"Read","path":"[^"]*invoices\d\.ts"/);
  const { conversations, problems } = await importTranscript(exportMessages(records, 'json', FULL), 'e.json');
  expect(problems).toEqual([]);
  expect(conversations.map((each) => each.records.length)).toEqual([records.length]);
});

test('nothing is said of windows in what is not all, not full, or of sources that tell no tokens', () => {
  expect(contextIn(records, { isSubset: true })).toBeUndefined();
  expect(contextIn(records, { full: false })).toBeUndefined();
  const heading = 'What filled the windows';
  for (const format of ['markdown', 'html'] as const) {
    expect(exportMessages(records, format, { ...FULL, isSubset: true })).not.toContain(heading);
    expect(exportMessages(records, format, { includeMetadata: true })).not.toContain(heading);
    const bare = [
      { role: 'user', content: 'Go' },
      { role: 'assistant', content: 'Done' },
    ];
    expect(exportMessages(bare, format, FULL)).not.toContain(heading);
  }
});

test('names of files and tools are text and no secret, whatever they are', () => {
  const key = `sk-ant-api03-${'a1B2c3D4'.repeat(11)}-AAAAAA`;
  const path = `/x|y/<b>${key}</b>/\`a\`.ts`;
  const place = { conversation: 'c', run: 'r', call: 'k', agent: 'a|<i>', depth: 0 };
  const call = { id: 't', type: 'function', function: { name: 'Read', arguments: JSON.stringify({ path }) } };
  const items = [
    { role: 'user', content: 'Go' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 't', content: 'x'.repeat(400) },
    { role: 'assistant', content: 'Done' },
  ].map((message, at) => ({
    seq: at + 1,
    id: `m${at}`,
    time: at + 1,
    ...place,
    type: 'message',
    message,
    usage: { inputTokens: 5_000 + 1_000 * at, outputTokens: 1, estimated: false },
  }));
  const [markdown, html] = [sectionOf(items, 'markdown'), sectionOf(items, 'html')];
  const json = JSON.stringify(contextIn(items));
  expect(json).toContain('"kind":"files"');
  expect(`${markdown}${html}${json}`).not.toContain(key);
  expect(html).not.toMatch(/<b>|<i>/);
  // A border that stands in a name is escaped: each row has three cells.
  const rows = markdown.split('\n').filter((line) => line.startsWith('| '));
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) expect(row.replaceAll('\\|', '').match(/\|/g)).toHaveLength(4);
});
