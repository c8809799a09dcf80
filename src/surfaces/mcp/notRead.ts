import { shownName } from './shown.js';

/** The most sources and sessions that are told of; of the rest only how many there are. */
const MAX_TOLD = 20;

/** A source or a session that could not be read, or a part of one. */
export interface Unread {
  /** The source, or the session in it, as it is named. */
  readonly source: string;
  readonly why: string;
}

/** What could not be read for an answer: each once, so that nobody takes what is missing for what there is not. */
export class NotRead {
  readonly #found = new Map<string, Unread>();
  /** How many sessions were not looked at because something was said in them just now. */
  active = 0;

  get count(): number {
    return this.#found.size;
  }

  /** A sentence about the first of it, behind an error that it may explain; '' where all was read. */
  get words(): string {
    const [first] = this.#found.values();
    if (!first) return '';
    const { source, why } = first;
    return ` Not everything could be read (${this.count}): ${source === '' ? '' : `${shownName(source)}: `}${shownName(why)}`;
  }

  add({ source, why }: Unread): void {
    this.#found.set(`${source}\n${why}`, { source, why });
  }

  /** The part of an answer that tells of it: how much there is, and as much of it as there is room for, in characters of JSON. */
  told(library: { clean<T>(value: T): T }, room = Infinity): object {
    if (this.count === 0) return {};
    const shown: Unread[] = [];
    let left = room;
    for (const { source, why } of this.#found.values()) {
      const each = { source: shownName(source), why: shownName(why) };
      left -= JSON.stringify(library.clean(each)).length + 1;
      if (left < 0 || shown.length >= MAX_TOLD) break;
      shown.push(each);
    }
    return { not_read: shown, not_read_count: this.count };
  }
}
