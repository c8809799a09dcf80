import type { CallPlace } from '../../core/record.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import { asText, text } from '../reading/fields.js';
import type { ImportSink } from '../importSink.js';
import { spokenMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { spansOf, type Span } from '../shapes/otlpSpans.js';
import { ResentHistory } from '../shapes/resentHistory.js';
import { messagesOfSpan, usageOfSpan } from '../shapes/spanMessages.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';

/** How deep agents may nest; real traces stay below 10. */
const MAX_DEPTH = 50;

/** OpenTelemetry traces of generative AI in OTLP's JSON encoding: one conversation per trace. */
export const otlp: TranscriptFormat = {
  name: 'otlp',
  detect: (head) => head.length > 0 && most(head, (value) => spansOf(value).length > 0),
  read(entries, sink) {
    const traces = new Map<string, Span[]>();
    for (const { value } of sink.readable(entries)) {
      const spans = spansOf(value);
      if (spans.length === 0) sink.unknown('values without spans');
      for (const span of spans) {
        const trace = traces.get(span.trace) ?? [];
        traces.set(span.trace, trace);
        trace.push(span);
      }
    }
    for (const spans of traces.values()) new TraceReader(spans, sink).read();
  },
};

class TraceReader {
  readonly #spans: readonly Span[];
  readonly #byId: ReadonlyMap<string, Span>;
  readonly #builder: ConversationBuilder;
  readonly #histories = new Map<string, ResentHistory>();
  readonly #agents = new Map<string, CallPlace>();
  /** Tool calls that a message already contains. */
  readonly #called = new Set<string>();
  readonly #hasRequests: boolean;

  constructor(spans: readonly Span[], sink: ImportSink) {
    this.#spans = [...spans].sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
    this.#byId = new Map(spans.map((span) => [span.id, span]));
    this.#hasRequests = spans.some((span) => operationOf(span) === 'chat');
    const id = spans
      .map(({ attributes }) => attributes['gen_ai.conversation.id'])
      .find((found) => text(found));
    const entry = this.#spans.find((span) => operationOf(span) === 'invoke_agent');
    this.#builder = sink.conversation(id ?? spans[0]?.trace, entry ? agentName(entry) : 'agent');
    if (entry) this.#agents.set(entry.id, this.#builder.entry);
  }

  read(): void {
    for (const span of this.#spans) this.#add(span);
    for (const history of this.#histories.values()) history.finish();
  }

  #add(span: Span): void {
    const place = this.#placeOf(span);
    const { input, output } = messagesOfSpan(span.attributes);
    this.#builder.keep(place, span.name, span.source, span.start);
    if (operationOf(span) === 'execute_tool') this.#addTool(span, place);
    // The messages of an agent's span are also in the spans of its model requests, there in full.
    else if (operationOf(span) !== 'invoke_agent' || !this.#hasRequests)
      this.#addMessages(span, place, input, output);
  }

  #addMessages(span: Span, place: CallPlace, input: readonly object[], output: readonly object[]): void {
    const history = this.#histories.get(place.call) ?? new ResentHistory(this.#builder, place);
    this.#histories.set(place.call, history);
    const model = text(
      span.attributes['gen_ai.response.model'] ??
        span.attributes['gen_ai.request.model'] ??
        span.attributes['llm.model_name'],
    );
    if (input.length > 0) history.addHistory(input as Record<string, unknown>[], { time: span.start });
    for (const message of output)
      history.expect(message as Record<string, unknown>, { time: span.end, model });
    const usage = operationOf(span) === 'invoke_agent' ? undefined : usageOfSpan(span.attributes);
    if (usage) this.#builder.request(place, usage, model, span.end);
  }

  #addTool(span: Span, place: CallPlace): void {
    const { attributes } = span;
    const name = text(attributes['gen_ai.tool.name']) ?? span.name.replace(/^execute_tool /, '');
    const id = text(attributes['gen_ai.tool.call.id']) ?? span.id;
    if (this.#called.has(id)) return;
    this.#called.add(id);
    const calls = [toolCall(id, name, attributes['gen_ai.tool.call.arguments'])];
    this.#builder.message(place, spokenMessage('assistant', null, { calls }), { time: span.start });
    const result = attributes['gen_ai.tool.call.result'];
    if (result === undefined) return;
    this.#builder.message(place, toolMessage(id, asText(result)), {
      time: span.end,
      toolName: name,
      isError: span.isError || undefined,
      durationMs:
        span.start === undefined || span.end === undefined ? undefined : Math.max(0, span.end - span.start),
    });
  }

  /** The call of the nearest agent above a span; an agent's own span starts one. */
  #placeOf(span: Span): CallPlace {
    const path: Span[] = [];
    const seen = new Set<string>();
    let place: CallPlace = this.#builder.entry;
    for (let at: Span | undefined = span; at && !seen.has(at.id); at = this.#byId.get(at.parent)) {
      seen.add(at.id);
      const known = this.#agents.get(at.id);
      if (known) {
        place = known;
        break;
      }
      if (operationOf(at) === 'invoke_agent') path.unshift(at);
    }
    for (const agent of path) {
      if (place.depth >= MAX_DEPTH) break;
      place = this.#builder.dispatch(place, agentName(agent), { time: agent.start });
      this.#agents.set(agent.id, place);
    }
    return place;
  }
}

function operationOf({ attributes, name }: Span): string {
  const told = text(attributes['gen_ai.operation.name']);
  return told ?? /^(invoke_agent|execute_tool|chat) /.exec(name)?.[1] ?? '';
}

function agentName({ attributes, name }: Span): string {
  return text(attributes['gen_ai.agent.name']) ?? name.replace(/^invoke_agent /, '');
}
