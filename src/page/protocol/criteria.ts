import * as v from 'valibot';
import { isObject } from '../../core/message.js';
import { role } from './row.js';

const name = v.pipe(v.string(), v.maxLength(1_000));

/** Names of which any matches; without one, nobody has chosen, and the criterion is left out. */
function chosen<const Name extends v.GenericSchema<unknown, string>>(each: Name, most: number) {
  const list = v.pipe(v.array(each), v.maxLength(most));
  return v.optional(v.pipe(list, v.transform(someOf)));
}

/** Criteria as they were saved under the names that three of them had once. */
function withPresentNames(given: unknown): unknown {
  if (!isObject(given)) return given;
  const { roles, agents, tools, ...rest } = given;
  return { role: roles, agent: agents, toolName: tools, ...rest };
}

/** The part of `FilterCriteria` that a person sets in a panel: text is found wherever it is shown. All of it must hold. */
export const criteria = v.pipe(
  v.unknown(),
  v.transform(withPresentNames),
  v.object({
    text: v.pipe(v.string(), v.maxLength(10_000)),
    regex: v.boolean(),
    matchCase: v.boolean(),
    /** Absent in filters that were saved before it existed. */
    wholeWord: v.optional(v.boolean(), false),
    role: chosen(role, 5),
    agent: chosen(name, 500),
    toolName: chosen(name, 500),
    errorsOnly: v.boolean(),
  }),
);
/** See `criteria`. They are `FilterCriteria`, and asked of a transcript or a store as they are. */
export type Criteria = v.InferOutput<typeof criteria>;

/** Criteria that every row meets. */
export const NO_CRITERIA: Criteria = {
  text: '',
  regex: false,
  matchCase: false,
  wholeWord: false,
  errorsOnly: false,
};

/** Names for a criterion: undefined where none is chosen, which asks for nothing. */
export function someOf<Name>(names: readonly Name[]): Name[] | undefined {
  return names.length > 0 ? [...names] : undefined;
}

/** Whether criteria let everything through. */
export function isUnfiltered({ text, role: roles, agent, toolName, errorsOnly }: Criteria): boolean {
  return text === '' && !errorsOnly && roles === undefined && agent === undefined && toolName === undefined;
}
