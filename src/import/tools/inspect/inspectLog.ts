import { isObject } from '../../../core/message.js';
import type { Usage } from '../../../core/usage.js';
import type { ConversationBuilder, ImportedDecision } from '../../building/conversationBuilder.js';
import {
  asText,
  fields,
  list,
  number,
  objects,
  text,
  time,
  without,
  withoutKeys,
  type Fields,
} from '../../reading/fields.js';
import type { ImportSink } from '../../building/importSink.js';
import { callsOf } from '../../messages/anyMessage.js';
import { linkedPicture, chatMessage } from '../../messages/chatMessage.js';
import { usageOf } from '../../messages/usage.js';
import { TraceReader } from '../../trace/traceReader.js';
import type { SpanKind, TraceSpan } from '../../trace/traceSpan.js';
import type { TranscriptFormat } from '../../building/transcriptFormat.js';

/** Inspect's evaluation logs: one conversation per sample. A `.eval` archive is read as one such object. */
export const inspectLog: TranscriptFormat = {
  name: 'inspect',
  of: 'Inspect',
  files: 'logs (`.eval`, `.json`), one conversation per sample',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'images', 'thinking'],
  detect: ([value]) => isObject(value) && isObject(value.eval) && typeof value.status === 'string',
  read(entries, sink) {
    for (const { value } of sink.readable(entries)) {
      const log = fields(value);
      const samples = objects(log.samples);
      if (samples.length === 0) {
        const builder = sink.conversation(fields(log.eval).eval_id, 'assistant');
        builder.keep(builder.entry, 'log', log, time(fields(log.eval).created));
        sink.problem('warning', 'This log has no samples.');
      }
      for (const [index, sample] of samples.entries()) new Sample(sample, log, sink).read(index === 0);
    }
  },
};

/** One sample of a log. */
class Sample {
  readonly #sample: Fields;
  readonly #log: Fields;
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  readonly #attachments: Fields;
  /** The messages that requests of the sample point to. */
  readonly #pool: readonly unknown[];

  constructor(sample: Fields, log: Fields, sink: ImportSink) {
    const about = fields(log.eval);
    const id = [about.eval_id ?? about.run_id, sample.id, sample.epoch].map((part) => asText(part)).join('_');
    this.#sample = sample;
    this.#log = log;
    this.#sink = sink;
    this.#builder = sink.conversation(id, text(about.task) ?? 'assistant');
    this.#builder.title = `${text(about.task) ?? 'sample'} ${asText(sample.id)}`;
    this.#attachments = fields(sample.attachments);
    this.#pool = list(fields(sample.events_data).messages ?? sample.message_pool);
  }

  /** `isFirst`: what the log says of all its samples is kept with the first of them. */
  read(isFirst: boolean): void {
    const builder = this.#builder;
    const { entry } = builder;
    const created = time(fields(this.#log.eval).created);
    this.#addFacts();
    if (isFirst) builder.keep(entry, 'log', without(this.#log, 'samples'), created);
    builder.keep(entry, 'sample', this.#about(), created);
    const attachments = this.#attachments;
    let missing = 0;
    const spans = eventSpans(this.#sample, {
      input: (event) => {
        const asked = this.#inputOf(event);
        missing += asked.missing;
        return asked.messages.filter(isMessage).map((message) => this.#chat(message));
      },
      chat: (message) => this.#chat(message),
      whole: (value) => (typeof value === 'string' ? attached(value, attachments) : value),
    });
    if (missing > 0) {
      const words = `${missing} messages that requests of sample ${asText(this.#sample.id)} point to are not in its pool.`;
      this.#sink.problem('warning', words);
    }
    const isAsked = spans.some(({ kind }) => kind === 'request');
    const told = list(this.#sample.messages);
    const messages = told.flatMap((message) => (isMessage(message) ? [this.#chat(message)] : []));
    const strange = told.filter((message) => !isMessage(message));
    const reader = new TraceReader(builder);
    // The sample's own messages are the whole conversation; events tell when each was said, and how long it took.
    reader.read(spans);
    reader.complete(messages, { time: time(this.#sample.completed_at) });
    for (const message of strange) {
      builder.keep(entry, 'unknown', message);
      this.#sink.unknown('messages without a role');
    }
    if (isAsked) return;
    for (const [model, spent] of Object.entries(fields(this.#sample.model_usage))) {
      const usage = spentIn(spent);
      if (usage) builder.request(entry, usage, model);
    }
  }

  /** What the sample says besides its messages and events. */
  #about(): Fields {
    const about = without(this.#sample, 'messages', 'events');
    const shared = fields(about.events_data);
    if ('messages' in shared) return { ...about, events_data: without(shared, 'messages') };
    return without(about, 'message_pool');
  }

  /** What a request sent: its own messages, or those of the pool to which it points, as ranges without their ends. */
  #inputOf(event: Fields): { readonly messages: readonly unknown[]; readonly missing: number } {
    const own = list(event.input);
    const ranges = list(event.input_refs).flatMap((range) => {
      const [first, end] = list(range);
      return Number.isSafeInteger(first) && Number.isSafeInteger(end) ? [[Number(first), Number(end)]] : [];
    });
    if (own.length > 0 || ranges.length === 0) return { messages: own, missing: 0 };
    let asked = 0;
    const messages = ranges.flatMap(([first = 0, end = 0]) => {
      asked += Math.max(0, end - first);
      return this.#pool.slice(first, Math.max(first, end));
    });
    return { messages, missing: asked - messages.length };
  }

  /** What stands in the header: how the sample was scored, and how the evaluation ended. */
  #addFacts(): void {
    const { facts } = this.#builder;
    const { eval: about, status, results } = this.#log;
    facts.set('Task', asText(fields(about).task));
    facts.set('Model', asText(fields(about).model));
    facts.set('Status', asText(status));
    for (const [name, score] of Object.entries(scoresOf(this.#sample))) {
      facts.set(`Score (${name})`, scoreWords(asText(fields(score).value)));
    }
    facts.set('Target', asText(this.#sample.target));
    const failed = fields(this.#sample.error).message ?? fields(this.#log.error).message;
    facts.set('Error', asText(failed));
    for (const { name, metrics } of objects(fields(results).scores)) {
      for (const [metric, measured] of Object.entries(fields(metrics))) {
        facts.set(`${metricWords(metric)} (${asText(name)})`, asText(fields(measured).value));
      }
    }
    for (const [name, value] of facts) if (value === '') facts.delete(name);
  }

  /** A message as a chat message; everything else that it says stays with it. */
  #chat(message: Fields): Fields {
    const { role, content, tool_calls, error, ...source } = message;
    const parts = objects(content);
    const thoughts = parts.filter(({ type }) => type === 'reasoning');
    const reasoning = thoughts.map((part) => asText(part.reasoning)).join('\n');
    const said = chatMessage(asText(role), this.#contentOf(content), { reasoning });
    const failed = isObject(error) ? asText(error.message) : '';
    // A tool that fails is mostly told by nothing but its error.
    const words =
      role === 'tool' && failed !== '' && (said.content === '' || said.content === null)
        ? failed
        : said.content;
    const more = thoughts
      .map((part) => without(part, 'type', 'reasoning'))
      .filter((part) => Object.keys(part).length > 0);
    return {
      ...without(source, 'function'),
      ...(source.function !== undefined && { name: source.function }),
      ...said,
      content: words,
      ...callsOf(
        objects(tool_calls).map((call) =>
          typeof call.function === 'string'
            ? {
                ...without(call, 'function', 'arguments', 'type'),
                name: call.function,
                arguments: call.arguments,
              }
            : call,
        ),
      ),
      ...(isObject(error) && { error }),
      ...(more.length > 0 && { reasoning_details: more }),
    };
  }

  #contentOf(content: unknown): unknown {
    if (typeof content === 'string') return attached(content, this.#attachments);
    if (!Array.isArray(content)) return content ?? null;
    return objects(content)
      .filter(({ type }) => type !== 'reasoning')
      .map((part) => contentPart(part, this.#attachments));
  }
}

/** What Inspect's letters for scores stand for. */
const SCORES: ReadonlyMap<string, string> = new Map([
  ['C', 'correct'],
  ['I', 'incorrect'],
  ['P', 'partly correct'],
  ['N', 'no answer'],
]);

function scoreWords(score: string): string {
  const words = SCORES.get(score);
  return words === undefined ? score : `${score} (${words})`;
}

function metricWords(metric: string): string {
  return metric === 'stderr' ? 'Standard error' : `${metric.slice(0, 1).toUpperCase()}${metric.slice(1)}`;
}

function isMessage(value: unknown): value is Fields {
  return isObject(value) && typeof value.role === 'string';
}

/** Scores by the scorer's name; a log of the first version has one without a name. */
function scoresOf(sample: Fields): Fields {
  if (isObject(sample.scores)) return sample.scores;
  return isObject(sample.score) ? { score: sample.score } : {};
}

/** How values of a sample become whole. */
interface Resolve {
  /** What a request sent, as chat messages. */
  readonly input: (event: Fields) => Fields[];
  /** A message as a chat message. */
  readonly chat: (message: Fields) => Fields;
  /** A text, or the attachment that it refers to. */
  readonly whole: (value: unknown) => unknown;
}

/** Events as spans: requests, tools with what they did, agents; others as they are. */
function eventSpans(sample: Fields, resolve: Resolve): TraceSpan[] {
  const begun = new Map<string, Fields>();
  const ended = new Map<string, number | undefined>();
  const events = objects(sample.events);
  for (const event of events) {
    if (event.event === 'span_begin') begun.set(asText(event.id), event);
    if (event.event === 'span_end') ended.set(asText(event.id), time(event.timestamp));
  }
  const asking = new Set(
    events.flatMap((event) => (event.event === 'model' ? spansAround(event, begun) : [])),
  );
  let step = '';
  return events.flatMap((event, index) => {
    const name = text(event.event) ?? 'event';
    const start = time(event.timestamp);
    const common = { name, start, end: start, input: [], output: [], source: event };
    // The span of an event; an event that begins one lies in the span around it.
    const parent = asText(name === 'span_begin' ? event.parent_id : event.span_id);
    const id = name === 'span_begin' ? asText(event.id) : `event ${index}`;
    const around = begun.has(parent) ? parent : step;
    const span: TraceSpan = { ...common, id, parent: around, kind: 'other' };
    // Logs before 0.3.90 have steps, which end where the next event says so.
    if (name === 'step' && event.type === 'scorer') {
      step = event.action === 'begin' && asksInStep(events.slice(index + 1)) ? id : '';
      if (step !== '') return scorerSpans(span);
    }
    if (name === 'span_begin' && event.type === 'scorer' && asking.has(id))
      return scorerSpans({ ...span, end: ended.get(id) ?? start });
    if (name === 'span_begin') return [{ ...span, end: ended.get(id) ?? start, ...agentOf(event) }];
    if (name === 'model') return [{ ...span, ...requestOf(event, resolve) }];
    if (name === 'tool') return [{ ...span, ...toolOf(event, resolve.whole) }];
    if (name === 'approval') return [{ ...span, decision: decisionOf(event) }];
    return [span];
  });
}

/** What an approver decided; one that hands the question on decides nothing. */
function decisionOf({ decision, approver, call, explanation }: Fields): ImportedDecision | undefined {
  const { id, function: tool } = fields(call);
  if (!['approve', 'modify', 'reject', 'terminate'].includes(asText(decision))) return undefined;
  return {
    toolCallId: asText(id),
    toolName: asText(tool),
    isApproved: decision === 'approve' || decision === 'modify',
    decidedBy: approver === 'human' ? 'user' : 'policy',
    rule: approver === 'human' ? '' : asText(approver),
    reason: asText(explanation),
  };
}

function agentOf(event: Fields): { kind: SpanKind; agent?: string } {
  return event.type === 'agent' ? { kind: 'agent', agent: text(event.name) ?? 'agent' } : { kind: 'other' };
}

/** The spans that an event lies in, from the inside out. */
function spansAround({ span_id }: Fields, begun: ReadonlyMap<string, Fields>): string[] {
  const around: string[] = [];
  for (let id = asText(span_id); begun.has(id) && !around.includes(id); id = asText(begun.get(id)?.parent_id))
    around.push(id);
  return around;
}

/** Whether a model is asked before the step of a scorer ends, whose further events these are. */
function asksInStep(further: readonly Fields[]): boolean {
  const end = further.findIndex(
    ({ event, type, action }) => event === 'step' && type === 'scorer' && action === 'end',
  );
  return further.slice(0, end < 0 ? further.length : end).some(({ event }) => event === 'model');
}

/** A scorer as an agent of its own, because nobody who works on the task says what it asks its grader; and the event itself. */
function scorerSpans(span: TraceSpan): TraceSpan[] {
  const agent = text(fields(span.source).name) ?? 'scorer';
  return [
    { ...span, kind: 'agent', agent, source: { name: agent } },
    { ...span, id: `${span.id} itself`, parent: span.id },
  ];
}

function requestOf(event: Fields, { input, chat }: Resolve): Partial<TraceSpan> {
  const output = fields(event.output);
  const start = time(event.timestamp);
  const took = number(event.working_time) ?? number(output.time);
  const choices = objects(output.choices);
  const error = text(event.error) ?? text(output.error);
  return {
    kind: 'request',
    end:
      time(event.completed) ??
      (start === undefined || took === undefined ? start : start + Math.round(took * 1000)),
    input: input(event),
    output: choices.flatMap(({ message }) => (isMessage(message) ? [chat(message)] : [])),
    model: text(output.model) ?? text(event.model),
    endpoint: text(event.model)?.split('/')[0],
    usage: spentIn(output.usage),
    finishReason: text(choices[0]?.stop_reason),
    error: error === undefined ? undefined : { code: 'error', message: error },
    source: {
      ...without(event, 'input', 'output'),
      output: { ...output, choices: choices.map((choice) => without(choice, 'message')) },
    },
  };
}

function toolOf(event: Fields, whole: Resolve['whole']): Partial<TraceSpan> {
  const start = time(event.timestamp);
  const took = number(event.working_time);
  const failed = isObject(event.error) ? event.error : undefined;
  const result = event.result === '' && failed ? undefined : whole(event.result);
  return {
    kind: 'tool',
    end:
      time(event.completed) ??
      (start === undefined || took === undefined ? undefined : start + Math.round(took * 1000)),
    tool: {
      name: asText(event.function),
      id: text(event.id),
      input: asText(event.arguments ?? {}),
      output: result ?? undefined,
    },
    error: failed && { code: text(failed.type) ?? 'error', message: text(failed.message) ?? asText(failed) },
    source: withoutKeys(event, ['arguments', 'result']),
  };
}

function spentIn(spent: unknown): Usage | undefined {
  const usage = fields(spent);
  const input = number(usage.input_tokens);
  const output = number(usage.output_tokens);
  if (input === undefined && output === undefined) return undefined;
  const cached = number(usage.input_tokens_cache_read) ?? 0;
  const written = number(usage.input_tokens_cache_write) ?? 0;
  // Inspect counts what is read from and written to the cache apart, where the total tells so.
  const isApart = number(usage.total_tokens) === (input ?? 0) + (output ?? 0) + cached + written;
  return usageOf({
    input: (input ?? 0) + (isApart ? cached + written : 0),
    output,
    cached,
    written,
    reasoning: number(usage.reasoning_tokens),
    told: usage,
  });
}

function contentPart(part: Fields, attachments: Fields): Fields {
  if (part.type === 'text') return { ...part, type: 'text', text: attached(asText(part.text), attachments) };
  if (part.type === 'image') return linkedPicture(attached(asText(part.image), attachments));
  return { ...part, type: text(part.type) ?? 'part' };
}

/** Resolves a reference to an attachment, where Inspect stores long texts. */
function attached(value: string, attachments: Fields): string {
  const id = /^attachment:\/\/([0-9a-f]+)$/.exec(value)?.[1];
  return (id !== undefined && Object.hasOwn(attachments, id) ? text(attachments[id]) : undefined) ?? value;
}
