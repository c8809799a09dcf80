import { isObject } from '../../core/message.js';
import type { ConversationBuilder, Draft } from '../building/conversationBuilder.js';
import { foundIn } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { asText, fields, objects, text, timeIn, type Fields } from '../reading/fields.js';
import { toolCall, toolMessage } from '../messages/chatMessage.js';
import { wordsOf } from '../messages/anyMessage.js';
import type { TranscriptFormat } from '../building/transcriptFormat.js';

/**
 * Logs of JSON-RPC between an editor and an agent (the Agent Client Protocol), or an agent and its tools (MCP): both
 * directions, in an envelope or not. What is streamed in pieces is put together.
 */
export const rpcLog: TranscriptFormat = {
  name: 'rpc-log',
  of: 'ACP, MCP',
  files: 'logs of the Agent Client Protocol and of calls of MCP tools (JSON-RPC)',
  carries: ['messages', 'calls', 'times', 'thinking'],
  detect: (head) => head.some((value) => OWN.test(asText(messageIn(value).method))),
  *readLines(lines, sink) {
    const session = foundIn(lines, (value) => text(fields(messageIn(value).params).sessionId));
    const builder = sink.conversation(session, 'agent');
    const log = new RpcLog(builder, sink);
    for (const value of sink.each(lines)) {
      log.add(value);
      yield;
    }
  },
};

/** The methods that only these protocols have. */
const OWN = /^(?:session\/(?:prompt|update)|tools\/call)$/;

const ENVELOPES = ['message', 'payload', 'data', 'msg', 'json', 'rpc', 'body'] as const;

/** The JSON-RPC message in a line. */
function messageIn(value: unknown): Fields {
  const line = fields(value);
  if (typeof line.method === 'string' || line.result !== undefined) return line;
  return fields(
    ENVELOPES.map((key) => line[key]).find(
      (each) => isObject(each) && ('method' in each || 'result' in each || 'error' in each),
    ) ?? line,
  );
}

class RpcLog {
  readonly #builder: ConversationBuilder;
  readonly #sink: ImportSink;
  /** The message that further pieces of its kind continue. */
  #open: { readonly kind: string; readonly draft: Draft } | undefined;
  /** The ids of requests that are calls of tools, until they are answered. */
  readonly #calls = new Set<string>();

  constructor(builder: ConversationBuilder, sink: ImportSink) {
    this.#builder = builder;
    this.#sink = sink;
  }

  add(value: unknown): void {
    const message = messageIn(value);
    const params = fields(message.params);
    const id = asText(message.id);
    const time = timeIn(value);
    if (message.method === 'session/prompt') this.#say('user', wordsOf(params.prompt), value, time);
    else if (message.method === 'session/update') this.#update(fields(params.update), value, time);
    else if (message.method === 'tools/call' && id !== '') {
      this.#calls.add(id);
      this.#call(`call ${id}`, asText(params.name), params.arguments, value, time);
    } else if (message.method === undefined && this.#calls.delete(id)) this.#answer(id, message, value, time);
    else this.#keep(text(message.method) ?? 'answer', value, time);
  }

  #update(update: Fields, raw: unknown, time: number | undefined): void {
    const kind = asText(update.sessionUpdate);
    const words = wordsOf(update.content ?? '');
    const id = asText(update.toolCallId);
    if (kind === 'user_message_chunk') this.#piece('user', 'content', words, raw, time);
    else if (kind === 'agent_message_chunk') this.#piece('assistant', 'content', words, raw, time);
    else if (kind === 'agent_thought_chunk') this.#piece('assistant', 'reasoning_content', words, raw, time);
    else if (kind === 'tool_call')
      this.#call(id, text(update.title) ?? text(update.kind) ?? 'tool', update.rawInput, raw, time);
    else if (kind === 'tool_call_update' && /^(?:completed|failed)$/.test(asText(update.status))) {
      const output =
        update.rawOutput ??
        (objects(update.content)
          .map((part) => wordsOf(part.content ?? part))
          .join('\n') ||
          '');
      this.#result(id, asText(output), update.status === 'failed', raw, time);
    } else this.#keep(kind === '' ? 'session/update' : kind, raw, time);
  }

  #answer(id: string, { result, error }: Fields, raw: unknown, time: number | undefined): void {
    const answer = fields(result);
    const parts = objects(answer.content);
    const isText = parts.length > 0 && parts.every(({ type }) => type === 'text');
    const failure = text(fields(error).message);
    const words = failure ?? (isText ? parts.map((part) => asText(part.text)).join('\n') : asText(result));
    this.#result(`call ${id}`, words, failure !== undefined || answer.isError === true, raw, time);
  }

  /** Adds to the message that is being streamed, or begins one. */
  #piece(
    role: string,
    key: 'content' | 'reasoning_content',
    words: string,
    raw: unknown,
    time: number | undefined,
  ): void {
    const open = this.#open?.kind === role ? this.#open : undefined;
    if (open) {
      const said = fields(open.draft.body.message);
      open.draft.body.message = { ...said, [key]: `${asText(said[key])}${words}` };
      open.draft.raws.push(raw);
      return;
    }
    const message: Record<string, unknown> = { role, content: null, [key]: words };
    this.#open = { kind: role, draft: this.#builder.message(this.#builder.entry, message, { time, raw }) };
  }

  #say(role: string, words: string, raw: unknown, time: number | undefined): void {
    this.#open = undefined;
    this.#builder.message(this.#builder.entry, { role, content: words }, { time, raw });
  }

  #call(id: string, name: string, input: unknown, raw: unknown, time: number | undefined): void {
    this.#open = undefined;
    const message = { role: 'assistant', content: null, tool_calls: [toolCall(id, name, input)] };
    this.#builder.message(this.#builder.entry, message, { time, raw });
  }

  #result(id: string, words: string, isError: boolean, raw: unknown, time: number | undefined): void {
    this.#open = undefined;
    this.#builder.message(this.#builder.entry, toolMessage(id, words), {
      time,
      raw,
      isError: isError || undefined,
    });
  }

  #keep(kind: string, raw: unknown, time: number | undefined): void {
    if (!isObject(raw)) this.#sink.unknown('values that are no objects');
    this.#builder.keep(this.#builder.entry, kind, raw, time);
  }
}
