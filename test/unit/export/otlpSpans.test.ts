import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { UntypedMessage } from '../../../src/query/numbers/transcriptItem.js';
import { isObject } from '../../../src/core/message.js';
import { bridgeChunks } from '../../../src/export/bridges/bridgeChunks.js';
import { withoutTexts } from '../../../src/export/otlp/contentLevel.js';
import { otlpJson } from '../../../src/export/otlp/otlpJson.js';
import type { OtlpSpan } from '../../../src/export/otlp/otlpSpan.js';
import { SpanMapper, type SpanOptions } from '../../../src/export/otlp/spanMapper.js';
import { SharingGate } from '../../../src/export/sharing/sharingGate.js';
import { importTranscript } from '../../../src/import/importTranscript.js';
import { loadPrices } from '../../../src/query/pricing/loadPrices.js';
import { anyRecords } from '../query/arbitraries.js';
import { contextStory } from '../../support/contextStory.js';
import { decidedStory } from '../../support/decidedStory.js';
import { hostileStory } from '../../support/hostileStory.js';
import {
  receivedSpans,
  shownByPhoenix,
  spanProblems,
  toolCallsOfLangfuse,
  type ReceivedSpan,
} from '../../support/otlpRules.js';
import { storable } from '../../support/storable.js';
import { teamStory } from '../../support/teamStory.js';
import { hasRealTranscripts, readReal, REAL_TRANSCRIPTS } from '../../ui/support/realTranscripts.js';

const asRecords = (records: readonly unknown[]) => records as readonly UntypedMessage[];

/** The spans of a conversation, as a mapper gives them. */
function spansOf(records: readonly unknown[], options: Partial<SpanOptions> = {}): readonly OtlpSpan[] {
  const mapper = new SpanMapper({ conversation: 'talk', ...options });
  return [...asRecords(records).flatMap((record) => mapper.add(record)), ...mapper.end()];
}

function received(records: readonly unknown[], options: Partial<SpanOptions> = {}): ReceivedSpan[] {
  return receivedSpans(JSON.parse(otlpJson(spansOf(records, options), { resource: {}, version: '1' })));
}

async function exported(records: readonly unknown[]): Promise<string> {
  let text = '';
  for await (const chunk of bridgeChunks(records, 'otlp-json', { redact: false })) text += chunk;
  return text;
}

/** A record without what an import numbers anew. */
function told(record: unknown): unknown {
  const kept = Object.entries(record as UntypedMessage).filter(
    ([key]) => !['seq', 'id', 'conversation'].includes(key),
  );
  return JSON.parse(JSON.stringify({ time: 0, ...Object.fromEntries(kept) }));
}

/** Records that were put in a store, so that nothing of them changes when they are read. */
const STORIES = [
  ['a team', () => teamStory().records],
  ['decisions', () => decidedStory().records],
  ['a long conversation', () => contextStory().records],
  ['hostile texts', () => hostileStory().records],
] as const;

describe('what is written and read again is every record, whole', () => {
  test.each(STORIES)('%s', async (_, story) => {
    const records = story();
    const { conversations, format, problems } = await importTranscript(
      await exported(records),
      'a.otlp.jsonl',
    );
    expect(format).toBe('otlp');
    expect(conversations).toHaveLength(1);
    expect(conversations[0]!.records.map(told)).toEqual(records.map(told));
    expect(problems.filter(({ message }) => message !== 'Some characters are damaged.')).toEqual([]);
  });

  test('of several runs and agents at random', async () => {
    await fc.assert(
      fc.asyncProperty(anyRecords, async (made) => {
        const records = made.map(storable);
        const { conversations } = await importTranscript(await exported(records), 'a.otlp.jsonl');
        const read = conversations.flatMap((each) => each.records).filter(({ type }) => type !== 'imported');
        expect(read.map(({ type }) => type)).toEqual(records.map(({ type }) => type));
      }),
    );
  });

  test.skipIf(!hasRealTranscripts).each(REAL_TRANSCRIPTS)('of %s', async (name) => {
    const { conversations } = await readReal(name);
    for (const { records } of conversations) {
      const read = await importTranscript(await exported(records), 'a.otlp.jsonl');
      expect(read.conversations.flatMap((each) => each.records).map(told)).toEqual(records.map(told));
    }
  });
});

test.skipIf(!hasRealTranscripts).each(REAL_TRANSCRIPTS)(
  'the gate lets %s out, and takes no id for a secret',
  async (name) => {
    const { conversations } = await readReal(name);
    for (const { records } of conversations) {
      const gate = new SharingGate();
      for (const [position, record] of records.entries()) gate.look(record, position);
      let text = '';
      for await (const chunk of bridgeChunks(records, 'otlp-json', { gate })) text += chunk;
      const ids = text
        .trimEnd()
        .split('\n')
        .flatMap((line) => receivedSpans(JSON.parse(line)));
      expect(ids.filter(({ traceId, spanId }) => (traceId + spanId).includes('REDACTED'))).toEqual([]);
    }
  },
);

describe('every rule of the backends holds', () => {
  const variants: readonly Partial<SpanOptions>[] = [
    {},
    { dialect: 'latest' },
    { additions: new Set(['langfuse', 'phoenix']) },
    { content: 'none' },
    { content: 'cut', maxTextBytes: 40 },
  ];
  test.each(STORIES)('for %s', (_, story) => {
    for (const options of variants)
      expect(spanProblems(received(story(), options), options.dialect)).toEqual([]);
  });

  test('for any records', () => {
    fc.assert(
      fc.property(anyRecords, fc.constantFrom(...variants), (records, options) => {
        expect(spanProblems(received(records, options), options.dialect)).toEqual([]);
      }),
    );
  });

  test.skipIf(!hasRealTranscripts).each(REAL_TRANSCRIPTS)('for %s', async (name) => {
    const { conversations } = await readReal(name);
    for (const { records } of conversations) expect(spanProblems(received(records))).toEqual([]);
  });
});

describe('the tree', () => {
  test('has a trace for each run, agents below the tool calls that dispatched them, requests and tools below agents', () => {
    const { records } = teamStory();
    const spans = received(records);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const runs = new Set(asRecords(records).map(({ run }) => run));
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(runs.size);
    const operation = (span: ReceivedSpan | undefined) =>
      JSON.stringify(span?.attributes['gen_ai.operation.name'] ?? 'nothing').slice(1, -1);
    const edges = new Set(
      spans.map((span) => `${operation(span)} < ${operation(byId.get(span.parentSpanId))}`),
    );
    expect([...edges].sort()).toEqual([
      'chat < invoke_agent',
      'execute_tool < invoke_agent',
      'invoke_agent < execute_tool',
      'invoke_agent < nothing',
    ]);
    const dispatches = asRecords(records).filter(({ type, childCall }) => type === 'dispatch' && childCall);
    const transfers = spans.filter(({ attributes }) => 'gen_ai.transfer.target.name' in attributes);
    expect(transfers.map(({ attributes }) => attributes['gen_ai.transfer.target.name']).sort()).toEqual(
      dispatches.map(({ target }) => target).sort(),
    );
  });

  test('says of a run what was asked and answered, and of an approval who decided', () => {
    const root = received(teamStory().records).find(({ parentSpanId }) => parentSpanId === '');
    const spans = received(decidedStory().records);
    expect(root?.attributes).toHaveProperty(['gen_ai.input.messages']);
    expect(root?.attributes).toHaveProperty(['gen_ai.output.messages']);
    const events = spans.flatMap((span) => span.events);
    const approvals = asRecords(decidedStory().records).filter(({ type }) => type === 'approval');
    const decided = events.filter(({ name }) => name === 'agent_logbook.approval');
    expect(decided).toHaveLength(approvals.length);
    expect(decided.map(({ attributes }) => attributes.decision)).toEqual(
      expect.arrayContaining(['approved', 'denied']),
    );
  });

  test.each(STORIES)('adds up to the tokens of %s, which stand on requests only', (_, story) => {
    expectSameUsage(story());
  });

  test.skipIf(!hasRealTranscripts).each(REAL_TRANSCRIPTS)('adds up to the tokens of %s', async (name) => {
    const { conversations } = await readReal(name);
    for (const { records } of conversations) expectSameUsage(records);
  });
});

/** Expects that a backend that adds up all spans counts what each call reports: by its requests, else by its answers. */
function expectSameUsage(records: readonly unknown[]) {
  const byCall = new Map<string, UntypedMessage[]>();
  for (const record of asRecords(records)) {
    const key = JSON.stringify([record.run, record.call]);
    byCall.set(key, [...(byCall.get(key) ?? []), record]);
  }
  const used = [...byCall.values()].flatMap((call) => {
    const of = (type: string) => call.filter((record) => record.type === type && isObject(record.usage));
    const requests = of('request');
    return (requests.length > 0 ? requests : of('message')).map(({ usage }) => usage as UntypedMessage);
  });
  const spans = received(records);
  for (const [field, key] of [
    ['inputTokens', 'input_tokens'],
    ['outputTokens', 'output_tokens'],
    ['cachedInputTokens', 'cache_read.input_tokens'],
  ] as const) {
    const sum = spans.reduce(
      (total, { attributes }) => total + Number(attributes[`gen_ai.usage.${key}`] ?? 0),
      0,
    );
    expect(sum, field).toBe(used.reduce((total, usage) => total + Number(usage[field] ?? 0), 0));
  }
}

describe('ids', () => {
  test('say why a model stopped where that was recorded, and nothing where it was not', () => {
    const said = (content: string, more: object = {}) => ({
      type: 'message',
      run: 'r',
      call: 'c',
      agent: 'Baker',
      message: { role: 'assistant', content },
      ...more,
    });
    const chats = received([
      said('Cut off', { source: { message: { stop_reason: 'max_tokens' } } }),
      said('Baked'),
    ]).flatMap(({ attributes }) => attributes['gen_ai.output.messages'] ?? []);
    const reasons = chats.map((json) => (JSON.parse(String(json)) as { finish_reason?: string }[])[0]);
    expect(reasons.map((each) => each?.finish_reason)).toEqual(
      expect.arrayContaining(['max_tokens', undefined]),
    );
    expect(JSON.stringify(chats)).not.toContain('stop"');
  });

  test('are the same each time, and others in another conversation', () => {
    const ids = (conversation: string) =>
      spansOf(teamStory().records, { conversation }).map(({ traceId, spanId }) => `${traceId}${spanId}`);
    expect(ids('a')).toEqual(ids('a'));
    expect(ids('a').filter((id) => ids('b').includes(id))).toEqual([]);
  });

  test('and spans are the same whatever else is exported before or behind', () => {
    fc.assert(
      fc.property(anyRecords, fc.nat(14), (records, at) => {
        const whole = new Map(spansOf(records).map((span) => [span.spanId, span]));
        const mapper = new SpanMapper({ conversation: 'talk' });
        const early = asRecords(records.slice(0, at)).flatMap((record) => mapper.add(record));
        for (const span of early) expect(whole.get(span.spanId)).toEqual(span);
      }),
    );
  });
});

describe('how much is told', () => {
  const PLANTED = 'a text that only a person should read';
  const at = { run: 'r1', call: 'k1', agent: 'Baker', depth: 0, conversation: 'c', time: 5_000 };
  const records = [
    { type: 'callStart', task: PLANTED, model: 'm', tools: ['bake'], secretField: PLANTED },
    { type: 'message', message: { role: 'user', content: PLANTED, name: PLANTED } },
    {
      type: 'request',
      model: 'm',
      endpoint: 'e',
      attempt: 1,
      durationMs: 5,
      usage: { inputTokens: 7, outputTokens: 3, estimated: false },
    },
    {
      type: 'message',
      message: {
        role: 'assistant',
        content: PLANTED,
        reasoning_content: PLANTED,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'bake', arguments: `{"a":"${PLANTED}"}` } },
        ],
      },
    },
    {
      type: 'approval',
      toolName: 'bake',
      toolCallId: 'a',
      subject: PLANTED,
      decision: 'denied',
      decidedBy: 'user',
      reason: PLANTED,
      rule: PLANTED,
      waitedMs: 1,
    },
    { type: 'message', isError: true, message: { role: 'tool', tool_call_id: 'a', content: PLANTED } },
    { type: 'error', where: 'model', error: { code: 'x', message: PLANTED } },
    { type: 'title', title: PLANTED },
    { type: 'imported', kind: PLANTED, value: { deep: [PLANTED] } },
    {
      type: 'request',
      model: 'm',
      endpoint: 'e',
      attempt: 2,
      durationMs: 5,
      error: { code: 'y', message: PLANTED },
      superseded: PLANTED,
    },
    { type: 'callEnd', outcome: 'failed', reason: PLANTED, durationMs: 9 },
  ].map((body, index) => ({ seq: index + 1, id: `m${index + 1}`, ...at, ...body }));

  test('nothing that anybody said goes out without texts, and what is left out is counted', () => {
    const missing: string[] = [];
    const spans = spansOf(records, { content: 'none', onMissing: (field) => missing.push(field) });
    expect(JSON.stringify(spans)).not.toContain('only a person');
    expect(missing).toEqual(
      expect.arrayContaining([
        'task',
        'message.content',
        'message.tool_calls[].function.arguments',
        'value',
        'reason',
      ]),
    );
    expect(spans.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['chat m', 'execute_tool bake', 'invoke_agent Baker']),
    );
    expect(JSON.stringify(spans)).toContain('"gen_ai.usage.input_tokens":7');
  });

  test('texts are cut to whole characters, and every cut is counted', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.integer({ min: 4, max: 50 }),
        (text, maxTextBytes) => {
          const missing: string[] = [];
          const [, asked] = records;
          const record = { ...asked, message: { role: 'user', content: text } };
          const spans = spansOf([record], {
            content: 'cut',
            maxTextBytes,
            onMissing: (field) => missing.push(field),
          });
          const isLong = Buffer.byteLength(text) > maxTextBytes;
          expect(missing).toEqual(isLong ? ['message.content'] : []);
          expect(spans[0]?.attributes['agent_logbook.truncated']).toEqual(
            isLong ? ['message.content'] : undefined,
          );
          expect(JSON.stringify(spans)).not.toContain('\ufffd');
        },
      ),
    );
  });

  test('a backend has its own words where it is told of', async () => {
    const prices = await loadPrices('');
    const used = records.map((record) =>
      record.type === 'request'
        ? {
            ...record,
            model: 'gpt-4o',
            usage: {
              inputTokens: 1_000,
              cachedInputTokens: 400,
              outputTokens: 50,
              reasoningTokens: 20,
              estimated: false,
            },
          }
        : record,
    );
    const spans = spansOf(used, { prices, additions: new Set(['langfuse', 'phoenix']) });
    const chat = spans.find(({ name }) => name === 'chat gpt-4o');
    expect(JSON.parse(String(chat?.attributes['langfuse.observation.usage_details']))).toEqual({
      input: 600,
      output: 30,
      input_cached_tokens: 400,
      output_reasoning_tokens: 20,
    });
    expect(chat?.attributes['openinference.span.kind']).toBe('LLM');
    expect(chat?.attributes['llm.cost.total']).toBeGreaterThan(0);
    expect(chat?.attributes['agent_logbook.cost.provenance']).toBe('priced');
    expect(spansOf(used).every(({ attributes }) => !('openinference.span.kind' in attributes))).toBe(true);
  });
});

describe('what backends read of a span', () => {
  const both = { additions: new Set(['langfuse', 'phoenix'] as const) };
  const call = { id: 't1', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.ts"}' } };
  const of = { run: 'r', call: 'k', agent: 'Baker', depth: 0, time: 1_000 };
  const said = [
    { ...of, type: 'message', message: { role: 'user', content: 'Look.' } },
    { ...of, type: 'message', message: { role: 'assistant', content: null, tool_calls: [call] } },
    { ...of, type: 'message', message: { role: 'tool', tool_call_id: 't1', content: '[none' } },
    { ...of, type: 'message', message: { role: 'assistant', content: 'Nothing.' } },
  ];
  const spanOf = (spans: readonly ReceivedSpan[], name: string) => spans.find((each) => each.name === name);

  test('Phoenix has what each was given and gave, and whose it is', () => {
    const spans = received(said, both);
    const shown = (name: string) => shownByPhoenix({ attributes: spanOf(spans, name)?.attributes ?? {} });
    expect(shown('invoke_agent Baker')).toEqual({
      agent: 'Baker',
      input: 'Look.',
      inputForm: 'text/plain',
      output: 'Nothing.',
      outputForm: 'text/plain',
    });
    expect(shown('execute_tool read_file')).toEqual({
      agent: 'Baker',
      input: '{"path":"a.ts"}',
      inputForm: 'application/json',
      output: '[none',
      outputForm: 'text/plain',
    });
    const { input, output, ...about } = shown('chat');
    expect([input, output].map((text) => (JSON.parse(String(text)) as unknown[]).length)).toEqual([1, 1]);
    expect(about).toEqual({ agent: 'Baker', inputForm: 'application/json', outputForm: 'application/json' });
  });

  test('Langfuse finds the tool calls of each request', () => {
    const calls = (spans: readonly ReceivedSpan[]) =>
      spans.filter(({ name }) => name === 'chat').map(toolCallsOfLangfuse);
    expect(calls(received(said, both))).toEqual([[['t1', 'read_file', '{"path":"a.ts"}']], []]);
    expect(calls(received(said, { ...both, content: 'none' }))).toEqual([[], []]);
  });

  test.each(STORIES)('and of %s nothing is another record for it when it is read again', async (_, story) => {
    const records = story();
    const text = otlpJson(spansOf(records, both), { resource: {}, version: '1' });
    const { conversations } = await importTranscript(text, 'a.otlp.json');
    expect(conversations.flatMap((each) => each.records).map(told)).toEqual(records.map(told));
  });
});

test('where no texts are written, no digest of them is either, and none is told as missing', () => {
  const request = { type: 'request', model: 'm', attempt: 1, digest: 'a'.repeat(64), received: 3 };
  expect(withoutTexts(request)).toEqual({
    record: { type: 'request', model: 'm', attempt: 1, received: 3 },
    missing: [],
  });
});
