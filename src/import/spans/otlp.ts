import { isObject } from '../../core/message.js';
import { sessionNamed, CONVERSATION, namesConversation, nearestTalk } from '../../core/sessionAttributes.js';
import { smallestOf } from '../../core/lists.js';
import type { Usage } from '../../core/usage.js';
import { asText, fields, number, parsed, text, type Fields } from '../reading/fields.js';
import type { ConversationBuilder } from '../building/conversationBuilder.js';
import type { Entries } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { Groups } from '../trace/groups.js';
import type { Steps } from '../reading/steps.js';
import { spansOf, type RawSpan } from '../trace/rawSpans.js';
import {
  messagesOfSpan,
  plainWords,
  unknownCounts,
  usageOfSpan,
  type SpanMessages,
} from '../trace/spanMessages.js';
import { derivedIn, ownRecordsOf } from '../tools/agentLogbook/ownSpans.js';
import { addOwnRecord } from '../tools/agentLogbook/agentLogbook.js';
import { RequestSources, tellsOfRequest } from '../trace/requestSources.js';
import { isModelLog, spanLogsOf, withLogs, type SpanLog } from '../trace/spanLogs.js';
import { KnownTexts } from '../spool/knownTexts.js';
import { TraceReader } from '../trace/traceReader.js';
import type { SpanKind, SpanTool, TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';
import { claudeTelemetry, decisionOf } from '../tools/claudeCode/claudeTelemetry.js';
import { DECIDED, withClaudeNames } from '../tools/claudeCode/claudeSpans.js';
import { isCodexTurn, isOfCodex, withCodexEvents } from '../tools/codex/codexSpans.js';
import { codexTelemetry } from '../tools/codex/codexTelemetry.js';
import { geminiTelemetry } from '../tools/gemini/geminiTelemetry.js';

/**
 * OpenTelemetry traces of generative AI, in OTLP's JSON encoding or as backends and SDKs export them: one conversation
 * per session that the spans name, else per trace. Knows the conventions of OpenTelemetry, OpenInference, Traceloop,
 * Vercel's AI SDK, Langfuse and MLflow.
 */
export const otlp: TranscriptFormat = {
  name: 'otlp',
  isOfTraces: true,
  of: 'OpenTelemetry',
  files:
    "traces in OTLP's JSON, of Jaeger, Zipkin, Tempo, Phoenix, MLflow and the SDKs, with attributes of OpenTelemetry, OpenInference, Traceloop or Vercel's AI SDK; log records of models",
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) => head.length > 0 && (most(head, hasSpans) || isLogOfModels(head)),
  *readLines(lines, sink) {
    if (yield* areLogsOfCodex(lines)) {
      yield* codexTelemetry.readLines(lines, sink, []) ?? [];
      return;
    }
    const parts = new Groups<unknown>(lines, sink);
    const known = new KnownTexts();
    const sources = new RequestSources();
    for (const value of parts.values(lines)) {
      const spans = spansOf(value);
      const logs = spanLogsOf(value);
      if (spans.length + logs.length === 0) {
        sink.unknown('values without spans');
        parts.addSingle(value);
      }
      for (const span of spans) {
        known.add(spanKey(span.trace, span.id));
        sources.noteSpan(span);
        parts.add(span.trace, { span });
      }
      for (const log of logs) {
        sources.noteLog(log);
        parts.addLater({ log });
      }
      yield;
    }
    for (const part of parts.waiting()) {
      const { log } = part as { log: SpanLog };
      const isRequest = tellsOfRequest(log) && sources.isOnly(log);
      const isOfModel = isRequest || (isModelLog(log) && sources.isOnly(log));
      // What belongs to no span and to no model's work, or tells again what something better tells, is kept as it is.
      if (isOfModel || known.numberOf(spanKey(log.trace, log.span)) >= 0)
        parts.add(log.trace, { log, isRequest });
      else parts.addSingle(log.record);
      yield;
    }
    const sessions = yield* parts.all().joining((trace) => {
      const spans = spansIn(trace as readonly TracePart[]);
      return sessionOf(spans) ?? spans[0]?.trace ?? '';
    });
    let isFirst = true;
    for (const traces of sessions) {
      const spans = traces.map((trace) => spansIn(trace as readonly TracePart[]));
      const begun = spans.sort((a, b) => beginOf(a) - beginOf(b) || 0);
      for (const talk of talksIn(begun)) {
        readSession(talk, isFirst ? parts.singles() : [], sink);
        isFirst = false;
      }
      yield;
    }
  },
};

/** A span, or a log record that belongs to one or becomes one. */
type TracePart = { readonly span: RawSpan } | { readonly log: SpanLog; readonly isRequest?: boolean };

function spanKey(trace: string, span: string): string {
  return `${trace}/${span}`;
}

/** The spans of a trace, each with its log records. */
function spansIn(parts: readonly TracePart[]): readonly RawSpan[] {
  const spans = parts.flatMap((part) => ('span' in part ? [part.span] : []));
  const logs = parts.flatMap((part) => ('log' in part && !part.isRequest ? [part.log] : []));
  const requests = parts.flatMap((part) => ('log' in part && part.isRequest ? [part.log] : []));
  return withClaudeNames(withCodexEvents(withLogs(spans, logs, requests)));
}

function beginOf(spans: readonly RawSpan[]): number {
  return smallestOf(
    spans.map(({ start }) => start ?? Infinity),
    Infinity,
  );
}

function hasSpans(value: unknown): boolean {
  return spansOf(value).length > 0;
}

/** Command lines whose logs have readers of their own. */
const TELEMETRY = [geminiTelemetry, claudeTelemetry, codexTelemetry];

/** Whether logs of Codex stand among its spans, which tell the same without what was said. */
function* areLogsOfCodex(lines: Entries): Steps<boolean> {
  for (const { value } of lines) {
    const [first] = spansOf(value);
    if (first && !isOfCodex(first)) return false;
    if (codexTelemetry.detect([value])) return true;
    yield;
  }
  return false;
}

/** Log records that tell what models were asked. */
function isLogOfModels(head: readonly unknown[]): boolean {
  const isOurs = most(head, (value) => hasSpans(value) || spanLogsOf(value).length > 0);
  return isOurs && spanLogsOf(head).some(isModelLog) && !TELEMETRY.some((format) => format.detect(head));
}

function sessionOf(spans: readonly RawSpan[]): string | undefined {
  const turn = spans.find(isCodexTurn);
  const of = turn ? [turn] : spans;
  return sessionNamed((name) =>
    of.map(({ attributes }) => text(attributes[name])).find((id) => id !== undefined),
  );
}

function readSession(
  traces: readonly (readonly RawSpan[])[],
  strange: Iterable<unknown>,
  sink: ImportSink,
): void {
  const own = ownRecordsOf(traces.flat());
  if (own) {
    readOwn(own, traces, strange, sink);
    return;
  }
  const all = traces.map(spansWithWords);
  const [first = []] = traces;
  const agent = all
    .flat()
    .filter(({ kind }) => kind === 'agent')
    .sort((a, b) => (a.start ?? 0) - (b.start ?? 0))[0]?.agent;
  // Vercel's AI SDK has a name for what asks, in place of one for an agent.
  const asking = first.map(({ attributes }) => text(attributes['ai.telemetry.functionId']));
  const builder = sink.conversation(
    sessionOf(first) ?? first[0]?.trace,
    agent ?? asking.find((name) => name !== undefined) ?? serviceOf(first) ?? 'agent',
  );
  const origins = new Map(traces.flat().map(({ origin }) => [JSON.stringify(origin), origin]));
  const [start] = first.map((span) => span.start);
  for (const origin of origins.values()) {
    if (Object.keys(origin).length > 0) builder.keep(builder.entry, 'resource', origin, start);
  }
  for (const value of strange) builder.keep(builder.entry, 'unknown', value);
  const reader = new TraceReader(builder);
  for (const spans of all) reader.read(spans);
  for (const { attributes } of traces.flat())
    for (const name of unknownCounts(attributes)) sink.unknown(`the number ${name}`);
  const isSilent = all
    .flat()
    .every(({ kind, input, output }) => kind === 'other' && input.length + output.length === 0);
  if (isSilent) describeSilent(traces.flat(), builder, sink);
  else describeUnsaid(all.flat(), builder, sink);
}

/** Reads back what this product wrote: the records that spans were made of, as they were. */
function readOwn(
  records: readonly Fields[],
  traces: readonly (readonly RawSpan[])[],
  strange: Iterable<unknown>,
  sink: ImportSink,
): void {
  const [first = []] = traces;
  const builder = sink.conversation(sessionOf(first), text(records[0]?.agent) ?? 'agent');
  for (const record of records) addOwnRecord(builder, record);
  for (const value of strange) builder.keep(builder.entry, 'unknown', value);
  for (const span of traces.flat()) for (const value of derivedIn(span)) sink.counted(value);
}

/** What a person is told of spans among which no model, no agent and no tool is. */
function describeSilent(spans: readonly RawSpan[], builder: ConversationBuilder, sink: ImportSink): void {
  const ids = new Set(spans.map(({ id }) => id));
  const root = spans.find(({ parent }) => !ids.has(parent));
  builder.title = root?.name;
  builder.facts.set('Spans', String(spans.length));
  const failed = spans.filter(({ error }) => error !== undefined);
  const [first] = failed;
  if (first) {
    const more = failed.length > 1 ? ` (and ${failed.length - 1} more)` : '';
    builder.facts.set('Failed', `${first.name}: ${first.error ?? ''}${more}`);
  }
  const kept =
    spans.length === 1 ? 'its span is kept as it is' : `its ${spans.length} spans are kept as they are`;
  sink.problem('warning', `This trace asks no model: ${kept}.`);
}

/** What a person is told of requests and calls of which nobody recorded what was said, as most programs do not unless they are told. */
function describeUnsaid(spans: readonly TraceSpan[], builder: ConversationBuilder, sink: ImportSink): void {
  const requests = spans.filter(({ kind }) => kind === 'request').length;
  const isSaid = spans.some(
    ({ input, output, tool }) => input.length + output.length > 0 || tool?.output !== undefined,
  );
  if (requests === 0 || isSaid) return;
  builder.title = spans.find(({ kind, parent }) => kind === 'agent' && parent === '')?.agent ?? builder.title;
  builder.facts.set('Said', 'was not recorded');
  sink.problem(
    'warning',
    'What was said was not recorded: models, tokens, times and calls are. The page on OpenTelemetry says how a program is told to record it.',
  );
}

/** The service that produced the spans, unless an SDK made its name up. */
function serviceOf(spans: readonly RawSpan[]): string | undefined {
  const names = spans.map(({ origin }) => text(fields(origin.resource)['service.name']));
  return names.find((name) => name !== undefined && !name.startsWith('unknown_service'));
}

/** The spans of a trace; one whose requests tell no messages at least tells what its root was asked and answered. */
function spansWithWords(raw: readonly RawSpan[]): readonly TraceSpan[] {
  const spans = withSummaries(raw.map(traceSpan));
  if (spans.some(({ input, output }) => input.length + output.length > 0)) return spans;
  const ids = new Set(raw.map(({ id }) => id));
  const root = raw.findIndex(({ parent, attributes }) => !ids.has(parent) && 'input.value' in attributes);
  return spans.map((span, index) =>
    index === root && span.kind !== 'tool' ? { ...span, ...plainWords(raw[index]?.attributes ?? {}) } : span,
  );
}

/**
 * The spans of a trace; where none of them is a request, what its outermost agents sum up of theirs is one of several.
 */
function withSummaries(spans: readonly TraceSpan[]): readonly TraceSpan[] {
  if (spans.some(({ kind }) => kind === 'request')) return withUsageBelow(spans);
  const byId = new Map(spans.map((span) => [span.id, span]));
  const isSummedAbove = ({ parent }: TraceSpan) => {
    const seen = new Set<TraceSpan>();
    for (let at = byId.get(parent); at && !seen.has(at); at = byId.get(at.parent)) {
      if (at.usage) return true;
      seen.add(at);
    }
    return false;
  };
  const summaries = spans.flatMap((span): TraceSpan[] => {
    if (!span.usage || isSummedAbove(span)) return [];
    return [sumOf(span, span.usage, SEVERAL)];
  });
  return [...spans, ...summaries];
}

/**
 * The spans of a trace whose requests tell no usage because what lies around them does: what stands around one request is that
 * one's, what stands around several is a sum beside them. Where requests tell their own, what is around them only adds it up.
 */
function withUsageBelow(spans: readonly TraceSpan[]): readonly TraceSpan[] {
  const within = new Map<string, TraceSpan[]>();
  for (const span of spans) within.set(span.parent, [...(within.get(span.parent) ?? []), span]);
  const below = (span: TraceSpan, found = new Set<TraceSpan>()): ReadonlySet<TraceSpan> => {
    for (const child of within.get(span.id) ?? []) if (!found.has(child)) below(child, found.add(child));
    return found;
  };
  const given = new Map<TraceSpan, Usage>();
  const sums: TraceSpan[] = [];
  for (const span of spans) {
    if (!span.usage) continue;
    const all = [...below(span)];
    const requests = all.filter(({ kind }) => kind === 'request');
    const [only] = requests;
    if (!only || all.some(({ usage }) => usage)) continue;
    if (requests.length === 1) given.set(only, span.usage);
    else sums.push(sumOf(span, span.usage, requests.length));
  }
  const whole = spans.map((span) => (given.has(span) ? { ...span, usage: given.get(span) } : span));
  return sums.length === 0 ? whole : [...whole, ...sums];
}

/** A request that stands for several within a span, of which only the sum is known. */
function sumOf(span: TraceSpan, usage: Usage, requests: number): TraceSpan {
  const { id, start, end, agent, model, endpoint } = span;
  const about = { start, end, agent, model, endpoint, input: [], output: [], usage: { ...usage, requests } };
  return { id: `${id}/sum`, parent: id, name: 'chat', kind: 'request', ...about, source: {} };
}

/** More than one request, however many: the price may be another for each. */
const SEVERAL = 2;

function traceSpan(span: RawSpan): TraceSpan {
  const { id, parent, name, start, end, attributes } = span;
  const kind = kindOf(span);
  const none: SpanMessages = { input: [], output: [], isTold: () => false };
  const { input, output, isTold } = kind === 'request' || kind === 'agent' ? messagesOfSpan(span) : none;
  const tool = kind === 'tool' ? toolOf(span) : undefined;
  const isArgument = (key: string) => tool !== undefined && TOLD_OF_TOOLS.has(key);
  const about = Object.entries(attributes).filter(([key]) => !isTold(key) && !isArgument(key));
  const scope = text(fields(span.origin.scope).name);
  return {
    id,
    parent,
    name: name === '' ? 'span' : name,
    kind,
    start,
    end,
    agent:
      kind === 'agent' ? agentName(span) : text(attributes['gen_ai.agent.name'] ?? attributes['agent.name']),
    input,
    output,
    model: modelOf(attributes),
    endpoint: text(
      attributes['gen_ai.provider.name'] ??
        attributes['gen_ai.system'] ??
        attributes['llm.provider'] ??
        attributes['llm.system'] ??
        attributes['ai.model.provider'] ??
        attributes['server.address'],
    ),
    usage: kind === 'request' || kind === 'agent' ? usageOfSpan(attributes) : undefined,
    firstTokenMs: firstTokenOf(attributes),
    finishReason: finishOf(attributes),
    tool,
    error:
      span.error === undefined
        ? undefined
        : { code: text(attributes['error.type']) ?? 'error', message: span.error },
    source: {
      ...span.rest,
      ...(scope !== undefined && { scope }),
      ...(about.length > 0 && { attributes: Object.fromEntries(about) }),
    },
  };
}

/** Kinds by the word that a convention has for them. */
const KINDS: Readonly<Record<string, SpanKind>> = {
  chat: 'request',
  text_completion: 'request',
  completion: 'request',
  generate_content: 'request',
  LLM: 'request',
  CHAT_MODEL: 'request',
  generation: 'request',
  invoke_agent: 'agent',
  create_agent: 'other',
  AGENT: 'agent',
  agent: 'agent',
  execute_tool: 'tool',
  TOOL: 'tool',
  tool: 'tool',
};

/** The operations of Vercel's AI SDK; those around others count as one request only where no other lies within. */
const VERCEL = /^ai\.(?:generateText|streamText|generateObject|streamObject)(?:\.do(?:Generate|Stream))?$/;

function kindOf({ attributes, name }: RawSpan): SpanKind {
  const operation = text(attributes['ai.operationId']) ?? name.split(' ')[0] ?? '';
  if (VERCEL.test(operation)) return 'request';
  if (operation === 'ai.toolCall') return 'tool';
  const words = [
    attributes['langfuse.observation.type'],
    attributes['openinference.span.kind'],
    attributes['gen_ai.operation.name'],
    attributes['traceloop.span.kind'],
    attributes['mlflow.spanType'],
    attributes['llm.request.type'],
    /^(invoke_agent|execute_tool|chat) /.exec(name)?.[1],
  ];
  for (const word of words) {
    const known = text(parsed(word));
    if (known !== undefined && Object.hasOwn(KINDS, known)) return KINDS[known] ?? 'other';
  }
  const isKnown = words.some((word) => text(word) !== undefined);
  if (text(attributes['gen_ai.tool.name']) !== undefined && !isKnown) return 'tool';
  const isRequest =
    'gen_ai.prompt.0.role' in attributes ||
    'gen_ai.input.messages' in attributes ||
    'llm.input_messages.0.message.role' in attributes;
  return isRequest && !isKnown ? 'request' : 'other';
}

function agentName({ attributes, name }: RawSpan): string {
  const told =
    attributes['gen_ai.agent.name'] ??
    attributes['agent.name'] ??
    attributes['traceloop.entity.name'] ??
    attributes['graph.node.id'];
  return text(told) ?? name.replace(/^(?:invoke_agent|agent_run) \[?|\]$|\.agent$/g, '');
}

function modelOf(attributes: Fields): string | undefined {
  const keys = [
    'gen_ai.response.model',
    'ai.response.model',
    'gen_ai.request.model',
    'llm.model_name',
    'ai.model.id',
    'langfuse.observation.model.name',
    'llm.response.model',
    'llm.request.model',
  ];
  const named = keys.map((key) => text(attributes[key])).find((model) => model !== undefined);
  // MLflow's spans name their model in what was answered or asked.
  const said = ['mlflow.spanOutputs', 'mlflow.spanInputs'].map(
    (key) => fields(parsed(attributes[key])).model,
  );
  return named ?? said.map((model) => text(model)).find((model) => model !== undefined);
}

function firstTokenOf(attributes: Fields): number | undefined {
  const ms = number(attributes['ai.response.msToFirstChunk'] ?? attributes['gen_ai.response.msToFirstChunk']);
  const seconds = number(
    attributes['gen_ai.response.time_to_first_chunk'] ?? attributes['gen_ai.server.time_to_first_token'],
  );
  return ms ?? (seconds === undefined ? undefined : seconds * 1000);
}

function finishOf(attributes: Fields): string | undefined {
  const told = parsed(
    attributes['gen_ai.response.finish_reasons'] ??
      attributes['ai.response.finishReason'] ??
      attributes['llm.response.finish_reason'] ??
      attributes['gen_ai.response.finish_reason'] ??
      attributes['gen_ai.completion.0.finish_reason'],
  );
  return text(Array.isArray(told) ? told[0] : told);
}

const ARGUMENTS = [
  'gen_ai.tool.call.arguments',
  'tool.parameters',
  'input.value',
  'ai.toolCall.args',
  'traceloop.entity.input',
  'mlflow.spanInputs',
  'langfuse.observation.input',
  'tool_arguments',
  'gcp.vertex.agent.tool_call_args',
];
const RESULTS = [
  'gen_ai.tool.call.result',
  'output.value',
  'ai.toolCall.result',
  'traceloop.entity.output',
  'mlflow.spanOutputs',
  'langfuse.observation.output',
  'tool_response',
  'gcp.vertex.agent.tool_response',
];
/** The attributes of a tool's span that its call and result tell exactly. */
const TOLD_OF_TOOLS = new Set([
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
  'ai.toolCall.args',
  'ai.toolCall.result',
]);

function toolOf({ attributes, name }: RawSpan): SpanTool {
  const first = (keys: readonly string[]) =>
    keys.map((key) => attributes[key]).find((value) => value !== undefined && value !== '<not specified>');
  const named = text(
    attributes['gen_ai.tool.name'] ??
      attributes['ai.toolCall.name'] ??
      attributes['tool.name'] ??
      attributes.tool_name ??
      attributes['traceloop.entity.name'],
  );
  const id = text(
    attributes['gen_ai.tool.call.id'] ?? attributes['ai.toolCall.id'] ?? attributes['tool_call.id'],
  );
  const input = first(ARGUMENTS);
  const told = first(RESULTS);
  // Vercel's AI SDK writes every result as JSON, also a text.
  const output = typeof parsed(told) === 'string' ? parsed(told) : told;
  const result = langChainResult(output);
  return {
    name: named ?? name.replace(/^execute_tool /, '').replace(/\.tool$/, ''),
    id: id ?? text(result?.tool_call_id),
    input: input === undefined ? undefined : asText(input),
    output: result ? result.content : output,
    ...(attributes[DECIDED] !== undefined && { decision: decisionOf(fields(attributes[DECIDED])) }),
  };
}

/** LangChain's message with the result of a tool, where one stands for a result. */
function langChainResult(output: unknown): Fields | undefined {
  const told = fields(parsed(output));
  const { lc, kwargs } = isObject(told.output) ? told.output : told;
  return lc !== undefined && isObject(kwargs) && 'tool_call_id' in kwargs ? kwargs : undefined;
}

/**
 * The conversations of traces: one, unless spans of one trace name several by the conventions' own attribute. A span that names
 * none is of the conversation of the nearest one around it that does, else of the first.
 */
function talksIn(traces: readonly (readonly RawSpan[])[]): readonly (readonly (readonly RawSpan[])[])[] {
  const named = new Set(traces.flat().flatMap((span) => conversationNamed(span) ?? []));
  if (named.size < 2) return [traces];
  const [first = ''] = named;
  const talks = new Map<string, RawSpan[][]>();
  for (const spans of traces) {
    const byId = new Map(
      spans.map((span) => [span.id, { parent: span.parent, talk: conversationNamed(span) }]),
    );
    const here = new Map<string, RawSpan[]>();
    for (const span of spans) {
      const key = conversationNamed(span) ?? nearestTalk(span.parent, byId) ?? first;
      here.set(key, [...(here.get(key) ?? []), span]);
    }
    for (const [key, all] of here) talks.set(key, [...(talks.get(key) ?? []), all]);
  }
  return [...talks.values()];
}

function conversationNamed({ attributes }: RawSpan): string | undefined {
  return namesConversation(attributes) ? text(attributes[CONVERSATION]) : undefined;
}
