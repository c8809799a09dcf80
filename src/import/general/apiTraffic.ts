import { repeatedPartsOf, withRepeatedParts, type RepeatedParts } from '../../core/repeatedParts.js';
import { fields, objects, without, type Fields } from '../reading/fields.js';
import { everyValue, type Entries } from '../reading/entries.js';
import type { ImportSink } from '../building/importSink.js';
import { Groups } from '../trace/groups.js';
import { LastWords } from './answerPieces.js';
import { MIN_TEXT } from '../rest/lostTexts.js';
import { answered, answerIn, begunPart, brokenOff, leftOutOf, partOf, pieceOf } from './exchangeParts.js';
import { ExchangeTalks } from './exchangeTalks.js';
import { exchangeSpan, namesOf, namingIn, receivedOf, type Exchange } from './exchange.js';
import { FollowedExchanges } from './followedExchanges.js';
import { exchangesIn, NO_EXCHANGE, Streams } from './recordedExchanges.js';
import { isStreamEvent } from './streamedAnswer.js';
import { TraceReader } from '../trace/traceReader.js';
import type { TraceSpan } from '../trace/traceSpan.js';
import { most, type TranscriptFormat } from '../building/transcriptFormat.js';
import { BoundedMap } from '../../core/boundedMap.js';

/** How many requests are held to see what others repeat of them; a recording repeats the one before. */
const MAX_EARLIER = 16;

/** A request that others after it may repeat, and the talk that it belongs to. */
interface EarlierRequest {
  readonly request: Fields;
  readonly talk: string;
}

/** The last requests of a recording, by the names of their exchanges. */
class EarlierRequests {
  readonly #requests = new BoundedMap<string, EarlierRequest>(MAX_EARLIER);

  add(exchange: string, request: EarlierRequest): void {
    this.#requests.set(exchange, request);
  }

  /** What a line repeats, of which request, and the line with it; undefined where it repeats nothing, or nothing known. */
  wholeOf(line: unknown): {
    readonly repeats?: RepeatedParts | undefined;
    readonly before?: EarlierRequest | undefined;
    readonly whole?: Fields | undefined;
  } {
    const value = fields(line);
    const repeats = repeatedPartsOf(value.repeats);
    const before = repeats && this.#requests.get(repeats.exchange);
    const request = before && withRepeatedParts(fields(value.request), repeats, before.request);
    return { repeats, before, whole: request && { ...without(value, 'repeats'), request } };
  }
}

/**
 * Recorded traffic of model APIs (OpenAI's two, Anthropic's, Gemini's): HAR files, VCR cassettes, streams of server-sent
 * events, dumps of requests and answers; which requests are one conversation: see `ExchangeTalks`.
 */
export const apiTraffic: TranscriptFormat = {
  name: 'api-traffic',
  of: 'OpenAI, Anthropic, Gemini',
  files: "recorded requests and answers: HAR, VCR cassettes, server-sent events, dumps; Gemini's contents",
  carries: ['messages', 'calls', 'times', 'models', 'usage', 'images', 'thinking'],
  isOfLists: true,
  detect: (head) =>
    head.length > 0 &&
    (head.some(isStreamEvent)
      ? most(head, isStreamEvent)
      : most(
          head,
          (value) =>
            partOf(value) !== undefined || pieceOf(value) !== undefined || exchangesIn(value).length > 0,
        )),
  readLines(lines, sink) {
    if (everyValue(lines, (value) => !isStreamEvent(value))) readExchanges(lines, sink);
    else readStreams(lines, sink);
  },
  follow: (sink) => new FollowedExchanges(sink),
};

/** An exchange of a recording, with its name there. */
interface Named {
  readonly exchange: Exchange;
  readonly name: string;
  /** What its parts have in common, where it is written in parts. */
  readonly part?: string | undefined;
  /** What is told of its answer before that has ended. */
  readonly piece?: Fields;
}

/** An exchange whose answer is written later: its talk, what it said, and what tells the names of its answer. */
interface Begun {
  readonly talk: string;
  readonly said: string | undefined;
  readonly naming: Fields | undefined;
}

/** Reads exchanges by how their messages begin, each conversation in the order in which they were recorded. */
function readExchanges(lines: Entries, sink: ImportSink): void {
  const recorded = new Groups<unknown>(lines, sink);
  const talks = new ExchangeTalks();
  /** By what their parts have in common. */
  const begun = new Map<string, Begun>();
  const earlier = new EarlierRequests();
  let count = 0;
  let incomplete = 0;
  for (const value of recorded.values(lines, begunPart)) {
    const told = pieceOf(value);
    if (told) {
      const { part, piece } = told;
      const asked = begun.get(part);
      if (asked) {
        for (const word of wordsOf(piece)) sink.counted(word);
        recorded.add(asked.talk, { exchange: NO_EXCHANGE, name: '', part, piece });
      } else recorded.addSingle(value);
      continue;
    }
    const part = partOf(value);
    const leftOut = part === undefined ? undefined : leftOutOf(part, value);
    if (leftOut !== undefined) sink.problem('warning', leftOut);
    const asked = part === undefined ? undefined : begun.get(part);
    if (part !== undefined && asked) {
      begun.delete(part);
      const exchange = answerIn(fields(value));
      talks.answered(asked.talk, asked.said, receivedOf(exchange.response));
      if (asked.naming) talks.name(asked.talk, namesOf({ ...exchange, request: asked.naming }));
      recorded.add(asked.talk, { exchange, name: '', part });
      continue;
    }
    const { repeats, before, whole } = earlier.wholeOf(value);
    if (repeats && !whole) incomplete++;
    for (const field of repeats?.fields ?? []) sink.counted(field);
    const exchanges = exchangesIn(whole ?? value);
    count += exchanges.length === 0 ? 1 : 0;
    if (exchanges.length === 0) recorded.addSingle(value);
    for (const exchange of exchanges) {
      const named: Named = { exchange, name: `exchange ${++count}`, part };
      const span = exchangeSpan(exchange, named.name);
      if (span) {
        const key = talks.keyOf(span);
        if (part !== undefined) {
          begun.set(part, { talk: key, said: talks.said, naming: namingIn(exchange.request) });
          earlier.add(part, { request: fields(exchange.request), talk: key });
        }
        // What is repeated waits once for all who repeat it.
        recorded.add(key, whole && before?.talk === key ? shortened(named, fields(value)) : named);
      } else recorded.addSingle(wholeOf(exchange));
    }
  }
  if (incomplete > 0)
    sink.problem(
      'warning',
      `Requests repeat what others before them sent, which is not in the file: of ${incomplete} only what is new in them is shown.`,
    );
  let isFirst = true;
  for (const group of recorded.all()) {
    const spans: TraceSpan[] = [];
    const others: Fields[] = [];
    for (const { exchange, name } of withRepeated(wholeExchanges(group as readonly Named[]))) {
      const span = exchangeSpan(exchange, name);
      if (span) spans.push(span);
      else others.push(wholeOf(exchange));
    }
    readConversation(spans, isFirst ? chained(recorded.singles(), others) : others, sink);
    isFirst = false;
  }
  if (isFirst && recorded.singleCount > 0) readConversation([], recorded.singles(), sink);
}

/** The texts of a piece that are too short to be found again in the answer of which they are a part. */
function wordsOf(piece: Fields): readonly string[] {
  const words = [...Object.values(piece), ...Object.values(fields(piece.toolCall))];
  return words
    .filter((word) => typeof word === 'string')
    .map((word) => word.trim())
    .filter(({ length }) => length < MIN_TEXT);
}

/** Exchanges with their parts put together, in the order in which they began; an answer that never ended as far as it came. */
function wholeExchanges(recorded: readonly Named[]): readonly Named[] {
  const whole: Named[] = [];
  const begun = new Map<string, number>();
  const said = new Map<number, LastWords>();
  for (const named of recorded) {
    const at = named.part === undefined ? undefined : begun.get(named.part);
    const first = at === undefined ? undefined : whole[at];
    if (at === undefined || !first) {
      if (named.part !== undefined) begun.set(named.part, whole.length);
      whole.push(named);
    } else if (named.piece) {
      const words = said.get(at) ?? new LastWords();
      said.set(at, words);
      words.add(named.piece);
    } else {
      const { response } = named.exchange;
      const answer = { ...named.exchange, response: response ?? said.get(at)?.answer ?? null };
      whole[at] = { ...first, exchange: answered(first.exchange, answer) };
      said.delete(at);
    }
  }
  for (const [at, words] of said) {
    const first = whole[at];
    if (first) whole[at] = { ...first, exchange: answered(first.exchange, brokenOff(words)) };
  }
  return whole;
}

/** Exchanges with what their requests repeat of others before them, which a recording writes once. */
function withRepeated(exchanges: readonly Named[]): readonly Named[] {
  const requests = new Map<string, Fields>();
  return exchanges.map((named) => {
    const { exchange, part } = named;
    const repeats = repeatedPartsOf(exchange.rest.repeats);
    const asked = fields(exchange.request);
    const before = repeats && requests.get(repeats.exchange);
    const request = before && withRepeatedParts(asked, repeats, before);
    if (part !== undefined) requests.set(part, request ?? asked);
    return request
      ? { ...named, exchange: { ...exchange, request, rest: without(exchange.rest, 'repeats') } }
      : named;
  });
}

/** An exchange whose request is as short as the recording writes it. */
function shortened({ exchange, ...named }: Named, { request, repeats }: Fields): Named {
  return { ...named, exchange: { ...exchange, request, rest: { ...exchange.rest, repeats } } };
}

function* chained(first: Iterable<unknown>, second: Iterable<unknown>): Generator {
  yield* first;
  yield* second;
}

/** Reads streamed answers, of which the requests were not recorded: they are one conversation. */
function readStreams(lines: Entries, sink: ImportSink): void {
  const events = new Groups<Fields>(lines, sink);
  const streams = new Streams();
  for (const value of events.values(lines))
    for (const event of objects([value].flat())) events.add(String(streams.numberOf(event)), event);
  for (const recorded of events.all().joined(() => '')) {
    const spans: TraceSpan[] = [];
    const others: unknown[] = [];
    for (const [index, response] of recorded.entries()) {
      const exchange = { ...NO_EXCHANGE, response };
      const span = exchangeSpan(exchange, `exchange ${index + 1}`);
      if (span) spans.push(span);
      else others.push(wholeOf(exchange));
    }
    readConversation(spans, others, sink);
  }
}

/** Reads the spans of a conversation, after what else stands in the recording. */
function readConversation(spans: readonly TraceSpan[], others: Iterable<unknown>, sink: ImportSink): void {
  const builder = sink.conversation(undefined, spans.length > 0 ? 'assistant' : 'unknown');
  for (const other of others) builder.keep(builder.entry, 'other traffic', other);
  if (spans.length > 0) new TraceReader(builder).read(spans);
}

function wholeOf({ rest, request, response, url, status }: Exchange): Fields {
  return { ...rest, url, status, request, response };
}
