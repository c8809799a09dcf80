import { createHash } from 'node:crypto';
import { BoundedMap } from '../../core/boundedMap.js';
import { canonicalJson } from '../../core/canonicalJson.js';
import { isObject } from '../../core/message.js';
import { fields } from '../../import/reading/fields.js';
import { withoutBilling } from '../../import/messages/billingHeader.js';
import { answeredIn, idOf, isAnswer, saidBy } from './saidInAnswer.js';

/** How many conversations are remembered, to see which one a request goes on with. */
const MAX_REMEMBERED = 2_000;
/** How many of them are remembered that have sent the same. */
const MAX_CANDIDATES = 64;

/** What a request tells of itself. */
export interface RequestFacts {
  /** The body; undefined where it is no JSON. */
  readonly body: unknown;
  /** Whether the client says that it has sent this before. */
  readonly isRetry: boolean;
}

/** What became of a request. */
export interface EndedRequest {
  readonly isFailed: boolean;
  /** The body of the answer: JSON, or the text of a stream. */
  readonly answer: unknown;
}

/** A conversation that a request was taken for. */
export interface Turn {
  /** The conversation's key: one more than the last for each new one. */
  readonly conversation: number;
  /** To be called when the id of its answer is told, while that is on its way: the next request may name it at once. */
  names(id: string): void;
  /** To be called once, when the request has ended. */
  end(ended: EndedRequest): void;
}

interface CachedTalk {
  readonly conversation: number;
  open: number;
  isFailed: boolean;
  /** Whether its last answer said something. */
  hasSaid: boolean;
  /** The id of its last answer; '' for none. */
  lastAnswer: string;
  /** The same of the answer that is on its way; '' where it has ended, or is not known. */
  underWay: string;
}

/**
 * Which conversation a request belongs to. A request that repeats all messages of another and adds to them goes on with
 * its conversation, whatever the instructions say now, before all with the one that was answered what it repeats; but where that
 * was answered, and no answer follows what is repeated, it is a conversation of its own. One that
 * names an answer goes on with its conversation if that is its last answer, one that names a conversation with that. One
 * that repeats another exactly is a second try where the client says so or the first one failed, else a conversation of its
 * own. Of two that go on with the same messages at the same time, the second is a conversation of its own.
 */
export class ConversationTracker {
  /** Conversations by a fingerprint of the instructions and messages that their last request sent, and of its answer. */
  readonly #byMessages = new Candidates();
  /** Likewise, of those messages that are no instructions. */
  readonly #bySpoken = new Candidates();
  /** By the ids of answers, and of conversations that the server keeps. */
  readonly #byName = new BoundedMap<string, CachedTalk>(MAX_REMEMBERED);
  #last = 0;

  /** Takes a request that begins now. */
  begin({ body, isRetry }: RequestFacts): Turn {
    const { previous_response_id: previous, conversation } = fields(body);
    const [answerId, conversationId] = [idOf(previous), idOf(conversation)];
    const after = [answerId && `answer ${answerId}`, conversationId && `conversation ${conversationId}`].join(
      '',
    );
    const messages = textsOf(body);
    const chain = new Chain(messages, `${after}${instructionsOf(body)}`);
    const spoken = new Chain(
      messages.filter(({ isSpoken }) => isSpoken),
      after,
    );
    const known =
      this.#repeated(chain.whole, isRetry) ??
      // What such a request sends is no beginning, and others may send it after something else.
      (after === '' ? this.#goneOn(chain, spoken) : this.#named(answerId, conversationId)) ??
      this.#new();
    known.open += 1;
    // The messages themselves are not held while the answer comes.
    const [whole, words] = [chain.whole, spoken.whole];
    let named = '';
    const names = (id: string) => {
      if (id === '' || id === named) return;
      named = id;
      known.lastAnswer = id;
      this.#byName.set(`answer ${id}`, known);
    };
    if (whole !== '') this.#byMessages.add(whole, known);
    if (spoken.length > 1) this.#bySpoken.add(words, known);
    if (conversationId !== '') this.#byName.set(`conversation ${conversationId}`, known);
    return {
      conversation: known.conversation,
      names: (id) => {
        names(id);
        known.underWay = id;
      },
      end: ({ isFailed, answer }) => {
        known.open -= 1;
        known.isFailed = isFailed;
        const { said, id, conversation: kept } = answeredIn(answer);
        if (said !== '' && whole !== '') this.#byMessages.add(answeredOf(whole, said), known);
        if (said !== '' && words !== '') this.#bySpoken.add(answeredOf(words, said), known);
        if (kept !== '') this.#byName.set(`conversation ${kept}`, known);
        known.hasSaid = said !== '';
        if (known.underWay === named) known.underWay = '';
        names(id);
      },
    };
  }

  #new(): CachedTalk {
    this.#last += 1;
    return {
      conversation: this.#last,
      open: 0,
      isFailed: false,
      hasSaid: false,
      lastAnswer: '',
      underWay: '',
    };
  }

  #named(answerId: string, conversationId: string): CachedTalk | undefined {
    if (answerId === '') return this.#byName.get(`conversation ${conversationId}`);
    const known = this.#byName.get(`answer ${answerId}`);
    if (known?.lastAnswer !== answerId) return undefined;
    // The answer that it names may not have ended yet.
    return known.open === (known.underWay === answerId ? 1 : 0) ? known : undefined;
  }

  #repeated(whole: string, isRetry: boolean): CachedTalk | undefined {
    const known = this.#byMessages.at(whole);
    return known.findLast((each) => each.isFailed && each.open === 0) ?? (isRetry ? known.at(-1) : undefined);
  }

  #goneOn(chain: Chain, spoken: Chain): CachedTalk | undefined {
    for (const { fingerprint, isAnswered } of chain.beginnings(0)) {
      const known = this.#byMessages.take(fingerprint, isAnswered);
      if (known) return known;
    }
    // One message alone is only a question, which other agents may be asked, too.
    for (const { fingerprint, isAnswered } of spoken.beginnings(1)) {
      const known = this.#bySpoken.take(fingerprint, isAnswered);
      if (known) return known;
    }
    return undefined;
  }
}

/** Conversations by fingerprints, of which several may have the same. */
class Candidates {
  readonly #known = new BoundedMap<string, readonly CachedTalk[]>(MAX_REMEMBERED);

  at(fingerprint: string): readonly CachedTalk[] {
    return this.#known.get(fingerprint) ?? [];
  }

  add(fingerprint: string, known: CachedTalk): void {
    const others = this.at(fingerprint).filter((each) => each !== known);
    this.#known.set(fingerprint, [...others.slice(1 - MAX_CANDIDATES), known]);
  }

  /**
   * The newest with this fingerprint that is under way nowhere. From now on longer messages stand for it; who goes on from
   * here again goes another way. Who sends no answer behind it does not go on with one that was answered.
   */
  take(fingerprint: string, isAnswered: boolean): CachedTalk | undefined {
    const all = this.at(fingerprint);
    const known = all.findLast(({ open, hasSaid }) => open === 0 && (isAnswered || !hasSaid));
    if (known)
      this.#known.set(
        fingerprint,
        all.filter((each) => each !== known),
      );
    return known;
  }
}

/** Fingerprints of the first of some messages, of the first two, and so on. */
class Chain {
  readonly #messages: readonly SentMessage[];
  readonly #links: readonly string[];

  /** `seed` is what stands before all messages. */
  constructor(messages: readonly SentMessage[], seed: string) {
    let before = seed;
    this.#messages = messages;
    this.#links = messages.map(({ text }) => (before = fingerprintOf(before, text)));
  }

  get length(): number {
    return this.#links.length;
  }

  /** The fingerprint of all; '' for none. */
  get whole(): string {
    return this.#links.at(-1) ?? '';
  }

  /**
   * Fingerprints of all beginnings, the longest first: each with the answer that follows it, then, if it has more than
   * `least` messages, without; and whether an answer follows them.
   */
  *beginnings(least: number): Generator<{ readonly fingerprint: string; readonly isAnswered: boolean }> {
    for (let at = this.#links.length - 2; at >= 0; at--) {
      const link = this.#links[at] ?? '';
      const said = this.#saidFrom(at + 1);
      if (said !== '') yield { fingerprint: answeredOf(link, said), isAnswered: true };
      if (at >= least) yield { fingerprint: link, isAnswered: this.#messages[at + 1]?.isAnswer === true };
    }
  }

  /** What the answer says that begins at a message; '' where none does. */
  #saidFrom(from: number): string {
    let to = from;
    while (this.#messages[to]?.isAnswer === true) to++;
    return saidBy(this.#messages.slice(from, to).map(({ message }) => message));
  }
}

function fingerprintOf(before: string, text: string): string {
  return createHash('sha256').update(before).update(text).digest('base64');
}

/** The fingerprint of messages with an answer after them. */
function answeredOf(link: string, said: string): string {
  return fingerprintOf(link, `answered ${said}`);
}

/** A message of a request, as it stays when it is sent again. */
interface SentMessage {
  readonly text: string;
  /** Whether it is no instruction. */
  readonly isSpoken: boolean;
  readonly isAnswer: boolean;
  readonly message: unknown;
}

/** The messages of a request; none where they lie too deep to be written. */
function textsOf(body: unknown): readonly SentMessage[] {
  try {
    return messagesOf(body).map((message) => ({
      message,
      text: textOf(message),
      isSpoken: isSpoken(message),
      isAnswer: isAnswer(message),
    }));
  } catch {
    return [];
  }
}

/** The instructions that stand beside the messages, without what changes with each request; '' for none. */
function instructionsOf(body: unknown): string {
  const { system, instructions, systemInstruction } = fields(body);
  const given = system ?? instructions ?? systemInstruction;
  if (given === undefined || given === null) return '';
  try {
    return canonicalJson({ content: given }, (name, value) => {
      const plain = plainOf(name, value);
      return name === 'text' && typeof plain === 'string' ? withoutBilling(plain) : plain;
    });
  } catch {
    return '';
  }
}

function isSpoken(message: unknown): boolean {
  return !isObject(message) || (message.role !== 'system' && message.role !== 'developer');
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
  return canonicalJson(message, plainOf);
}

function plainOf(name: string, value: unknown): unknown {
  if (name === 'cache_control') return undefined;
  return name === 'content' && typeof value === 'string' ? [{ type: 'text', text: value }] : value;
}
