import { isObject } from '../../core/message.js';
import type { CallPlace } from '../../core/record.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import { asText, fields, number, objects, text, time, type Fields } from '../reading/fields.js';
import type { Entry, ImportSink } from '../importSink.js';
import { chatMessage, toolCall, toolMessage } from '../shapes/chatMessage.js';
import { most, type FedFormat, type FedReader } from '../transcriptFormat.js';
import { NO_MONEY, nanos } from '../../core/money.js';
import { NO_USAGE } from '../../core/usage.js';
import { usageOf } from '../shapes/usage.js';

/** Copilot bills in units of which 1e11 are a dollar. */
const NANO_AIU_PER_NANO_DOLLAR = 100;

/** Events about the session rather than its messages. */
const KNOWN =
  /^(?:session\.\w+|assistant\.(?:turn_\w+|reasoning\w*|usage|intent)|tool\.execution_\w+|hook\.\w+|external_tool\.\w+|abort|system\.notification|subagent\.\w+|skill\.\w+)$/;

/** The events of Copilot CLI and of VS Code's agent host. */
export const copilotEvents: FedFormat = {
  name: 'copilot-events',
  of: 'Copilot CLI',
  files: '`events.jsonl`',
  carries: ['messages', 'calls', 'subagents', 'times', 'models', 'usage', 'thinking'],
  detect: (head) => head.length > 0 && most(head, isEvent),
  begin: (sink) => new EventReader(sink),
};

function isEvent(value: unknown): boolean {
  return (
    isObject(value) &&
    isObject(value.data) &&
    typeof value.type === 'string' &&
    /^\w+(?:\.\w+)?$/.test(value.type) &&
    'id' in value
  );
}

/** The ids of the tool calls that an answer makes; it may be written down after they have started. */
function announcedBy({ type, data }: Fields): string[] {
  if (type !== 'assistant.message') return [];
  return objects(fields(data).toolRequests).map(({ toolCallId }) => asText(toolCallId));
}

class EventReader implements FedReader {
  readonly #sink: ImportSink;
  /** The calls of subagents by the tool call that started them. */
  readonly #calls = new Map<string, CallPlace>();
  /** Tool calls that are part of an assistant message, and so need no message of their own. */
  readonly #announced = new Set<string>();
  /** The questions for permission, by their ids: the tool call of each, and when it was asked. */
  readonly #asked = new Map<string, { readonly id: string | undefined; readonly at: number | undefined }>();
  readonly #startedAt = new Map<string, number>();
  readonly #agentNames = new Map<string, string>();
  /** The id of the session, as an object, because it may be anything. */
  #id: { readonly id: unknown } | undefined;
  #conversation: ConversationBuilder | undefined;
  #model: string | undefined;
  /** The last end of the session; a session that is continued ends again, with totals of everything. */
  #shutdown: { readonly data: Fields; readonly at: number | undefined } | undefined;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  look({ value }: Entry): void {
    const event = fields(value);
    const { sessionId } = fields(event.data);
    if (sessionId !== undefined) this.#id ??= { id: sessionId };
    for (const id of announcedBy(event)) this.#announced.add(id);
  }

  take({ value }: Entry): void {
    this.#add(value);
  }

  get #builder(): ConversationBuilder {
    return (this.#conversation ??= this.#sink.conversation(this.#id?.id, 'Copilot'));
  }

  #add(value: unknown): void {
    const event = fields(value);
    const data = fields(event.data);
    const at = time(event.timestamp);
    const place = this.#placeOf(data.parentToolCallId);
    switch (event.type) {
      case 'system.message':
      case 'user.message': {
        const role = text(data.role) ?? event.type.replace('.message', '');
        this.#builder.message(place, { role, content: asText(data.content) }, { time: at, raw: value });
        return;
      }
      case 'assistant.message':
        this.#addAnswer(event, data, place, at);
        return;
      case 'tool.execution_start':
        this.#addStart(data, place, at);
        break;
      case 'tool.execution_complete':
        this.#addResult(event, data, place, at);
        return;
      case 'permission.requested':
        this.#asked.set(asText(data.requestId), { id: text(fields(data.permissionRequest).toolCallId), at });
        break;
      case 'permission.completed':
        this.#decide(data, place, at);
        break;
      case 'subagent.started':
        this.#agentNames.set(asText(data.toolCallId), asText(data.agentName));
        break;
      case 'session.model_change':
        this.#model = text(data.newModel) ?? this.#model;
        break;
      case 'session.shutdown':
        this.#shutdown = { data, at };
        break;
      default:
        if (!KNOWN.test(String(event.type))) this.#sink.unknown(`events of type ${String(event.type)}`);
    }
    this.#builder.keep(place, text(event.type) ?? 'unknown', value, at);
  }

  /** What was decided on a question for permission, where the question names its tool call. */
  #decide(data: Fields, place: CallPlace, at: number | undefined): void {
    const asked = this.#asked.get(asText(data.requestId));
    const kind = text(fields(data.result).kind);
    if (asked?.id === undefined || kind === undefined) return;
    const isApproved = kind.startsWith('approved');
    const decidedBy =
      isApproved || kind.includes('by-user') ? 'user' : kind.includes('hook') ? 'hook' : 'policy';
    const waitedMs = at !== undefined && asked.at !== undefined ? Math.max(0, at - asked.at) : 0;
    const rule = decidedBy === 'user' ? '' : kind;
    this.#builder.decide(place, { toolCallId: asked.id, isApproved, decidedBy, rule, waitedMs }, at);
  }

  #placeOf(parentToolCallId: unknown): CallPlace {
    const id = text(parentToolCallId);
    if (id === undefined) return this.#builder.entry;
    const known = this.#calls.get(id);
    if (known) return known;
    const agent = this.#agentNames.get(id) ?? 'subagent';
    const place = this.#builder.dispatch(this.#builder.entry, agent, { toolCallId: id });
    this.#calls.set(id, place);
    return place;
  }

  #addAnswer(event: Fields, data: Fields, place: CallPlace, at: number | undefined): void {
    const calls = objects(data.toolRequests).map(({ toolCallId, name, arguments: input }) =>
      toolCall(asText(toolCallId), name, input),
    );
    const reasoning = text(data.reasoningText);
    const message = chatMessage('assistant', asText(data.content), { reasoning, calls });
    const output = number(data.outputTokens);
    const usage = output === undefined ? undefined : usageOf({ input: 0, output });
    const model = text(data.model) ?? this.#model;
    this.#builder.message(place, message, { time: at, model, usage, raw: event });
  }

  #addStart(data: Fields, place: CallPlace, at: number | undefined): void {
    const id = asText(data.toolCallId);
    if (at !== undefined) this.#startedAt.set(id, at);
    if (this.#announced.has(id)) return;
    const calls = [toolCall(id, data.toolName, data.arguments)];
    this.#builder.message(place, chatMessage('assistant', null, { calls }), { time: at });
    this.#announced.add(id);
  }

  #addResult(event: Fields, data: Fields, place: CallPlace, at: number | undefined): void {
    const id = asText(data.toolCallId);
    const started = this.#startedAt.get(id);
    const result = fields(data.result);
    const content = asText(result.content ?? fields(data.error).message ?? data.error ?? data.result);
    this.#builder.message(place, toolMessage(id, content), {
      time: at,
      isError: data.success === false || undefined,
      durationMs: at !== undefined && started !== undefined ? Math.max(0, at - started) : undefined,
      raw: event,
    });
  }

  /**
   * Messages report only their output tokens; the totals of all requests come at the end, by model. What the session cost
   * is said as a whole and replaces all prices: where it is of several models, it is no single one's.
   */
  end(): void {
    const { data, at } = this.#shutdown ?? { data: {}, at: undefined };
    const models = Object.entries(fields(data.modelMetrics));
    const billed = nanos((number(data.totalNanoAiu) ?? 0) / NANO_AIU_PER_NANO_DOLLAR);
    const cost = billed === 0 ? undefined : billed;
    for (const [model, metrics] of models) {
      const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = fields(
        fields(metrics).usage,
      );
      const usage = usageOf({
        input: number(inputTokens),
        output: number(outputTokens),
        cached: number(cacheReadTokens),
        written: number(cacheWriteTokens),
        reasoning: number(reasoningTokens),
        requests: number(fields(fields(metrics).requests).count),
      });
      const paid = cost === undefined ? {} : { cost: models.length === 1 ? cost : NO_MONEY };
      this.#builder.request(this.#builder.entry, { ...usage, ...paid }, model, at);
    }
    if (cost !== undefined && models.length !== 1)
      this.#builder.request(this.#builder.entry, { ...NO_USAGE, cost }, undefined, at);
  }
}
