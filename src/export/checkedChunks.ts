import { wellFormed, wellFormedJson, type Mended } from '../core/wellFormed.js';
import type { ResultCheck } from './sharing/resultCheck.js';

/** The size from which a chunk is handed on, in UTF-16 code units. */
const CHUNK_CHARACTERS = 64 * 1024;

/** What the texts of an export are. */
export interface ChunkForm {
  /** In JSON halves of characters are escapes; absent: they stay. */
  readonly form?: 'json' | 'text';
  /** Called for each half that is replaced. */
  readonly mended?: Mended;
}

/**
 * Joins the texts of an export to chunks and looks through them. A chunk is handed on when the next one is looked through, because
 * what must not be seen may begin in one and end in the next. What is handed on is well formed where a form
 * is given, so that no tool refuses it.
 */
export class CheckedChunks {
  /** Undefined where secrets stay. */
  readonly #check: ResultCheck | undefined;
  readonly #mended: Mended | undefined;
  readonly #formed: (text: string, mended?: Mended) => string = (text) => text;
  /** Joined in one step, because a string grown by concatenation keeps all its parts. */
  #texts: string[] = [];
  #length = 0;
  #held = '';

  constructor(check: ResultCheck | undefined, { form, mended }: ChunkForm) {
    this.#check = check;
    this.#mended = mended;
    if (form) this.#formed = form === 'json' ? wellFormedJson : wellFormed;
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
    const chunk = this.#formed(this.#texts.join(''), this.#mended);
    this.#check?.next(chunk);
    const before = this.#held;
    this.#held = chunk;
    this.#texts = [];
    this.#length = 0;
    return before;
  }
}
