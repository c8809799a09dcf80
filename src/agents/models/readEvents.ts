import { createParser } from 'eventsource-parser';

/** One event of an endpoint's answer. */
export interface WireEvent {
  /** What the server calls it; absent where it has no name. */
  readonly event?: string | undefined;
  readonly data: string;
}

/** How a body begins that is no stream of events: with JSON, or with a web page. No event does. */
const WHOLE_BODY = /^\s*[{[<]/;

/**
 * Reads the body of an answer as server-sent events, as the HTML standard defines them, whatever its content type says.
 * A body that is JSON or a web page instead is given as one event without a name, and so is the first line of one in
 * which nothing could be read. An event that the end of the body leaves open counts, because some servers forget to
 * close their last one; where the body breaks off instead, reading it throws.
 */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<WireEvent> {
  const decoder = new TextDecoder();
  const reader = new EventReader();
  for await (const piece of body) yield* reader.read(decoder.decode(piece, { stream: true }));
  yield* reader.read(decoder.decode());
  yield* reader.end();
}

class EventReader {
  #arrived: WireEvent[] = [];
  #hasEvents = false;
  /** The beginning of the body as long as it is blank, then the whole of a body that is no stream. */
  readonly #held: string[] = [];
  #kind: 'unknown' | 'events' | 'whole' = 'unknown';
  #strayLine: string | undefined;
  /** Whether the next piece begins a line. */
  #endsLine = true;
  readonly #parser = createParser({
    onEvent: (event) => this.#arrived.push(event),
    onError: ({ line }) => (this.#strayLine ??= line),
  });

  /** The events that the next piece of text completes. */
  read(text: string): readonly WireEvent[] {
    if (this.#kind === 'events') return this.#feed(text);
    this.#held.push(text);
    if (this.#kind === 'whole' || text.trim() === '') return [];
    const held = this.#held.join('');
    this.#kind = WHOLE_BODY.test(held) ? 'whole' : 'events';
    return this.#kind === 'events' ? this.#feed(held) : [];
  }

  /** The events that the end of the body completes. */
  end(): readonly WireEvent[] {
    if (this.#kind === 'whole') return [{ data: this.#held.join('') }];
    const last = this.#feed('\n\n');
    return this.#hasEvents || this.#strayLine === undefined ? last : [{ data: this.#strayLine }];
  }

  /** The text without byte order marks at the beginning of lines, where some writers repeat theirs. */
  #withoutMarks(text: string): string {
    const isAtLine = this.#endsLine;
    if (text !== '') this.#endsLine = /[\r\n]$/.test(text);
    if (!text.includes('\ufeff')) return text;
    const rest = text.replace(/([\r\n])\ufeff/g, '$1');
    return isAtLine && rest.startsWith('\ufeff') ? rest.slice(1) : rest;
  }

  #feed(text: string): readonly WireEvent[] {
    this.#arrived = [];
    this.#parser.feed(this.#withoutMarks(text));
    this.#hasEvents ||= this.#arrived.length > 0;
    return this.#arrived;
  }
}
