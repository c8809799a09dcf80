import { endIn, endOfCode, endOfHead, ended, wordsOfResult, worst } from '../../messages/callEnd.js';
import { isObject } from '../../../core/message.js';
import { pictureAsPart } from '../../../core/picture.js';
import type { ConversationBuilder } from '../../building/conversationBuilder.js';
import { asText, fields, number, objects, text, time, type Fields } from '../../reading/fields.js';
import type { Entry, ImportSink } from '../../building/importSink.js';
import { contentParts, chatMessage, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { addFailure } from '../../messages/failures.js';
import type { StreamedFormat, FormatReader } from '../../building/transcriptFormat.js';
import { usageOf } from '../../messages/usage.js';

/** Lines about the session rather than its messages. */
const KNOWN =
  /^(?:session|model_change|thinking_level_change|compaction|branch_summary|custom\w*|label|session_info)$/;

/** What `--mode json` prints while a message comes, and again when a turn and the run are over; see `message_end`. */
const STREAMED = /^(?:message_(?:start|update)|turn_(?:start|end)|agent_(?:start|end)|tool_execution_\w+)$/;

/** What extensions and Pi itself put before the model: nobody said it. */
const INJECTED: ReadonlySet<unknown> = new Set([
  'custom',
  'hookMessage',
  'branchSummary',
  'compactionSummary',
]);

/** Pi's sessions: a header, then entries that form a tree; read in the order in which they were written. */
export const pi: StreamedFormat = {
  name: 'pi',
  of: 'Pi',
  files: 'sessions (`.jsonl`); what `--mode json` prints',
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'cost', 'images', 'thinking'],
  detect: (head) => head.some(isHeader),
  begin: (sink) => new PiReader(sink),
};

class PiReader implements FormatReader {
  readonly #sink: ImportSink;
  #header: Fields | undefined;
  #session: Session | undefined;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  look({ value }: Entry): void {
    if (isHeader(value)) this.#header ??= fields(value);
  }

  get readAssumptions(): string {
    const { id, modelId } = this.#header ?? {};
    return JSON.stringify([id, modelId]);
  }

  take({ value }: Entry): void {
    addLine(value, this.#begun());
  }

  #begun(): Session {
    const { id, modelId } = this.#header ?? {};
    return (this.#session ??= {
      builder: this.#sink.conversation(id, 'Pi'),
      sink: this.#sink,
      model: text(modelId),
    });
  }
}

/** A session while it is read. */
interface Session {
  readonly builder: ConversationBuilder;
  readonly sink: ImportSink;
  /** The model that answers; messages of older versions do not name theirs. */
  model: string | undefined;
}

/** Whether a value is the header, which had no version at first. */
function isHeader(value: unknown): boolean {
  if (!isObject(value) || value.type !== 'session' || typeof value.id !== 'string') return false;
  return 'cwd' in value || ('version' in value && 'timestamp' in value);
}

function addLine(value: unknown, session: Session): void {
  const { builder, sink } = session;
  const line = fields(value);
  const at = time(line.timestamp);
  if ((line.type === 'message' || line.type === 'message_end') && isObject(line.message)) {
    addMessage(line.message, time(line.message.timestamp) ?? at, line, session);
    return;
  }
  const type = text(line.type) ?? 'unknown';
  if (STREAMED.test(type)) return;
  if (type === 'custom_message') {
    const message = { role: 'system', content: contentOf(line.content) };
    builder.message(builder.entry, message, { time: at, raw: line });
    return;
  }
  if (type === 'model_change') session.model = text(line.modelId) ?? session.model;
  if (type === 'session_info') builder.title = text(line.name) ?? builder.title;
  if (!KNOWN.test(type)) sink.unknown(`lines of type ${type}`);
  builder.keep(builder.entry, type, value, at);
}

function addMessage(said: Fields, at: number | undefined, raw: Fields, { builder, model }: Session): void {
  const parts = objects(said.content);
  const content = contentOf(said.content);
  if (said.role === 'toolResult') {
    const end = worst(
      endIn(said),
      endOfCode(fields(said.details).exitCode),
      endOfHead(wordsOfResult(content)),
    );
    const details = { time: at, toolName: text(said.toolName), ...ended(end) };
    builder.message(builder.entry, toolMessage(said.toolCallId, content), { ...details, raw });
    return;
  }
  if (said.role === 'bashExecution') {
    const words = `$ ${asText(said.command)}\n${asText(said.output)}`;
    builder.message(builder.entry, { role: 'user', content: words }, { time: at, raw });
    return;
  }
  if (INJECTED.has(said.role)) {
    const message = { role: 'system', content: contentOf(said.content ?? said.summary) };
    builder.message(builder.entry, message, { time: at, raw });
    return;
  }
  const spent = usage(said.usage);
  const failed = said.stopReason === 'error' ? text(said.errorMessage) : undefined;
  if (failed !== undefined) {
    const about = { kind: 'request', error: failed, model: text(said.model) ?? model, time: at } as const;
    addFailure(builder, builder.entry, { ...about, raw });
    // What broke off before a word came is no answer.
    if (parts.length === 0 && (spent?.inputTokens ?? 0) === 0) return;
  }
  const calls = parts.filter(({ type }) => type === 'toolCall');
  const thoughts = parts.filter(({ type }) => type === 'thinking').map(({ thinking }) => asText(thinking));
  const message = chatMessage(text(said.role) ?? 'user', content, {
    reasoning: thoughts.join('\n'),
    calls: calls.map(({ id, name, arguments: input }) => toolCall(id, name, input)),
  });
  builder.message(builder.entry, message, {
    time: at,
    model: text(said.model) ?? (said.role === 'assistant' ? model : undefined),
    usage: spent,
    raw,
  });
}

/** A single text part becomes its text, no parts become null, anything else stays a list. */
function contentOf(content: unknown): unknown {
  if (typeof content !== 'object' || content === null) return content ?? null;
  const parts = contentParts(content)
    .filter((part) => !['toolCall', 'thinking'].includes(asText(fields(part).type)))
    .map((part) => {
      const { type, mimeType, data } = fields(part);
      if (type !== 'image') return part;
      return pictureAsPart({ mimeType: asText(mimeType), base64: asText(data) });
    });
  const only = fields(parts[0]);
  if (parts.length === 1 && typeof only.text === 'string') return only.text;
  return parts.length === 0 ? null : parts;
}

/** Pi's input tokens exclude those written to and read from the cache. */
function usage(value: unknown) {
  const { input, output, cacheRead, cacheWrite, cost } = fields(value);
  if (number(input) === undefined && number(output) === undefined) return undefined;
  const cached = number(cacheRead) ?? 0;
  const written = number(cacheWrite) ?? 0;
  return usageOf({
    input: (number(input) ?? 0) + cached + written,
    output: number(output),
    cached,
    written,
    cost: fields(cost).total,
    told: { input, output, cacheRead, cacheWrite },
  });
}
