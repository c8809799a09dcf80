import { joined } from '../../core/joined.js';
import { isObject } from '../../core/message.js';
import { IMPORTED } from '../importResult.js';
import { restOf, scalarsOf } from './restOf.js';
import { StandingTexts } from './standingTexts.js';

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
export function withRests<Record extends MadeOf>(made: readonly Record[]): Record[] {
  const users = new Map<unknown, MadeOf[]>();
  for (const record of made) {
    for (const raw of record.raws) {
      const known = users.get(raw);
      if (known) known.push(record);
      else users.set(raw, [record]);
    }
  }
  const taken = new Set<unknown>();
  const values: MadeValues = {
    madeOf: (raw) => users.get(raw) ?? [],
    isFirst: (raw) => !taken.has(raw) && taken.add(raw).has(raw),
  };
  return made.filter((record) => addRest(record, values));
}

/** What is known of the values that records were made of. */
export interface MadeValues {
  /** The records that were made of a value. */
  madeOf(raw: unknown): readonly MadeOf[];
  /** Whether this is asked for a value for the first time. */
  isFirst(raw: unknown): boolean;
}

/** Does this for one record, each in its turn; false for one that is to be left out. */
export function addRest(record: MadeOf, values: MadeValues): boolean {
  if (record.raws.length === 0) return true;
  const rests = record.raws.flatMap((raw) => {
    const rest = restOf(raw, standingIn([...values.madeOf(raw), ...record.beside]));
    const own = values.isFirst(raw) ? rest : scalarsOf(rest);
    return own === undefined ? [] : [own];
  });
  const { body } = record;
  if (body.type === IMPORTED) record.body = joined(body, { value: combined(rests) });
  else if (rests.length > 0) record.body = joined(body, { source: combined(rests, body.source) });
  return body.type !== IMPORTED || rests.length > 0;
}

function standingIn(records: readonly MadeOf[]): StandingTexts {
  const standing = new StandingTexts();
  for (const { body, time } of records) standing.add([body, time]);
  return standing;
}

function combined([first, ...further]: readonly unknown[], before?: unknown): unknown {
  const own = isObject(first) && isObject(before) ? joined(before, first) : first;
  if (further.length === 0) return own;
  return joined(isObject(own) ? own : { value: own }, { further });
}
