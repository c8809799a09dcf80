import { isObject } from '../../core/message.js';
import type { CallPlace } from '../../core/record.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import {
  asText,
  fields,
  list,
  objects,
  parsed,
  text,
  time,
  without,
  type Fields,
} from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { spokenMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { ResentHistory } from '../shapes/resentHistory.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';
import { openAiUsage } from '../shapes/usage.js';

/** Traces of the OpenAI Agents SDK: a trace and its spans, one per line or in one list. */
export const agentsSdk: TranscriptFormat = {
  name: 'openai-agents',
  detect: (head) => most(flat(head), isTraced),
  read(entries, sink) {
    const values = flat(sink.values(entries));
    const spans = new Map<string, Fields[]>();
    for (const span of values.filter(isTraced)) {
      const trace = asText(span.object === 'trace' ? span.id : span.trace_id);
      const traced = spans.get(trace);
      if (traced) traced.push(span);
      else spans.set(trace, [span]);
    }
    for (const traced of spans.values()) readTrace(traced, sink);
    const strange = values.filter((value) => !isTraced(value));
    if (strange.length === 0) return;
    const builder = sink.conversation(undefined, 'unknown');
    for (const value of strange) builder.keep(builder.entry, 'unknown', value);
  },
};

function flat(values: readonly unknown[]): Fields[] {
  return values.flatMap((value) => {
    const inner = Array.isArray(value) ? value : (fields(value).data ?? fields(value).items);
    return Array.isArray(inner) ? objects(inner) : [fields(value)];
  });
}

function isTraced(value: unknown): boolean {
  return isObject(value) && (value.object === 'trace' || value.object === 'trace.span');
}

function readTrace(traced: readonly Fields[], sink: ImportSink): void {
  const spans = traced
    .filter(({ object }) => object === 'trace.span')
    .sort((a, b) => (time(a.started_at) ?? 0) - (time(b.started_at) ?? 0));
  const about = traced.find(({ object }) => object === 'trace');
  const first = spans.map(({ span_data }) => fields(span_data)).find(({ type }) => type === 'agent');
  const builder = sink.conversation(about?.id ?? spans[0]?.trace_id, text(first?.name) ?? 'agent');
  builder.title = text(about?.workflow_name);
  if (about) builder.keep(builder.entry, 'trace', about);
  new Spans(spans, builder, sink).read();
}

/** An agent, and the call that its messages belong to. */
interface Voice {
  readonly place: CallPlace;
  readonly agent: string;
  readonly history: ResentHistory;
}

class Spans {
  readonly #spans: readonly Fields[];
  readonly #builder: ConversationBuilder;
  readonly #sink: ImportSink;
  readonly #byId: ReadonlyMap<string, Fields>;
  /** The voice of each agent's span. */
  readonly #voices = new Map<Fields, Voice>();
  readonly #main: Voice;
  /** Whether spans of requests contain their messages, which then include the function calls. */
  readonly #hasMessages: boolean;

  constructor(spans: readonly Fields[], builder: ConversationBuilder, sink: ImportSink) {
    this.#spans = spans;
    this.#builder = builder;
    this.#sink = sink;
    this.#byId = new Map(spans.map((span) => [asText(span.id), span]));
    const { entry } = builder;
    this.#main = { place: entry, agent: entry.agent, history: new ResentHistory(builder, entry) };
    this.#hasMessages = spans.some(({ span_data }) => list(fields(span_data).input).length > 0);
  }

  read(): void {
    for (const span of this.#spans) this.#add(span);
    this.#main.history.finish();
    for (const { history } of this.#voices.values()) history.finish();
  }

  #add(span: Fields): void {
    const data = fields(span.span_data);
    const type = text(data.type) ?? 'unknown';
    const voice = this.#voiceOf(span);
    const at = time(span.started_at);
    if (type === 'generation') this.#addRequest(data, span, voice);
    else if (type === 'function' && !this.#hasMessages) this.#addFunction(data, span, voice);
    const isKnown =
      /^(?:agent|task|turn|function|generation|response|handoff|guardrail|custom|mcp_tools|speech\w*|transcription)$/;
    if (!isKnown.test(type)) this.#sink.unknown(`spans of type ${type}`);
    this.#builder.keep(voice.place, type, without(span, 'object'), at);
  }

  /** The nearest agent around a span. An agent below a function has a call of its own; a handoff stays in the call. */
  #voiceOf(span: Fields): Voice {
    const seen = new Set<Fields>();
    let isBelowFunction: Fields | undefined;
    for (let at: Fields | undefined = span; at && !seen.has(at); at = this.#byId.get(asText(at.parent_id))) {
      seen.add(at);
      const data = fields(at.span_data);
      if (data.type === 'function' && at !== span) isBelowFunction = at;
      if (data.type !== 'agent') continue;
      return this.#voices.get(at) ?? this.#newVoice(at, text(data.name) ?? 'agent');
    }
    return isBelowFunction ? this.#voiceOf(isBelowFunction) : this.#main;
  }

  #newVoice(span: Fields, agent: string): Voice {
    const parent = this.#byId.get(asText(span.parent_id));
    const isTool = fields(parent?.span_data).type === 'function';
    // Set before looking for the parent, so that spans that are each other's parents do not recurse for ever.
    this.#voices.set(span, this.#main);
    if (!parent || !isTool) {
      const same = { ...this.#main, agent };
      this.#voices.set(span, same);
      return same;
    }
    const { place } = this.#voiceOf(parent);
    const about = { toolCallId: text(parent.id), time: time(span.started_at) };
    const child = this.#builder.dispatch(place, agent, about);
    const voice = { place: child, agent, history: new ResentHistory(this.#builder, child) };
    this.#voices.set(span, voice);
    return voice;
  }

  #addRequest(data: Fields, span: Fields, { place, agent, history }: Voice): void {
    const [started, ended] = [time(span.started_at), time(span.ended_at)];
    const model = text(data.model);
    history.addHistory(objects(parsed(data.input)), { time: started, agent });
    const [answer] = objects(parsed(data.output));
    if (answer) history.expect({ role: 'assistant', ...answer }, { time: ended, model, agent });
    const usage = openAiUsage(data.usage);
    if (usage) this.#builder.request(place, usage, model, ended);
  }

  #addFunction(data: Fields, span: Fields, { place, agent }: Voice): void {
    const id = asText(span.id);
    const calls = [toolCall(id, asText(data.name), asText(data.input))];
    const message = spokenMessage('assistant', null, { calls });
    this.#builder.message(place, message, { time: time(span.started_at), agent });
    if (data.output === undefined && !span.error) return;
    const content = asText(data.output ?? fields(span.error).message);
    const details = { time: time(span.ended_at), agent, isError: isObject(span.error) || undefined };
    this.#builder.message(place, toolMessage(id, content), details);
  }
}
