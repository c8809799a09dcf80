import { createHash } from 'node:crypto';
import { BoundedMap } from '../../core/boundedMap.js';
import { canonicalJson } from '../../core/canonicalJson.js';
import { isObject } from '../../core/message.js';

/** How many conversations are remembered, to see which one a request goes on with. */
const MAX_REMEMBERED = 2_000;

/** What a request tells of itself. */
export interface AskedRequest {
  /** The body; undefined where it is no JSON. */
  readonly body: unknown;
  /** Whether the client says that it has sent this before. */
  readonly isRetry: boolean;
}

/** What became of a request. */
export interface EndedRequest {
  readonly isFailed: boolean;
  /** The id of the answer, which a later request of the Responses API may name; '' for none. */
  readonly answerId: string;
}

/** A conversation that a request was taken for. */
export interface Turn {
  /** The conversation's key: one more than the last for each new one. */
  readonly conversation: number;
  /** To be called once, when the request has ended. */
  end(ended: EndedRequest): void;
}

interface Known {
  readonly conversation: number;
  open: number;
  isFailed: boolean;
}

/**
 * Which conversation a request belongs to. A request that repeats all messages of another and adds to them goes on with
 * its conversation, whatever the instructions say now, as one does that names its answer; one that repeats them exactly is
 * a second try where the client says so or the first one failed, else a conversation of its own. Of two that go on with the
 * same messages at the same time, the second is a conversation of its own.
 */
export class ConversationTracker {
  /** Conversations by a fingerprint of the messages that their last request sent. */
  readonly #byMessages = new BoundedMap<string, Known>(MAX_REMEMBERED);
  /** Likewise, of those messages that are no instructions. */
  readonly #bySpoken = new BoundedMap<string, Known>(MAX_REMEMBERED);
  readonly #byAnswer = new BoundedMap<string, Known>(MAX_REMEMBERED);
  #last = 0;

  /** Takes a request that begins now. */
  begin({ body, isRetry }: AskedRequest): Turn {
    const messages = textsOf(body);
    const chain = chainOf(messages);
    const spoken = chainOf(messages.filter(({ isSpoken }) => isSpoken));
    const whole = chain.at(-1) ?? '';
    const known =
      this.#answered(body) ??
      this.#repeated(whole, isRetry) ??
      continued(this.#byMessages, chain.slice(0, -1)) ??
      // One message alone is only a question, which other agents may be asked, too.
      continued(this.#bySpoken, spoken.slice(1, -1)) ??
      this.#new();
    known.open += 1;
    if (whole !== '') this.#byMessages.set(whole, known);
    if (spoken.length > 1) this.#bySpoken.set(spoken.at(-1) ?? '', known);
    return {
      conversation: known.conversation,
      end: ({ isFailed, answerId }) => {
        known.open -= 1;
        known.isFailed = isFailed;
        if (answerId !== '') this.#byAnswer.set(answerId, known);
      },
    };
  }

  #new(): Known {
    this.#last += 1;
    return { conversation: this.#last, open: 0, isFailed: false };
  }

  #answered(body: unknown): Known | undefined {
    const id = isObject(body) ? (body.previous_response_id ?? body.conversation) : undefined;
    return typeof id === 'string' ? this.#byAnswer.get(id) : undefined;
  }

  #repeated(whole: string, isRetry: boolean): Known | undefined {
    const known = this.#byMessages.get(whole);
    return known && (isRetry || (known.isFailed && known.open === 0)) ? known : undefined;
  }
}

/** The conversation of the longest of these beginnings that is known and under way nowhere. */
function continued(conversations: Map<string, Known>, before: readonly string[]): Known | undefined {
  for (const fingerprint of [...before].reverse()) {
    const known = conversations.get(fingerprint);
    if (known?.open === 0) {
      // From now on the longer messages stand for it; who goes on from here again goes another way.
      conversations.delete(fingerprint);
      return known;
    }
  }
  return undefined;
}

/** A message of a request, as it stays when it is sent again. */
interface SentMessage {
  readonly text: string;
  /** Whether it is no instruction. */
  readonly isSpoken: boolean;
}

/** The messages of a request; none where they lie too deep to be written. */
function textsOf(body: unknown): readonly SentMessage[] {
  try {
    return messagesOf(body).map((message) => ({ text: textOf(message), isSpoken: isSpoken(message) }));
  } catch {
    return [];
  }
}

function isSpoken(message: unknown): boolean {
  return !isObject(message) || (message.role !== 'system' && message.role !== 'developer');
}

/** A fingerprint of the first message, of the first two, and so on. */
function chainOf(messages: readonly SentMessage[]): readonly string[] {
  let before = '';
  return messages.map(({ text }) => {
    before = createHash('sha256').update(before).update(text).digest('base64');
    return before;
  });
}

function messagesOf(body: unknown): readonly unknown[] {
  if (!isObject(body)) return [];
  const list = body.messages ?? body.input ?? body.contents ?? [];
  return Array.isArray(list) ? (list as unknown[]) : [list];
}

/**
 * A message as it stays when it is sent again: without the marks that say what of it is to be cached, which move on with
 * each request, and with a plain text as the list of parts that clients make of it.
 */
function textOf(message: unknown): string {
  return canonicalJson(message, (name, value) => {
    if (name === 'cache_control') return undefined;
    return name === 'content' && typeof value === 'string' ? [{ type: 'text', text: value }] : value;
  });
}
