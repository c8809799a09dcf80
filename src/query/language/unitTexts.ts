import { isObject } from '../../core/message.js';
import { namedPaths } from '../numbers/namedPaths.js';
import { argumentsOf, callsOf, rawArgumentsOf } from '../numbers/toolCalls.js';
import { messageIn } from '../numbers/transcriptItem.js';
import { shownTextOf, shownTextOfCall, textOfCall } from '../restOfText.js';
import { allTextOf, contentTextOf } from '../textTest.js';
import { programsOf } from './programs.js';
import type { SessionFacts, UnitFacts } from './sessionFacts.js';
import type { UnitTexts } from './terms.js';

/** Gives the item at a position of those that were asked for. */
export type ItemAt = (position: number) => unknown;

/** In place of the item of a record: the only text that a question asks for is known to stand in its content. */
export const PROVED: unique symbol = Symbol('proved');

/** How many values of one argument's path are looked at; a hostile call may hold any number. */
const MAX_VALUES = 10_000;

/** The tool calls whose arguments belong to a unit, as far as the messages that make them are recorded. */
function callsWithArguments(unit: UnitFacts, { toolCalls }: SessionFacts) {
  const own =
    unit.kind === 'toolCall' ? [unit] : unit.toolCalls.flatMap((index) => toolCalls.at(index) ?? []);
  return own.filter(({ askedAt }) => askedAt !== undefined);
}

/** The positions of the items in which the arguments that belong to a unit stand. */
export function positionsOfArguments(unit: UnitFacts, facts: SessionFacts): number[] {
  return callsWithArguments(unit, facts).flatMap(({ askedAt }) => askedAt ?? []);
}

/** The positions of the items in which the texts of a unit stand. */
export function positionsOfTexts(unit: UnitFacts): number[] {
  if (unit.kind === 'record') return [unit.begin];
  return [unit.askedAt, unit.answeredAt].filter((position) => position !== undefined);
}

/** The texts of one unit, each made when it is first asked for. */
export class TextsOfUnit implements UnitTexts {
  readonly #unit: UnitFacts;
  readonly #facts: SessionFacts;
  readonly #at: ItemAt;
  #all: string | undefined;
  #inputs: readonly unknown[] | undefined;

  constructor(unit: UnitFacts, facts: SessionFacts, at: ItemAt) {
    this.#unit = unit;
    this.#facts = facts;
    this.#at = at;
  }

  get areProved(): boolean {
    return this.#unit.kind === 'record' && this.#at(this.#unit.begin) === PROVED;
  }

  all(): string {
    return (this.#all ??= this.#allText());
  }

  content(): string | undefined {
    return this.#unit.kind === 'record' ? contentTextOf(this.#at(this.#unit.begin)) : undefined;
  }

  inputs(): readonly unknown[] {
    this.#inputs ??= callsWithArguments(this.#unit, this.#facts).map(({ askedAt = 0, order }) =>
      inputAt(this.#at(askedAt), order),
    );
    return this.#inputs;
  }

  argument(path: readonly string[]): readonly (string | number)[] {
    if (path.length === 0) return this.inputs().map(rawArgumentsOf);
    return this.inputs().flatMap((input) => valuesAt(argumentsOf(input), path));
  }

  files(): readonly string[] {
    return this.inputs().flatMap(namedPaths);
  }

  programs(): ReadonlySet<string> {
    return new Set(this.inputs().flatMap((input) => [...programsOf(input)]));
  }

  /** What a person is shown of it where it was found. */
  shown(): string {
    const unit = this.#unit;
    if (unit.kind === 'record') return shownTextOf(this.#at(unit.begin));
    const { askedAt, answeredAt, order, tool } = unit;
    const result = answeredAt === undefined ? undefined : messageIn(this.#at(answeredAt));
    return shownTextOfCall(
      tool,
      askedAt === undefined ? undefined : inputAt(this.#at(askedAt), order),
      result,
    );
  }

  #allText(): string {
    const unit = this.#unit;
    if (unit.kind === 'record') return allTextOf(this.#at(unit.begin));
    const { askedAt, answeredAt, order, tool } = unit;
    const result = answeredAt === undefined ? undefined : messageIn(this.#at(answeredAt));
    return textOfCall(tool, askedAt === undefined ? undefined : inputAt(this.#at(askedAt), order), result);
  }
}

function inputAt(item: unknown, order: number): unknown {
  const message = messageIn(item);
  return message && callsOf(message)[order]?.input;
}

/** The texts, numbers and truth values at a path; a list on the way stands for each of its entries. */
function valuesAt(from: unknown, path: readonly string[]): (string | number)[] {
  let values: unknown[] = [from];
  for (const key of path) {
    const next: unknown[] = [];
    for (const value of values) {
      for (const each of Array.isArray(value) && !/^\d+$/.test(key) ? (value as unknown[]) : [value]) {
        const entry = entryOf(each, key);
        if (entry !== undefined && next.length < MAX_VALUES) next.push(entry);
      }
    }
    values = next;
  }
  return values
    .flatMap((value): unknown[] => (Array.isArray(value) ? value.slice(0, MAX_VALUES) : [value]))
    .flatMap((value) =>
      typeof value === 'string' || typeof value === 'number'
        ? [value]
        : typeof value === 'boolean'
          ? [String(value)]
          : [],
    );
}

function entryOf(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return (value as unknown[])[Number(key)];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
