import type { Draft, Drafts } from './drafts.js';
import { KnownTexts } from './knownTexts.js';
import { Numbers } from './numbers.js';

/** Drafts under very many texts, like the ids of messages, of which no text is held; see `KnownTexts`. */
export class DraftsByText {
  readonly #drafts: Drafts;
  readonly #texts = new KnownTexts();
  readonly #indices = new Numbers();

  constructor(drafts: Drafts) {
    this.#drafts = drafts;
  }

  get(text: string): Draft | undefined {
    const index = this.#indices.at(this.#texts.numberOf(text));
    return index < 0 ? undefined : this.#drafts.at(index);
  }

  set(text: string, { index }: Draft): void {
    this.#indices.set(this.#texts.add(text), index);
  }
}

/** A few values, each under very many texts, of which none is held; see `KnownTexts`. */
export class ValuesByText<Value> {
  readonly #texts = new KnownTexts();
  readonly #numbers = new Numbers();
  readonly #values: Value[] = [];
  readonly #numberOf = new Map<Value, number>();

  get(text: string): Value | undefined {
    return this.#values[this.#numbers.at(this.#texts.numberOf(text))];
  }

  set(text: string, value: Value): void {
    const known = this.#numberOf.get(value);
    const number = known ?? this.#values.push(value) - 1;
    if (known === undefined) this.#numberOf.set(value, number);
    this.#numbers.set(this.#texts.add(text), number);
  }
}
