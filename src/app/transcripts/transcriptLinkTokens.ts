import { createHmac } from 'node:crypto';
import { BoundedMap } from '../../core/boundedMap.js';
import type { CallTarget } from './positionWhere.js';

/** A place in a conversation: one of its calls, or one tool call in it. */
interface LinkTarget extends CallTarget {
  readonly conversation: string;
}

/** The numbers of hexadecimal digits for the conversation, for the place in it, and for the check. */
const CONVERSATION = 8;
const PLACE = 8;
const CHECK = 6;
/** The same for the signature of a text. */
const SIGNATURE = 20;

/** How many verdicts on marks are cached, because VS Code asks about the whole channel whenever it has grown. */
const MAX_JUDGED = 50_000;

/**
 * Marks of places in transcripts, like `5f0c2a9e01b3c4d5e6f708`, computed with a key: a place has the same mark in every
 * window with that key, and without the key nobody can make one.
 */
export class TranscriptLinkTokens {
  static readonly pattern = new RegExp(`\\[↗ ([0-9a-f]{${CONVERSATION + PLACE + CHECK}})\\]`, 'g');
  readonly #key: string;
  readonly #judged = new BoundedMap<string, boolean>(MAX_JUDGED);

  constructor(key: string) {
    this.#key = key;
  }

  of(place: LinkTarget): string {
    const said = this.#digits(CONVERSATION, place.conversation) + this.#placeDigits(place);
    return said + this.#digits(CHECK, said);
  }

  /** Whether a mark was made with the key. */
  isOurs(mark: string): boolean {
    const known = this.#judged.get(mark);
    if (known !== undefined) return known;
    const said = mark.slice(0, CONVERSATION + PLACE);
    const isOurs = mark === said + this.#digits(CHECK, said);
    // A copy, because a substring, as a matched mark is, keeps the whole text in memory.
    this.#judged.set(Buffer.from(mark).toString(), isOurs);
    return isOurs;
  }

  /** What shows that a text was written by a window with the key. */
  signatureOf(text: string): string {
    return this.#digits(SIGNATURE, 'text', text);
  }

  /** Whether a mark of ours may stand for a place in this conversation. */
  isIn(mark: string, conversation: string): boolean {
    return mark.startsWith(this.#digits(CONVERSATION, conversation));
  }

  /** Whether a mark of ours stands for this place. */
  isFor(mark: string, place: LinkTarget): boolean {
    return mark.startsWith(this.#placeDigits(place), CONVERSATION);
  }

  #placeDigits({ conversation, call, toolCallId = '' }: LinkTarget): string {
    return this.#digits(PLACE, conversation, call, toolCallId);
  }

  #digits(count: number, ...what: readonly string[]): string {
    const hash = createHmac('sha256', this.#key).update(JSON.stringify(what));
    return hash.digest('hex').slice(0, count);
  }
}
