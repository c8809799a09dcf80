import { joined } from '../../core/joined.js';
import { isObject } from '../../core/message.js';
import { IMPORTED } from '../reading/importResult.js';
import type { Steps } from '../reading/steps.js';
import { StandingTexts } from './standingTexts.js';
import type { Fields } from '../reading/fields.js';

/** Shorter texts are kept where they were: they cost little, and most are ids and kinds. */
const MIN_MOVED = 24;

/** The `type` of parts whose kind is clear from where their text now stands. */
const PLAIN_KINDS = new Set(['text', 'image', 'thinking', 'tool_use', 'tool_result', 'message', 'function']);

/**
 * What is left of another tool's value once the texts that stand elsewhere are taken out: everything that a reader did
 * not turn into a message, in its place. Undefined where nothing is left.
 */
export function restOf(value: unknown, standing: Pick<StandingTexts, 'hasText'>): unknown {
  if (typeof value === 'string')
    return value.length >= MIN_MOVED && standing.hasText(value) ? undefined : value;
  if (Array.isArray(value)) return restOfList(value, standing);
  return isObject(value) ? restOfObject(value, standing) : value;
}

/** A list without some of its lines is another list: where anything of it is left, its plain values all are. */
function restOfList(
  list: readonly unknown[],
  standing: Pick<StandingTexts, 'hasText'>,
): readonly unknown[] | undefined {
  const rests = list.map((each) => restOf(each, standing));
  if (list.length > 0 && rests.every((each) => each === undefined)) return undefined;
  return list.flatMap((each, at) => {
    const rest = rests[at] ?? (isPlain(each) ? each : undefined);
    return rest === undefined ? [] : [rest];
  });
}

/** Whether a value holds no object, at any depth, which would leave a trace of what is taken out of it. */
function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every((each) => isPlain(each)) : !isObject(value);
}

function restOfObject(value: Fields, standing: Pick<StandingTexts, 'hasText'>): Fields | undefined {
  // Filled key by key: this is done with every value of a large file.
  const rest: Record<string, unknown> = {};
  let [count, only] = [0, ''];
  let isSmaller = false;
  for (const key in value) {
    const left = restOf(value[key], standing);
    if (left === undefined) {
      isSmaller = true;
      continue;
    }
    count++;
    only = key;
    // An assignment to this key would change the prototype.
    if (key === '__proto__')
      Object.defineProperty(rest, key, { value: left, enumerable: true, configurable: true, writable: true });
    else rest[key] = left;
  }
  if (count === 0) return isSmaller ? undefined : {};
  const isKindOnly = count === 1 && only === 'type' && PLAIN_KINDS.has(String(rest.type));
  return isSmaller && isKindOnly ? undefined : rest;
}

/** The texts, numbers and truths directly in a rest, for the further records made of one value. */
function scalarsOf(rest: unknown): unknown {
  if (!isObject(rest)) return undefined;
  return Object.fromEntries(Object.entries(rest).filter(([, each]) => typeof each !== 'object'));
}

/** A record that is being made of values of a file. */
export interface MadeOf {
  readonly time: number | undefined;
  body: Record<string, unknown>;
  /** The values of the file that it was made of. */
  readonly raws: readonly unknown[];
  /** Further records in which parts of these values stand. */
  readonly beside: readonly MadeOf[];
}

/**
 * Adds to each record what the values that it was made of say besides: to a message as its `source`, to an `imported`
 * record as its `value`. Of several values, like the lines of one message, the further ones' rests are a list under
 * `further`. Leaves out `imported` records of values that stand wholly in messages.
 */
export function* addingRests<Record extends MadeOf>(made: readonly Record[]): Steps<readonly Record[]> {
  const users = new Map<unknown, MadeOf[]>();
  for (const record of made) {
    for (const raw of record.raws) {
      const known = users.get(raw);
      if (known) known.push(record);
      else users.set(raw, [record]);
    }
    yield;
  }
  const taken = new Set<unknown>();
  const rests = new Rests({
    madeOf: (raw) => users.get(raw) ?? [],
    isFirst: (raw) => !taken.has(raw) && taken.add(raw).has(raw),
  });
  const kept: Record[] = [];
  for (const record of made) {
    if (rests.addTo(record)) kept.push(record);
    yield;
  }
  return kept;
}

/** What is known of the values that records were made of. */
export interface MadeValues {
  /** The records that were made of a value. */
  madeOf(raw: unknown): readonly MadeOf[];
  /** Whether this is asked for a value for the first time. */
  isFirst(raw: unknown): boolean;
}

/**
 * Does this for one record after the other, in their order. A value is compared with the records that were made of it only
 * for the first of them: there may be thousands, and what stands in none of them stands in the first from then on.
 */
export class Rests {
  readonly #values: MadeValues;
  /** What further records made of a value have of it. */
  readonly #further = new WeakMap<object, unknown>();

  constructor(values: MadeValues) {
    this.#values = values;
  }

  /** Adds to a record what the values that it was made of say besides; false for one that is to be left out. */
  addTo(record: MadeOf): boolean {
    if (record.raws.length === 0) return true;
    // Mostly its values are its own, so that what stands in it is the same for each of them.
    let own: StandingTexts | undefined;
    const standingFor = (raw: unknown) => {
      const made = this.#values.madeOf(raw);
      if (made.length !== 1 || made[0] !== record) return standingIn([...made, ...record.beside]);
      return (own ??= standingIn([record, ...record.beside]));
    };
    const rests: unknown[] = [];
    for (const raw of record.raws) {
      const rest = this.#values.isFirst(raw) ? restOf(raw, standingFor(raw)) : this.#scalarsOf(raw);
      if (rest !== undefined) rests.push(rest);
    }
    const { body } = record;
    if (body.type === IMPORTED) record.body = joined(body, { value: combined(rests) });
    else if (rests.length > 0) record.body = joined(body, { source: combined(rests, body.source) });
    return body.type !== IMPORTED || rests.length > 0;
  }

  #scalarsOf(raw: unknown): unknown {
    if (!isObject(raw)) return undefined;
    if (!this.#further.has(raw)) this.#further.set(raw, scalarsOf(restOf(raw, ALL_TEXTS)));
    return this.#further.get(raw);
  }
}

/** That every text stands in a record, as it does behind the first one that was made of its value. */
const ALL_TEXTS = { hasText: () => true };

function standingIn(records: readonly MadeOf[]): StandingTexts {
  const standing = new StandingTexts(MIN_MOVED);
  for (const { body, time } of records) standing.add([body, time]);
  return standing;
}

function combined([first, ...further]: readonly unknown[], before?: unknown): unknown {
  const own = isObject(first) && isObject(before) ? joined(before, first) : first;
  if (further.length === 0) return own;
  return joined(isObject(own) ? own : { value: own }, { further });
}
