import { createHash } from 'node:crypto';
import { textOf, type ChatMessage, type ToolCall, type ContentPart } from '../../core/message.js';
import { wellFormedIn } from '../../core/wellFormed.js';
import { picturesOf } from '../../core/picture.js';

/** How a history is written. */
export interface HistoryOptions {
  /** Whether opaque data of an answer or a tool call is sent back with it. */
  readonly withExtra: boolean;
  /** Whether the model's reasoning is sent back with its answers. */
  readonly withReasoning: boolean;
  /** Whether tool call ids are sent in the form that the strictest endpoints accept. */
  readonly withPlainIds: boolean;
  readonly withPictures: boolean;
}

/** What every endpoint accepts. */
export const PLAIN_HISTORY: HistoryOptions = {
  withExtra: false,
  withReasoning: false,
  withPlainIds: false,
  withPictures: true,
};

/** The histories of running calls, as they were last written. */
const sent = new WeakMap<readonly ChatMessage[], WrittenHistory>();

/**
 * The messages of a request as JSON in UTF-8, with commas between them. A history is sent again with every request and
 * grows in between: only what was added is written. The bytes never change.
 */
export function bytesOfMessages(messages: readonly ChatMessage[], options: HistoryOptions): Uint8Array {
  let history = sent.get(messages);
  if (!history?.isStartOf(messages, options)) {
    history = new WrittenHistory(options);
    sent.set(messages, history);
  }
  return history.goOn(messages);
}

class WrittenHistory {
  readonly #options: HistoryOptions;
  /** The messages that are written; messages themselves never change. */
  readonly #messages: ChatMessage[] = [];
  #bytes = Buffer.allocUnsafe(4096);
  #end = 0;

  constructor(options: HistoryOptions) {
    this.#options = options;
  }

  isStartOf(messages: readonly ChatMessage[], options: HistoryOptions): boolean {
    const { length } = this.#messages;
    const own = this.#options;
    return (
      options.withExtra === own.withExtra &&
      options.withReasoning === own.withReasoning &&
      options.withPlainIds === own.withPlainIds &&
      options.withPictures === own.withPictures &&
      length <= messages.length &&
      // Pictures follow the last of adjacent tool answers, and a further answer becomes the new last one.
      messages[length]?.role !== 'tool' &&
      this.#messages.every((message, at) => message === messages[at])
    );
  }

  /** Writes the messages that are missing; gives the bytes of all. */
  goOn(messages: readonly ChatMessage[]): Uint8Array {
    for (let at = this.#messages.length; at < messages.length; at++) {
      const message = messages[at];
      if (!message) break;
      const comma = at > 0 ? ',' : '';
      const pictures = this.#options.withPictures ? textOfPictures(messages, at) : '';
      this.#write(`${comma}${this.#jsonOf(message)}${pictures}`);
      this.#messages.push(message);
    }
    return this.#bytes.subarray(0, this.#end);
  }

  #jsonOf(message: ChatMessage): string {
    const shown =
      !this.#options.withPictures && Array.isArray(message.content)
        ? { ...message, content: textOf(message.content) }
        : message;
    return JSON.stringify(wellFormedIn(wireMessage(shown, this.#options)));
  }

  #write(text: string): void {
    const end = this.#end + Buffer.byteLength(text);
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(2 * end);
      this.#bytes.copy(larger, 0, 0, this.#end);
      this.#bytes = larger;
    }
    this.#bytes.write(text, this.#end);
    this.#end = end;
  }
}

/** The pictures of the adjacent tool answers that end here, with a leading comma. */
function textOfPictures(messages: readonly ChatMessage[], at: number): string {
  if (messages[at]?.role !== 'tool' || messages[at + 1]?.role === 'tool') return '';
  const first = messages.findLastIndex(({ role }, index) => index < at && role !== 'tool') + 1;
  const pictures = picturesAfter(messages.slice(first, at + 1));
  return pictures ? `,${JSON.stringify(pictures)}` : '';
}

/** A message with the keys of the protocol, what this endpoint expects back, and nothing else. */
function wireMessage(message: ChatMessage, options: HistoryOptions): unknown {
  const { role, content, name, tool_calls: calls, tool_call_id: id = '' } = message;
  if (role === 'tool') return { role, tool_call_id: wireId(id, options), content: textOf(content) };
  return {
    role: role === 'developer' ? 'system' : role,
    content,
    ...(name !== undefined && { name }),
    ...(role === 'assistant' && wireThoughts(message, options)),
    ...(calls && role === 'assistant' && { tool_calls: calls.map((call) => wireCall(call, options)) }),
  };
}

/** An endpoint that requires reasoning refuses calls without it, so an answer without any gets an empty one. */
function wireThoughts(
  { reasoning_content: thoughts = '', reasoning_details: details }: ChatMessage,
  { withExtra, withReasoning }: HistoryOptions,
) {
  return {
    ...(withReasoning && { reasoning_content: thoughts }),
    ...(withExtra && details && { reasoning_details: details }),
  };
}

function wireCall(
  { id, function: { name, arguments: text }, extra_content: extra }: ToolCall,
  options: HistoryOptions,
) {
  const call = { id: wireId(id, options), type: 'function', function: { name, arguments: text } };
  return options.withExtra && extra !== undefined ? { ...call, extra_content: extra } : call;
}

function wireId(id: string, { withPlainIds }: HistoryOptions): string {
  return withPlainIds ? plainId(id) : id;
}

const LENGTH = 9;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** A tool call id that the strictest endpoint accepts: nine letters and digits, always the same for the same id. */
function plainId(id: string): string {
  if (id.length === LENGTH && /^[a-zA-Z0-9]+$/.test(id)) return id;
  const bytes = createHash('sha256').update(id).digest().subarray(0, LENGTH);
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('');
}

/**
 * A user message with the pictures of tool answers, or undefined where there are none. Tool answers may contain only
 * text in this protocol, so pictures follow the last of them.
 */
function picturesAfter(results: readonly ChatMessage[]): ChatMessage | undefined {
  const content = results.flatMap(({ content: parts, tool_call_id: id }): readonly ContentPart[] => {
    const pictures = picturesOf(parts);
    if (pictures.length === 0) return [];
    return [{ type: 'text', text: `Pictures in the answer to the tool call ${id}:` }, ...pictures];
  });
  return content.length === 0 ? undefined : { role: 'user', content };
}

/** Whether an endpoint's refusal may be because it or its model accepts no pictures. */
export function refusesPictures({ status, message }: { status?: number; message: string }): boolean {
  if (status === undefined || ![400, 404, 413, 415, 422, 500, 501].includes(status)) return false;
  return status === 413 || /image|vision|visual|multi-?modal|mmproj|picture/i.test(message);
}
