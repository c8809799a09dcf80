import { endIn, endOfCode, ended, type CallEnd } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import type { CallSite } from '../../../core/record.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { asText, between, fields, number, objects, text, time, type Fields } from '../../reading/fields.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import type { SpeakerMark } from '../../building/whoSpeaks.js';
import { chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { addFailure } from '../../messages/failures.js';
import { most, type StreamedFormat, type FormatReader } from '../../building/transcriptFormat.js';
import { NO_MONEY, nanos } from '../../../core/money.js';
import { NO_USAGE, type Usage } from '../../../core/usage.js';
import { usageOf } from '../../messages/usage.js';

/** Copilot bills in units of which 1e11 are a dollar. */
const NANO_AIU_PER_NANO_DOLLAR = 100;

/** Events about the session rather than its messages. */
const KNOWN =
  /^(?:session\.\w+|assistant\.(?:turn_\w+|reasoning\w*|usage|intent)|tool\.execution_\w+|hook\.\w+|external_tool\.\w+|abort|system\.notification|subagent\.\w+|skill\.\w+)$/;

/** The events of Copilot CLI and of VS Code's agent host. */
export const copilotEvents: StreamedFormat = {
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

class EventReader implements FormatReader {
  readonly #sink: ImportSink;
  /** The calls of subagents by the tool call that started them. */
  readonly #calls = new Map<string, CallSite>();
  /** Tool calls that are part of an assistant message, and so need no message of their own. */
  readonly #announced = new Set<string>();
  /** Those for which a message was made, and how many of these a later answer turned out to make. */
  readonly #made = new Set<string>();
  /** The subagents that made tool calls, by the ids of these: such a call may start another. */
  readonly #madeBy = new Map<string, CallSite>();
  #late = 0;
  /** The questions for permission, by their ids: the tool call of each, and when it was asked. */
  readonly #asked = new Map<string, { readonly id: string | undefined; readonly at: number | undefined }>();
  readonly #startedAt = new Map<string, number>();
  readonly #agentNames = new Map<string, string>();
  /** The tool calls that started subagents, by the ids of these. */
  readonly #startedBy = new Map<string, string>();
  /** What requests used whose answers are still to come, by their ids. */
  readonly #used = new Map<string, Usage>();
  /** The id of the session, as an object, because it may be anything. */
  #id: { readonly id: unknown } | undefined;
  #conversation: ConversationBuilder | undefined;
  #model: string | undefined;
  /** How many events there are up to the last one that tells what the session used as a whole, and how many were added. */
  #toldUpTo = 0;
  #looked = 0;
  #taken = 0;
  /** The last end of the session that tells of all; a session that is continued ends again, with totals of everything. */
  #shutdown: { readonly data: Fields; readonly at: number | undefined } | undefined;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  look({ value }: Entry): void {
    const event = fields(value);
    const { sessionId } = fields(event.data);
    if (sessionId !== undefined) this.#id ??= { id: sessionId };
    this.#looked++;
    if (tellsAll(event)) this.#toldUpTo = this.#looked;
    for (const id of announcedBy(event)) {
      if (this.#made.has(id)) this.#late++;
      this.#announced.add(id);
    }
  }

  get readAssumptions(): string {
    return JSON.stringify([this.#id, this.#toldUpTo, this.#late]);
  }

  take({ value }: Entry): void {
    this.#taken++;
    this.#add(value);
  }

  get #builder(): ConversationBuilder {
    return (this.#conversation ??= this.#sink.conversation(this.#id?.id, 'Copilot'));
  }

  #add(value: unknown): void {
    const event = fields(value);
    const data = fields(event.data);
    const at = time(event.timestamp);
    const callSite = this.#placeOf(data.parentToolCallId ?? this.#startedBy.get(asText(event.agentId)));
    switch (event.type) {
      case 'system.message':
      case 'user.message': {
        const role = text(data.role) ?? event.type.replace('.message', '');
        const marks = markOf(data);
        // Where nobody wrote anything, it urges the model on, which only the form tells in which that is sent.
        const message = { role, content: text(data.content) ?? asText(data.transformedContent) };
        this.#builder.message(callSite, message, { time: at, marks, raw: value });
        return;
      }
      case 'system.notification': {
        const content = text(data.content) ?? text(data.message);
        if (content === undefined) break;
        const marks = { kind: 'notification' } as const;
        this.#builder.message(callSite, { role: 'user', content }, { time: at, marks, raw: value });
        return;
      }
      case 'assistant.message':
        this.#addAnswer(event, data, callSite, at);
        return;
      case 'tool.execution_start':
        this.#addStart(data, callSite, at);
        break;
      case 'tool.execution_complete':
        this.#addResult(event, data, callSite, at);
        return;
      case 'permission.requested':
        this.#asked.set(asText(data.requestId), { id: text(fields(data.permissionRequest).toolCallId), at });
        break;
      case 'permission.completed':
        this.#decide(data, callSite, at);
        break;
      case 'subagent.started':
        this.#agentNames.set(asText(data.toolCallId), asText(data.agentName));
        if (event.agentId !== undefined) this.#startedBy.set(asText(event.agentId), asText(data.toolCallId));
        break;
      case 'session.model_change':
        if (event.agentId === undefined) this.#model = text(data.newModel) ?? this.#model;
        break;
      case 'session.usage_record':
        this.#noteUsage(fields(data.usage));
        break;
      case 'session.shutdown':
        if (tellsAll(event)) this.#shutdown = { data, at };
        break;
      case 'session.error':
        this.#fail({ ...data, code: data.errorType }, callSite, value, at);
        return;
      case 'subagent.failed':
        this.#fail(data.error, this.#placeOf(data.toolCallId), value, at);
        return;
      default:
        // What is ephemeral is printed and not kept: how far an answer is, and the like.
        if (!KNOWN.test(String(event.type)) && event.ephemeral !== true)
          this.#sink.unknown(`events of type ${String(event.type)}`);
    }
    this.#builder.keep(callSite, text(event.type) ?? 'unknown', value, at);
  }

  /** An error that ended what an agent did. */
  #fail(error: unknown, callSite: CallSite, raw: unknown, at: number | undefined): void {
    addFailure(this.#builder, callSite, { kind: 'error', error, time: at, raw });
  }

  /** What was decided on a question for permission, where the question names its tool call. */
  #decide(data: Fields, callSite: CallSite, at: number | undefined): void {
    const asked = this.#asked.get(asText(data.requestId));
    const kind = text(fields(data.result).kind);
    if (asked?.id === undefined || kind === undefined) return;
    const isApproved = kind.startsWith('approved');
    const decidedBy =
      isApproved || kind.includes('by-user') ? 'user' : kind.includes('hook') ? 'hook' : 'policy';
    const waitedMs = at !== undefined && asked.at !== undefined ? Math.max(0, at - asked.at) : 0;
    const rule = decidedBy === 'user' ? '' : kind;
    const reason = text(fields(data.result).feedback) ?? '';
    this.#builder.decide(
      callSite,
      { toolCallId: asked.id, isApproved, decidedBy, rule, reason, waitedMs },
      at,
    );
  }

  #placeOf(parentToolCallId: unknown): CallSite {
    const id = text(parentToolCallId);
    if (id === undefined) return this.#builder.entry;
    const known = this.#calls.get(id);
    if (known) return known;
    const agent = this.#agentNames.get(id) ?? 'subagent';
    const callSite = this.#builder.dispatch(this.#madeBy.get(id) ?? this.#builder.entry, agent, {
      toolCallId: id,
    });
    this.#calls.set(id, callSite);
    return callSite;
  }

  #addAnswer(event: Fields, data: Fields, callSite: CallSite, at: number | undefined): void {
    const calls = objects(data.toolRequests).map(({ toolCallId, name, arguments: input }) =>
      toolCall(asText(toolCallId), name, input),
    );
    const reasoning = text(data.reasoningText);
    const message = chatMessage('assistant', asText(data.content), { reasoning, calls });
    const output = number(data.outputTokens);
    const request = asText(data.apiCallId);
    const told =
      this.#used.get(request) ?? (output === undefined ? undefined : usageOf({ input: undefined, output }));
    this.#used.delete(request);
    // The totals of the session, which are those of its entry call, have what its subagents used.
    const isTold = callSite !== this.#builder.entry && this.#taken < this.#toldUpTo;
    const usage = isTold ? NO_USAGE : told;
    const model = text(data.model) ?? this.#model;
    this.#builder.message(callSite, message, { time: at, model, usage, raw: event });
  }

  /** What newer versions tell of each request before its answer; a session under way tells no totals. */
  #noteUsage({ apiCallId, ...usage }: Fields): void {
    const [input, output] = [number(usage.inputTokens), number(usage.outputTokens)];
    if (text(apiCallId) === undefined || input === undefined || output === undefined) return;
    const [cached, written] = [number(usage.cacheReadTokens), number(usage.cacheWriteTokens)];
    this.#used.set(asText(apiCallId), usageOf({ input, output, cached, written, told: usage }));
  }

  #addStart(data: Fields, callSite: CallSite, at: number | undefined): void {
    const id = asText(data.toolCallId);
    if (at !== undefined) this.#startedAt.set(id, at);
    if (callSite !== this.#builder.entry) this.#madeBy.set(id, callSite);
    if (this.#announced.has(id)) return;
    const calls = [toolCall(id, data.toolName, data.arguments)];
    this.#builder.message(callSite, chatMessage('assistant', null, { calls }), { time: at });
    this.#announced.add(id);
    this.#made.add(id);
  }

  #addResult(event: Fields, data: Fields, callSite: CallSite, at: number | undefined): void {
    const id = asText(data.toolCallId);
    const started = this.#startedAt.get(id);
    const result = fields(data.result);
    const content = asText(result.content ?? fields(data.error).message ?? data.error ?? data.result);
    this.#builder.message(callSite, toolMessage(id, content), {
      time: at,
      ...ended(endIn(data), endOfShell(content)),
      durationMs: between(started, at),
      raw: event,
    });
  }

  settle(): void {
    this.end();
  }

  /**
   * Messages report only their output tokens; the totals of all requests come at the end, by model. What the session cost
   * is said as a whole and replaces all prices: where it is of several models, it is no single one's.
   */
  end(): void {
    const { data, at } = this.#shutdown ?? { data: {}, at: undefined };
    this.#shutdown = undefined;
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
        told: fields(fields(metrics).usage),
      });
      const paid = cost === undefined ? {} : { cost: models.length === 1 ? cost : NO_MONEY };
      this.#builder.request(this.#builder.entry, { ...usage, ...paid }, model, at);
    }
    if (cost !== undefined && models.length !== 1)
      this.#builder.request(this.#builder.entry, { ...NO_USAGE, cost }, undefined, at);
  }
}

/** Whether an event tells what all requests of the session used or cost. */
function tellsAll({ type, data }: Fields): boolean {
  const { modelMetrics, totalNanoAiu } = fields(data);
  if (type !== 'session.shutdown') return false;
  return Object.keys(fields(modelMetrics)).length > 0 || (number(totalNanoAiu) ?? 0) > 0;
}

/** What a shell says of its command behind what that printed, while the call of the shell itself went well. */
function endOfShell(words: string): CallEnd | undefined {
  const code = /<[^<>]{0,200}exited with exit code (-?\d+)[^<>]{0,200}>\s*$/.exec(words.slice(-600))?.[1];
  return endOfCode(code === undefined ? undefined : Number(code));
}

/** Whose words a message in a person's name is, as far as it tells. */
function markOf({ source, content, transformedContent }: Fields): SpeakerMark | undefined {
  if (/^skill\b/.test(asText(source))) return { kind: 'instructions' };
  return text(content) === undefined && text(transformedContent) !== undefined
    ? { kind: 'reminder' }
    : undefined;
}
