import { isObject } from '../../core/message.js';

/** A message that an answer rests on. */
export interface CitedMessage {
  readonly session: string;
  readonly position: number;
}

/** How a model cites a message. */
const CITATION = /\s?\[\[([^\]\[#\n]{1,200})#(\d{1,12})\]\]/g;

/** The messages that tools have told of, and those among them that an answer cites. */
export class Citations {
  readonly #read = new Set<string>();
  readonly #firstRead = new Map<string, number>();

  /** Notes the messages in the result of a tool; a result that is no JSON tells of none. */
  read(result: string): void {
    let value: unknown;
    try {
      value = JSON.parse(result);
    } catch {
      return;
    }
    this.#note(value, undefined);
  }

  /** An answer in which citations are numbers, and the messages behind them. */
  settle(answer: string): {
    readonly text: string;
    readonly cited: readonly CitedMessage[];
    readonly unread: number;
  } {
    const cited: CitedMessage[] = [];
    const numbers = new Map<string, number>();
    let unread = 0;
    const text = answer.replace(CITATION, (_all, session: string, digits: string) => {
      const position = Number(digits);
      const key = keyOf(session, position);
      if (!this.#read.has(key)) {
        unread++;
        return '';
      }
      if (!numbers.has(key)) numbers.set(key, cited.push({ session, position }));
      return ` [${numbers.get(key) ?? 0}]`;
    });
    const rests = cited.length > 0 ? cited : this.#firsts();
    return { text, cited: rests, unread };
  }

  #firsts(): CitedMessage[] {
    return Array.from(this.#firstRead, ([session, position]) => ({ session, position }));
  }

  /** Notes every `position` below a `session`. */
  #note(value: unknown, around: string | undefined): void {
    if (Array.isArray(value)) {
      for (const each of value) this.#note(each, around);
      return;
    }
    if (!isObject(value)) return;
    const session = typeof value.session === 'string' ? value.session : around;
    if (session !== undefined && typeof value.position === 'number') {
      this.#read.add(keyOf(session, value.position));
      if (!this.#firstRead.has(session)) this.#firstRead.set(session, value.position);
    }
    for (const each of Object.values(value)) this.#note(each, session);
  }
}

function keyOf(session: string, position: number): string {
  return `${position} ${session}`;
}
