import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import { factsOf, plainFacts, type Facts } from '../../../src/query/numbers/facts.js';
import { FactColumns } from '../../../src/store/read/factColumns.js';
import { FactScanner } from '../../../src/store/format/factScanner.js';
import { encodeLine } from '../../../src/store/format/lineFormat.js';
import { readRecord } from '../../../src/store/format/readRecord.js';
import { inRuns, runs } from '../../support/fixedInputs.js';
import { hasRealTranscripts, realTranscripts } from '../../support/realTranscripts.js';
import { teamStory } from '../../support/teamStory.js';

/** Scans lines as they stand in a file, one behind the other; gives how many were known by their bytes. */
function expectSame(lines: readonly Buffer[], conversation = 'c'): number {
  const bytes = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  const scanner = new FactScanner(conversation);
  const columns = new FactColumns();
  const expected: Facts[] = [];
  let at = 0;
  let scanned = 0;
  for (const [position, line] of lines.entries()) {
    const found = scanner.scan(bytes, at, at + line.length);
    at += line.length + 1;
    if (!found) continue;
    columns.addScanned(found);
    expected.push(factsOf(readRecord(line, conversation, position)));
    scanned++;
  }
  // All at once: a field that one line leaves behind must not be taken for the next line's.
  expect(columns.slice(0, scanned + 1).map(plainFacts)).toEqual(expected.map(plainFacts));
  return scanned;
}

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    ' \n\t',
    '"',
    '\\',
    '\\"',
    'x\\',
    'é',
    '🥒',
    '\ud83e',
    '\u0000',
    '\u2028',
    '{"a":"b"}',
    'null',
  ),
  fc.string().map((text) => text.repeat(40)),
);
const names = fc.oneof(fc.constantFrom('Pickle', 'Gurke', 'é', 'a"b', ''), texts);
const argument = fc.oneof(
  texts,
  fc.constantFrom(
    'a.ts',
    'src/é.ts',
    'C:\\x',
    '*',
    '*** Begin Patch\n*** Add File: new.ts',
    '*** Begin Patch',
    'view',
  ),
  fc.constantFrom(true, null, 1.5, -0, 1e300),
  fc.constant(['a.ts', 'b.ts']),
  fc.constant({ deep: ['}'] }),
);
/** Arguments as models write them: with or without blanks, and sometimes not quite JSON. */
const toolArguments = fc
  .tuple(
    fc.uniqueArray(fc.constantFrom('path', 'file', 'command', 'content', '1', '__proto__', 'é', 'a b'), {
      maxLength: 4,
    }),
    fc.array(argument, { minLength: 4, maxLength: 4 }),
    fc.boolean(),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant(undefined) },
      fc.tuple(fc.nat(40), fc.constantFrom('"', '\\', ' ', '0', '{', '}', ',', '')),
    ),
  )
  .map(([keys, values, isWide, change]) => {
    const [comma, colon] = isWide ? [', ', ': '] : [',', ':'];
    const json = `{${keys.map((key, at) => `${JSON.stringify(key)}${colon}${JSON.stringify(values[at])}`).join(comma)}}`;
    return change ? json.slice(0, change[0]) + change[1] + json.slice(change[0] + 1) : json;
  });
const anyArguments = fc.oneof(
  texts,
  { weight: 4, arbitrary: toolArguments },
  fc.dictionary(texts, fc.jsonValue()).map((value) => JSON.stringify(value)),
);
const count = fc.oneof(fc.nat(9_000), fc.constantFrom(0, 1.5, -1, 1e21, 0.1));
const usage = fc.record(
  { inputTokens: count, outputTokens: count, estimated: fc.boolean(), cachedTokens: fc.nat(9) },
  { requiredKeys: ['inputTokens', 'outputTokens'] },
);
const parts = fc.array(
  fc.oneof(
    fc.record({ type: fc.constant('text'), text: texts }),
    fc.record({ type: fc.constantFrom('text', 'image_url'), image_url: fc.jsonValue(), text: texts }),
    fc.jsonValue(),
  ),
  { maxLength: 3 },
);
const message = fc.record(
  {
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'developer'),
    tool_call_id: names,
    name: names,
    content: fc.oneof({ weight: 4, arbitrary: texts }, fc.constant(null), parts, fc.jsonValue()),
    reasoning_content: texts,
    refusal: fc.oneof(texts, fc.constant(null)),
    tool_calls: fc.oneof(
      fc.array(
        fc.record({
          id: names,
          type: fc.constant('function'),
          function: fc.record({ name: names, arguments: anyArguments }),
        }),
        { maxLength: 3 },
      ),
      fc.constant(null),
    ),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ['role'] },
);
const head = {
  run: names,
  call: names,
  parentCall: names,
  agent: names,
  depth: fc.nat(3),
};
const said = fc.record(
  {
    ...head,
    type: fc.constant('message'),
    model: names,
    usage,
    toolName: names,
    durationMs: count,
    isError: fc.boolean(),
    partial: fc.constantFrom('error', 'length', 'cancelled'),
    spill: fc.oneof(
      fc.array(
        fc.record(
          {
            field: fc.constantFrom('content', 'arguments', 'reasoning'),
            index: fc.nat(2),
            bytes: fc.nat(9_000_000),
          },
          { requiredKeys: ['field'] },
        ),
      ),
      fc.jsonValue(),
    ),
    source: fc.oneof(
      fc.jsonValue(),
      fc.constantFrom(
        { isCompactSummary: true },
        { isCompactSummary: false, uuid: 'u' },
        { info: { summary: true } },
        { extra: { context_management: { type: 'compaction', boundary: 'replace' } } },
      ),
    ),
    message,
  },
  { requiredKeys: ['run', 'call', 'agent', 'depth', 'type', 'message'] },
);
const asked = fc.record(
  {
    ...head,
    type: fc.constant('request'),
    model: names,
    endpoint: names,
    attempt: fc.nat(3),
    durationMs: count,
    firstTokenMs: count,
    usage,
    error: fc.record({ code: fc.oneof(names, fc.constant('cancelled')), message: texts }),
    superseded: texts,
  },
  { requiredKeys: ['run', 'call', 'agent', 'depth', 'type', 'model', 'endpoint', 'attempt', 'durationMs'] },
);
const other = fc.record({
  ...head,
  type: fc.constantFrom('error', 'title', 'imported', 'later', 'callEnd'),
  kind: fc.constantFrom('system', 'compacted', 'CompactionEnd'),
  value: fc.oneof(fc.jsonValue(), fc.constant({ subtype: 'compact_boundary' })),
  message: fc.jsonValue(),
});
const lines = fc
  .array(fc.oneof({ weight: 4, arbitrary: said }, { weight: 2, arbitrary: asked }, other), { maxLength: 8 })
  .map((drafts) =>
    drafts.map(({ run, call, parentCall, agent, depth, ...body }, at) =>
      encodeLine({
        seq: at + 1,
        id: `m_${at}`,
        time: 1_700_000_000_000 + at,
        conversation: 'c',
        run,
        call,
        ...(parentCall !== undefined && { parentCall }),
        agent,
        depth,
        ...body,
      }),
    ),
  );

test('the bytes of a line have the facts of its record', () => {
  let scanned = 0;
  fc.assert(
    fc.property(lines, (each) => {
      scanned += expectSame(each);
    }),
    { numRuns: runs(800) },
  );
  expect(scanned).toBeGreaterThan(inRuns(300));
});

test('the arguments of a parsed call are parsed once, however many ask for their names', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } };
  const message = { role: 'assistant', content: null, tool_calls: [call] };
  const place = { conversation: 'c', run: 'r', call: 'k', agent: 'Pickle', depth: 0 };
  const line = encodeLine({ seq: 1, id: 'm', time: 5, ...place, type: 'message', message });
  const made = factsOf(readRecord(line, 'c', 0)).calls[0];
  expect(made?.names).toEqual(['path']);
  expect(made?.names).toBe(made?.names);
});

/** Whatever may be written into a line by hand, at any place of it. */
const edits = fc.oneof(
  fc.constantFrom(
    '"',
    '\\',
    ',',
    ':',
    '{',
    '}',
    '[',
    ']',
    'null',
    'true',
    '0',
    '-',
    '1e3',
    ' ',
    '\\u0041',
    '\\n',
  ),
  fc.constantFrom(
    ',"role":"user"',
    ',"type":"title"',
    ',"seq":9',
    '"message":{"role":"tool"},',
    '"tool_call_ids":["x"],',
    '"content":"again",',
    '"ro\\u006ce":"tool",',
    '"crc":"0",',
    '"usage":{"outputTokens":4,"inputTokens":7},',
  ),
);

test('a line that was changed and given a checksum that fits has the facts of its record', () => {
  let changed = 0;
  const anyChange = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(2), edits), {
    minLength: 1,
    maxLength: 2,
  });
  fc.assert(
    fc.property(fc.oneof(said, asked), anyChange, ({ run, call, agent, depth, ...body }, changes) => {
      const header = { seq: 1, id: 'm', time: 5, conversation: 'c', run, call, agent, depth };
      let json = JSON.stringify({ ...header, ...body });
      for (const [where, some, put] of changes) {
        const removed = put.length > 6 ? 0 : some;
        const any = Math.floor(where * json.length);
        const at = /^,|,$/.test(put) ? keyBeside(json, any, put) : any;
        json = json.slice(0, at) + put + json.slice(at + removed);
      }
      const bytes = Buffer.from(json.slice(0, -1));
      const crc = crc32(bytes).toString(16).padStart(8, '0');
      const line = Buffer.concat([bytes, Buffer.from(`,"crc":"${crc}"}`)]);
      if (!isJson(line)) return;
      changed++;
      expectSame([line]);
    }),
    { numRuns: runs(4_000) },
  );
  expect(changed).toBeGreaterThan(inRuns(400));
});

/** Where a further key may stand: before the comma of the next one, or behind it. */
function keyBeside(json: string, from: number, put: string): number {
  const comma = Math.max(json.indexOf(',"', from), json.indexOf(',"'));
  return put.startsWith(',') ? comma : comma + 1;
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString('utf8'));
    return !line.includes('\n');
  } catch {
    return false;
  }
}

test('messages and requests as a run writes them are never parsed', () => {
  const { records } = teamStory();
  const written = records.filter(({ type }) => type === 'message' || type === 'request');
  const conversation = records[0]!.conversation;
  expect(
    expectSame(
      written.map((record) => encodeLine(record)),
      conversation,
    ),
  ).toBe(written.length);
});

test('of what a run writes, pictures, arguments that are no JSON and texts beyond ASCII are parsed, and nothing else', () => {
  const { records } = teamStory();
  const lines = records
    .filter(({ type }) => type === 'message' || type === 'request')
    .map((record) => encodeLine(record));
  const parse = vi.spyOn(JSON, 'parse');
  onTestFinished(() => parse.mockRestore());
  const scanner = new FactScanner(records[0]!.conversation);
  const scanned = lines.filter((line) => scanner.scan(line, 0, line.length));
  const rest = parse.mock.calls
    .map(([text]) => text)
    .filter((text) => !/"image_url"|Shall I go on$|Shall I go on"$/.test(text))
    // A text beyond ASCII, of which the script tells how many tokens it is.
    .filter((text) => !/^"[^]*[^\0-\x7f][^]*"$/.test(text));
  expect([scanned.length, rest]).toEqual([lines.length, []]);
});

test.skipIf(!hasRealTranscripts)(
  'real transcripts have the same facts',
  async () => {
    let [scanned, all] = [0, 0];
    for await (const records of realTranscripts()) {
      const messages = records.filter(({ type }) => type === 'message' || type === 'request');
      scanned += expectSame(
        messages.map((record) => encodeLine(record)),
        messages[0]?.conversation,
      );
      all += messages.length;
    }
    expect(scanned / all).toBeGreaterThan(0.8);
  },
  120_000,
);
