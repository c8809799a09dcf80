import type { ResultCheck } from './sharing/resultCheck.js';

/** The size from which a chunk is handed on, in UTF-16 code units. */
const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Joins the texts of an export to chunks and looks through them. A chunk is handed on when the next one is looked through, because
 * what must not be seen may begin in one and end in the next.
 */
export class CheckedChunks {
  /** Undefined where secrets stay. */
  readonly #check: ResultCheck | undefined;
  /** Joined in one step, because a string grown by concatenation keeps all its parts. */
  #texts: string[] = [];
  #length = 0;
  #held = '';

  constructor(check: ResultCheck | undefined) {
    this.#check = check;
  }

  /** Takes the next text; gives a chunk, '' where there is none yet. Throws a NotCleanError where something must not be seen. */
  add(text: string): string {
    if (text === '') return '';
    this.#texts.push(text);
    this.#length += text.length;
    return this.#length < CHUNK_CHARACTERS ? '' : this.#handOn();
  }

  /** The rest; throws as `add` does. */
  end(): string[] {
    return [this.#handOn(), this.#held].filter((chunk) => chunk !== '');
  }

  #handOn(): string {
    const chunk = this.#texts.join('');
    this.#check?.next(chunk);
    const before = this.#held;
    this.#held = chunk;
    this.#texts = [];
    this.#length = 0;
    return before;
  }
}
