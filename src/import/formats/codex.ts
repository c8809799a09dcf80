import { isObject } from '../../core/message.js';
import type { Usage } from '../../core/usage.js';
import type { ConversationBuilder } from '../conversationBuilder.js';
import { asText, fields, text, time, type Fields } from '../reading/fields.js';
import type { Entry, ImportSink } from '../importSink.js';
import { ResponseItems } from '../shapes/responseItems.js';
import { most, type TranscriptFormat } from '../transcriptFormat.js';
import { openAiUsage, usageOf } from '../shapes/usage.js';

const ENVELOPES = new Set([
  'session_meta',
  'turn_context',
  'response_item',
  'event_msg',
  'compacted',
  'world_state',
]);

/** Events that tell of the session and not of what was said. */
const KNOWN_EVENTS =
  /^(?:token_count|turn[._]\w+|task_\w+|turn_aborted|exec_command_\w+|mcp_\w+|patch_apply_\w+|item_\w+|collab_\w+|sub_agent_\w+|guardian_\w+|context_compacted|thread_\w+|error|agent_reasoning\w*|entered_\w+|exited_\w+|codex\/event\/\w+)$/;

/** Codex's rollouts: JSONL of enveloped Responses items, and events that repeat some of what they say. */
export const codex: TranscriptFormat = {
  name: 'codex',
  detect: (head) => isSessionMeta(head[0]) || (head.length > 0 && most(head, isEnvelope)),
  read(entries, sink) {
    new Rollout(entries, sink).read();
  },
};

function isEnvelope(value: unknown): boolean {
  return (
    isObject(value) && typeof value.type === 'string' && ENVELOPES.has(value.type) && isObject(value.payload)
  );
}

function isSessionMeta(value: unknown): boolean {
  return isEnvelope(value) && fields(value).type === 'session_meta' && 'id' in fields(fields(value).payload);
}

class Rollout {
  readonly #entries: readonly Entry[];
  readonly #sink: ImportSink;
  readonly #builder: ConversationBuilder;
  readonly #items: ResponseItems;
  /** Who speaks in items; what events repeat of them is no message a second time. */
  readonly #speakers: ReadonlySet<string>;
  #model: string | undefined;
  #total: Usage = usageOf({ input: 0, output: 0 });

  constructor(entries: readonly Entry[], sink: ImportSink) {
    const meta = entries.map(({ value }) => fields(value)).find(({ type }) => type === 'session_meta');
    const about = fields(meta?.payload);
    this.#entries = entries;
    this.#sink = sink;
    this.#builder = sink.conversation(about.id ?? about.session_id, text(about.agent_nickname) ?? 'Codex');
    this.#items = new ResponseItems(this.#builder, this.#builder.entry);
    const items = entries.map(({ value }) => fields(value)).filter(({ type }) => type === 'response_item');
    this.#speakers = new Set(items.flatMap(({ payload }) => text(fields(payload).role) ?? []));
  }

  read(): void {
    for (const { value } of this.#sink.readable(this.#entries)) this.#add(value);
    this.#items.finish();
  }

  #add(value: unknown): void {
    const line = fields(value);
    const at = time(line.timestamp);
    const payload = isObject(line.payload) ? line.payload : line;
    const type = text(line.type);
    if (type === 'event_msg') this.#addEvent(payload, line, at);
    else if (type === 'turn_context') {
      this.#model = text(payload.model) ?? this.#model;
      this.#keep(type, line, at);
    } else if (type !== undefined && type !== 'response_item' && ENVELOPES.has(type))
      this.#keep(type, line, at);
    else if (!this.#addItem(payload, at)) {
      this.#keep(type ?? 'unknown', value, at);
      this.#sink.unknown(`lines of type ${text(payload.type) ?? type ?? '(none)'}`);
    }
  }

  #addItem(item: Fields, at: number | undefined): boolean {
    return this.#items.add(item, { time: at, model: item.role === 'user' ? undefined : this.#model });
  }

  #addEvent(event: Fields, line: Fields, at: number | undefined): void {
    const type = text(event.type) ?? '';
    const speaker = type === 'user_message' ? 'user' : type === 'agent_message' ? 'assistant' : undefined;
    if (speaker !== undefined && !this.#speakers.has(speaker)) {
      this.#addItem({ role: speaker, content: asText(event.message) }, at);
      return;
    }
    if (speaker === undefined && !KNOWN_EVENTS.test(type)) this.#sink.unknown(`events of type ${type}`);
    this.#keep(`event_msg/${type}`, line, at);
    this.#addUsage(event, at);
  }

  /** Token counts are totals that are told again and again: what a request cost is how much they grew. */
  #addUsage(event: Fields, at: number | undefined): void {
    const turn = event.type === 'turn.completed' ? openAiUsage(event.usage) : undefined;
    const total = openAiUsage(fields(event.info).total_token_usage);
    const cost = turn ?? (total && this.#growth(total));
    if (cost && cost.inputTokens + cost.outputTokens > 0) {
      this.#builder.request(this.#builder.entry, cost, this.#model, at);
    }
  }

  #growth(total: Usage): Usage {
    const before =
      total.inputTokens < this.#total.inputTokens ? usageOf({ input: 0, output: 0 }) : this.#total;
    this.#total = total;
    return usageOf({
      input: total.inputTokens - before.inputTokens,
      output: Math.max(0, total.outputTokens - before.outputTokens),
      cached: (total.cachedInputTokens ?? 0) - (before.cachedInputTokens ?? 0),
      reasoning: (total.reasoningTokens ?? 0) - (before.reasoningTokens ?? 0),
    });
  }

  #keep(kind: string, value: unknown, at: number | undefined): void {
    this.#builder.keep(this.#builder.entry, kind, value, at);
  }
}
