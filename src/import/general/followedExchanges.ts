import { repeatedPartsOf, withRepeatedParts } from '../../core/repeatedParts.js';
import type { ConversationBuilder, Draft } from '../building/conversationBuilder.js';
import type { Entry, ImportSink } from '../building/importSink.js';
import { fields, list, text, without, type Fields } from '../reading/fields.js';
import { TraceReader, type PendingRequest } from '../trace/traceReader.js';
import type { FormatReader } from '../building/transcriptFormat.js';
import { areTyped, exchangeSpan, namesOf, namingIn, receivedOf, type Exchange } from './exchange.js';
import { LastWords } from './answerPieces.js';
import { answered, answerIn, leftOutOf, partOf, pieceOf } from './exchangeParts.js';
import { ExchangeTalks } from './exchangeTalks.js';
import { furtherMessages, type SentRequest } from './furtherMessages.js';
import { asksOllama } from './ollama.js';
import { exchangesIn, pairAt } from './recordedExchanges.js';

/** A request that was read, whose answer is written later. */
interface Open {
  readonly part: string;
  readonly exchange: Exchange;
  /** The messages of it that were added. */
  readonly sent: readonly Fields[];
  readonly asked: PendingRequest;
  /** What came of its answer so far, and the draft that says it until the answer does; undefined for nothing. */
  said?: { readonly words: LastWords; readonly draft: Draft };
}

/** The request that was read last, as a whole, and the name of its exchange. */
interface Before extends SentRequest {
  readonly part: string;
  readonly draft: Draft;
}

/**
 * Reads a recording of exchanges in parts while it is written: one conversation, in which each request is answered before the
 * next is sent. What a request repeats of the one before it is not gone through again, so that each costs what is new in it,
 * however long the conversation is.
 */
export class FollowedExchanges implements FormatReader {
  readonly #sink: ImportSink;
  readonly #talks = new ExchangeTalks();
  readonly #parts = new Set<string>();
  #builder: ConversationBuilder | undefined;
  #reader: TraceReader | undefined;
  #talk: string | undefined;
  #before: Before | undefined;
  #open: Open | undefined;
  #last = { start: -Infinity, end: -Infinity };
  #isOther = false;

  constructor(sink: ImportSink) {
    this.#sink = sink;
  }

  /** Nothing that comes later changes what was read; or it must be read as a whole. */
  readonly readAssumptions = '';

  get mustBeReadWhole(): boolean {
    return this.#isOther;
  }

  get open(): ReadonlySet<number> {
    const { asked, said } = this.#open ?? {};
    return new Set([asked?.draft, said?.draft].flatMap((draft) => draft?.index ?? []));
  }

  take({ value }: Entry): void {
    const told = pieceOf(value);
    this.#isOther ||= told
      ? !this.#hear(told.part, told.piece)
      : !this.#takePart(partOf(value), fields(value));
  }

  /** Reads a part of an exchange; false where this recording is none that can be read so. */
  #takePart(part: string | undefined, value: Fields): boolean {
    if (part === undefined) return false;
    const leftOut = leftOutOf(part, value);
    if (leftOut !== undefined) this.#sink.problem('warning', leftOut);
    if (this.#open) return this.#open.part === part && this.#answer(this.#open, value);
    if (this.#parts.has(part)) return false;
    this.#parts.add(part);
    return this.#ask(part, value);
  }

  #ask(part: string, value: Fields): boolean {
    const repeats = repeatedPartsOf(value.repeats);
    const before = repeats?.exchange === this.#before?.part ? this.#before : undefined;
    const request = repeats && before && withRepeatedParts(fields(value.request), repeats, before.request);
    if (repeats && !request) return false;
    for (const field of repeats?.fields ?? []) this.#sink.counted(field);
    // It names the exchange, and parts of what it says stand there.
    if (repeats) before?.draft.touch();
    const whole = request ? { ...without(value, 'repeats'), request } : value;
    // Calls of Ollama's are numbered through all that was said.
    const isNumbered = asksOllama(text(value.url));
    const further =
      repeats && before && request && !isNumbered ? furtherMessages(request, before, repeats) : undefined;
    const [exchange, ...others] = further ? [pairAt(whole, 'request', 'response')] : exchangesIn(whole);
    const span = exchange && exchangeSpan(exchange, `exchange ${this.#parts.size}`, further);
    if (!span || others.length > 0 || (span.start ?? -Infinity) < this.#last.start) return false;
    if (further && this.#talk !== undefined) this.#talks.goesOn(this.#talk, further);
    const talk = further ? this.#talk : this.#talks.keyOf(span);
    this.#talk ??= talk;
    if (talk !== this.#talk) return false;
    this.#last = { ...this.#last, start: span.start ?? this.#last.start };
    this.#reader ??= new TraceReader(this.#conversation());
    const asked = this.#reader.ask(span, further !== undefined);
    const sent = request ?? fields(exchange.request);
    const isTyped = further !== undefined || areTyped(list(sent.messages));
    this.#before = { part, request: sent, isTyped, draft: asked.draft };
    this.#open = { part, exchange, sent: span.input, asked };
    return true;
  }

  #conversation(): ConversationBuilder {
    return (this.#builder ??= this.#sink.conversation(undefined, 'assistant'));
  }

  /** Hears a piece of the answer that is waited for; false where another one is. */
  #hear(part: string, piece: Fields): boolean {
    const open = this.#open;
    if (open?.part !== part) return false;
    const words = open.said?.words ?? new LastWords();
    words.add(piece);
    const [message] = receivedOf(words.answer);
    if (open.said) Object.assign(open.said.draft.body, message && { message });
    else if (message) {
      const builder = this.#conversation();
      open.said = { words, draft: builder.message(builder.entry, message, { time: open.exchange.start }) };
    }
    return true;
  }

  #answer({ exchange: first, sent, asked, said }: Open, value: Fields): boolean {
    const second = answerIn(value, said?.words);
    if (said) this.#conversation().drop(said.draft);
    const span = exchangeSpan(answered(first, second), '', sent);
    if (!span || (span.end ?? Infinity) < this.#last.end) return false;
    const naming = namingIn(first.request);
    if (this.#talk !== undefined)
      this.#talks.answered(this.#talk, this.#talks.said, receivedOf(second.response));
    if (naming && this.#talk !== undefined)
      this.#talks.name(this.#talk, namesOf({ ...second, request: naming }));
    this.#last = { ...this.#last, end: span.end ?? this.#last.end };
    this.#open = undefined;
    asked.answer(span);
    return true;
  }
}
