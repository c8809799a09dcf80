import type { SessionFacts, UnitFacts } from './sessionFacts.js';

/** The notes of a session by what they are about. */
export class UnitNotes {
  readonly #facts: SessionFacts;
  /** By what they are about; gathered when they are first asked for, because hardly any session has some. */
  #texts: Map<string, readonly string[]> | undefined;

  constructor(facts: SessionFacts) {
    this.#facts = facts;
  }

  get isEmpty(): boolean {
    return (this.#facts.info.notes ?? []).length === 0;
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
    return position === undefined ? [] : (this.#gathered().get(keyOf(position, call)) ?? []);
  }

  #gathered(): ReadonlyMap<string, readonly string[]> {
    if (this.#texts) return this.#texts;
    const texts = new Map<string, readonly string[]>();
    for (const { position, call, text } of this.#facts.info.notes ?? []) {
      const key = keyOf(position, call);
      texts.set(key, [...(texts.get(key) ?? []), text]);
    }
    return (this.#texts = texts);
  }
}

function keyOf(position: number, call: number | undefined): string {
  return call === undefined ? String(position) : `${position} ${call}`;
}
