import type { SessionFacts, UnitFacts } from './sessionFacts.js';

/** The notes of a session by what they are about. */
export class UnitNotes {
  readonly #facts: SessionFacts;
  readonly #texts = new Map<string, readonly string[]>();

  constructor(facts: SessionFacts) {
    this.#facts = facts;
    for (const { position, call, text } of facts.info.notes ?? []) {
      const key = keyOf(position, call);
      this.#texts.set(key, [...(this.#texts.get(key) ?? []), text]);
    }
  }

  get isEmpty(): boolean {
    return this.#texts.size === 0;
  }

  /** The texts of the notes about a unit: of a record also those about the tool calls that it concerns. */
  of(unit: UnitFacts): readonly string[] {
    if (this.isEmpty) return [];
    if (unit.kind === 'toolCall') return this.#at(unit.askedAt, unit.order);
    const { toolCalls } = this.#facts;
    const calls = unit.toolCalls.flatMap((index) => toolCalls.at(index) ?? []);
    return [
      ...this.#at(unit.begin, undefined),
      ...calls.flatMap(({ askedAt, order }) => this.#at(askedAt, order)),
    ];
  }

  #at(position: number | undefined, call: number | undefined): readonly string[] {
    return position === undefined ? [] : (this.#texts.get(keyOf(position, call)) ?? []);
  }
}

function keyOf(position: number, call: number | undefined): string {
  return call === undefined ? String(position) : `${position} ${call}`;
}
