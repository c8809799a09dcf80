import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { linesOf } from '../../../src/import/reading/fileEntries.js';
import { otlp } from '../../../src/import/spans/otlp.js';
import { importFile } from '../../../src/import/importFile.js';
import { ImportSink } from '../../../src/import/building/importSink.js';
import { read } from '../../../src/import/importTranscript.js';
import { atOnce } from '../../../src/import/reading/steps.js';
import { readLarge } from '../../../src/import/readLarge.js';
import { Drafts } from '../../../src/import/spool/drafts.js';
import { Spool } from '../../../src/import/spool/spool.js';
import { lines } from './reading.js';

/** A file with these lines, gone after the test. */
async function fileOf(text: string) {
  const root = await mkdtemp(join(tmpdir(), 'scattered-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const path = join(root, 'spans.jsonl');
  await writeFile(path, text);
  return path;
}

/** What a file gives with all of it held in memory, or with nothing held; problems in no order. */
async function given(path: string, heldBytes: number) {
  const { format, conversations, problems } = await importFile(path, { heldBytes });
  const told = problems.map(({ message, line, severity }) => `${severity} ${line ?? ''} ${message}`).sort();
  return { format, told, conversations: conversations.map((each) => JSON.stringify(each)) };
}

const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();
const nano = (second: number) => String((Date.UTC(2026, 0, 1) + second * 1000) * 1e6);
const asked = (trace: string) => [{ role: 'user', content: `What does ${trace} weigh in the end?` }];
const answered = (trace: string) => ({
  role: 'assistant',
  content: `That of ${trace} is a secret of the house.`,
});
const choices = (trace: string) => ({ choices: [{ message: answered(trace) }] });

/** The values of a trace in each format: something around, a request and a tool, to be scattered over a file. */
const TRACES: Record<string, (trace: string, index: number) => object[]> = {
  otlp: (trace, index) => {
    const span = (id: string, parentSpanId: string, name: string, attributes: object) => ({
      traceId: trace,
      spanId: `${trace}${id}`,
      parentSpanId,
      name,
      attributes,
      startTimeUnixNano: nano(index * 10 + Number(id)),
      endTimeUnixNano: nano(index * 10 + 9),
    });
    const session = { 'session.id': index % 3 === 0 ? 'one session of several traces' : `alone ${trace}` };
    return [
      span('1', '', 'invoke_agent Cook', { 'gen_ai.agent.name': 'Cook', ...session }),
      span('2', `${trace}1`, 'chat large', {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': JSON.stringify(asked(trace)),
        'gen_ai.output.messages': JSON.stringify([answered(trace)]),
      }),
      {
        body: { stringValue: `a log of ${trace}` },
        traceId: trace,
        spanId: `${trace}2`,
        attributes: { 'event.name': 'noted' },
      },
      { body: `a log of no span of ${trace}`, traceId: trace, spanId: 'nowhere', attributes: {} },
      span('3', `${trace}1`, 'execute_tool weigh', {
        'gen_ai.tool.name': 'weigh',
        'gen_ai.tool.call.result': `${trace} is light`,
      }),
    ];
  },
  langfuse: (trace, index) => [
    { id: `${trace}1`, traceId: trace, type: 'AGENT', name: 'Cook', startTime: at(index * 10) },
    {
      id: `${trace}2`,
      traceId: trace,
      type: 'GENERATION',
      parentObservationId: `${trace}1`,
      startTime: at(index * 10 + 1),
      input: asked(trace),
      output: answered(trace),
      model: 'large',
    },
    {
      id: `${trace}3`,
      traceId: trace,
      type: 'TOOL',
      name: 'weigh',
      startTime: at(index * 10 + 2),
      output: `${trace} is light`,
    },
  ],
  langsmith: (trace, index) => [
    {
      id: `${trace}1`,
      trace_id: trace,
      name: 'Cook',
      run_type: 'chain',
      start_time: at(index * 10),
      inputs: {},
    },
    {
      id: `${trace}2`,
      trace_id: trace,
      parent_run_id: `${trace}1`,
      run_type: 'llm',
      start_time: at(index * 10 + 1),
      inputs: { messages: asked(trace) },
      extra: { metadata: index % 3 === 0 ? { thread_id: 'one thread' } : {} },
    },
    // The end of a run is sent apart from its beginning.
    { id: `${trace}2`, run_type: 'llm', outputs: choices(trace), end_time: at(index * 10 + 5) },
  ],
  braintrust: (trace, index) => [
    {
      span_id: `${trace}1`,
      root_span_id: trace,
      span_attributes: { name: 'Cook', type: 'task' },
      metrics: { start: index * 10 },
    },
    {
      span_id: `${trace}2`,
      root_span_id: trace,
      span_parents: [`${trace}1`],
      metrics: { start: index * 10 + 1 },
      span_attributes: { name: 'chat', type: 'llm' },
      input: asked(trace),
      output: [{ message: answered(trace) }],
    },
  ],
  weave: (trace, index) => [
    {
      id: `${trace}1`,
      trace_id: trace,
      op_name: 'weave:///a/b/op/Cook:1',
      started_at: at(index * 10),
      inputs: {},
    },
    {
      id: `${trace}2`,
      trace_id: trace,
      parent_id: `${trace}1`,
      op_name: 'weave:///a/b/op/chat:1',
      started_at: at(index * 10 + 1),
      inputs: { model: 'large', messages: asked(trace) },
      output: choices(trace),
    },
  ],
  'datadog-llm': (trace, index) => {
    const event = (id: string, attributes: object) => ({
      id: `${trace}${id}`,
      type: 'span',
      attributes: { span_id: `${trace}${id}`, trace_id: trace, start_ns: Number(nano(index)), ...attributes },
    });
    const messages = { input: { messages: asked(trace) }, output: { messages: [answered(trace)] } };
    return [
      event('1', { parent_id: 'undefined', name: 'Cook', meta: { kind: 'agent' } }),
      event('2', { parent_id: `${trace}1`, name: 'chat', meta: { kind: 'llm', ...messages } }),
    ];
  },
  'openai-agents': (trace, index) => [
    { object: 'trace', id: trace, workflow_name: `Weighing of ${trace}` },
    {
      object: 'trace.span',
      id: `${trace}1`,
      trace_id: trace,
      started_at: at(index * 10),
      ended_at: at(index * 10 + 9),
      span_data: { type: 'agent', name: 'Cook' },
    },
    {
      object: 'trace.span',
      id: `${trace}2`,
      trace_id: trace,
      parent_id: `${trace}1`,
      started_at: at(index * 10 + 1),
      span_data: { type: 'generation', model: 'large', input: asked(trace), output: [answered(trace)] },
    },
  ],
  'gemini-telemetry': (trace, index) => {
    const event = (name: string, more: object) => ({
      attributes: {
        'session.id': trace,
        'event.name': `gemini_cli.${name}`,
        'event.timestamp': at(index),
        ...more,
      },
      body: `${name} of ${trace}`,
    });
    return [
      event('user_prompt', { prompt: `What does ${trace} weigh?` }),
      event('api_response', {
        model: 'gemini',
        input_token_count: 10,
        output_token_count: 5,
        response_text: JSON.stringify([
          { candidates: [{ content: { role: 'model', parts: [{ text: `${trace}: light` }] } }] },
        ]),
      }),
      event('tool_call', { function_name: 'weigh', function_args: `{"what":"${trace}"}`, success: true }),
    ];
  },
  'api-traffic': (trace, index) => [
    {
      request: { model: 'large', messages: asked(trace) },
      response: { object: 'chat.completion', ...choices(trace) },
      ts: at(index),
    },
    {
      request: {
        model: 'large',
        messages: [...asked(trace), answered(trace), { role: 'user', content: `And ${trace} now?` }],
      },
      response: {
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', content: `Still ${trace}.` } }],
      },
    },
  ],
  atif: (trace) => [
    {
      schema_version: 'ATIF-v1.4',
      session_id: trace,
      agent: { name: 'Cook' },
      steps: [
        { step_id: 1, source: 'user', message: `What does ${trace} weigh?` },
        { step_id: 2, source: 'agent', message: answered(trace).content, is_copied_context: trace === 't2' },
      ],
      final_metrics: { total_prompt_tokens: 100, total_completion_tokens: 50 },
    },
  ],
};

/** A file in which the traces stand through each other, with a broken line and something strange; two values in some lines. */
function scattered(traces: readonly object[][]): string {
  const longest = Math.max(...traces.map(({ length }) => length));
  const values = Array.from({ length: longest }, (_, step) =>
    traces.flatMap((trace) => trace[step] ?? []),
  ).flat();
  const middle = Math.floor(values.length / 2);
  return [
    lines(...values.slice(0, middle)),
    '{"broken": "a line that says nothing more',
    lines({ strange: 'a value that is no span and no run of anything' }),
    lines(...values.slice(middle)),
  ].join('\n');
}

const names = Object.keys(TRACES);

describe('what belongs together and stands scattered over a file', () => {
  test.each(names)('gives the same records of %s held or from the disk', async (format) => {
    const traces = Array.from({ length: 7 }, (_, index) => TRACES[format]?.(`t${index}`, index) ?? []);
    const path = await fileOf(scattered(traces));
    const held = await given(path, Number.POSITIVE_INFINITY);
    expect(held.format).toBe(format);
    expect(held.conversations.length).toBeGreaterThanOrEqual(5);
    for (let index = 0; index < 7; index++) expect(held.conversations.join()).toContain(`t${index} `);
    expect(held.conversations.join()).toContain('a line that says nothing more');
    expect(held.conversations.join()).toContain('a value that is no span and no run of anything');
    expect(await given(path, 0)).toEqual(held);
    const large = await readLarge(path, 'spans.jsonl', { heldBytes: 0, sidecars: [], sidecarsLeft: 0 });
    onTestFinished(() => large?.close());
    expect(large?.format).toBe(format);
  });

  test('in lines with spans of several traces, of which nothing is missed', async () => {
    const traces = Array.from({ length: 9 }, (_, index) => TRACES.otlp?.(`t${index}`, index) ?? []);
    const batch = (step: number) => ({
      resourceSpans: [
        {
          resource: {
            attributes: [{ key: 'service.name', value: { stringValue: `the kitchen of step ${step}` } }],
          },
          scopeSpans: [{ scope: { name: 'weigher' }, spans: traces.flatMap((trace) => trace[step] ?? []) }],
        },
      ],
    });
    const path = await fileOf(lines(batch(0), batch(1), batch(4)));
    const held = await given(path, Number.POSITIVE_INFINITY);
    expect(held.conversations.length).toBe(7);
    expect(held.told.filter((each) => !each.includes('was not understood'))).toEqual([]);
    expect(await given(path, 0)).toEqual(held);
  });

  test('as the events of one stream after another', async () => {
    const stream = (id: string) =>
      ['A secret', ' of the house', ` of ${id}`].map((content, index) => ({
        id,
        object: 'chat.completion.chunk',
        model: 'large',
        created: 1_760_000_000,
        choices: [{ index: 0, delta: { content, ...(index === 0 && { role: 'assistant' }) } }],
      }));
    const path = await fileOf(lines(...stream('first'), ...stream('second')));
    const held = await given(path, Number.POSITIVE_INFINITY);
    expect(held.format).toBe('api-traffic');
    expect(held.conversations.join()).toContain('A secret of the house of second');
    expect(await given(path, 0)).toEqual(held);
  });

  test('that is longer than is read at once is left out, which is told, and nothing else is', async () => {
    const traces = ['t1', 't2', 't3'].map((trace, index) => TRACES.braintrust?.(trace, index) ?? []);
    const long = { ...traces[1]?.[1], note: 'a note without an end. '.repeat(10_000) };
    const path = await fileOf(lines(...traces.flat(), { ...long, span_id: 't2x' }));
    const options = { heldBytes: 0, sidecars: [], sidecarsLeft: 0, maxGroupBytes: 100_000 };
    const opened = await readLarge(path, 'spans.jsonl', options);
    onTestFinished(() => opened?.close());
    const ids = opened?.conversations.map(({ id }) => id);
    expect(ids).toEqual(['t1', 't3']);
    const [problem, ...more] =
      opened?.problems.map(({ severity, message }) => `${severity}: ${message}`) ?? [];
    expect(problem).toMatch(/^error: A conversation of this file is longer than 100000 bytes.*were left out/);
    expect(more).toEqual([]);
  });
});

/** Reads so many traces that stand through each other; how many drafts were held at once, and how many bytes of all. */
async function heldOf(count: number) {
  const traces = Array.from({ length: count }, (_, index) => TRACES.otlp?.(`t${index}`, 1 + 3 * index) ?? []);
  const path = await fileOf(lines(...[0, 1, 4].flatMap((step) => traces.map((trace) => trace[step]))));
  const spool = new Spool();
  onTestFinished(() => spool.close());
  const sink = new ImportSink('spans', new Drafts(spool, 4_000));
  const entries = linesOf(path, sink, () => undefined);
  if (!entries) throw new Error('These are lines.');
  atOnce(read(otlp, entries, sink, []));
  expect(sink.finished()).toHaveLength(count);
  return sink.drafts.mostHeld;
}

test('ten times as many traces that stand through each other hold no more at once', async () => {
  const few = await heldOf(100);
  expect(few).toBeGreaterThan(5);
  expect(await heldOf(1_000)).toBeLessThanOrEqual(few + 5);
});
