import * as v from 'valibot';
import type { FilterCriteria } from '../query/filterCriteria.js';
import { role } from './row.js';

const names = v.pipe(v.array(v.pipe(v.string(), v.maxLength(1_000))), v.maxLength(500));

/** What a person filters by. All parts must hold; an empty list or text requires nothing. */
export const criteria = v.object({
  text: v.pipe(v.string(), v.maxLength(10_000)),
  regex: v.boolean(),
  matchCase: v.boolean(),
  /** Absent in filters that were saved before it existed. */
  wholeWord: v.optional(v.boolean(), false),
  roles: v.pipe(v.array(role), v.maxLength(5)),
  agents: names,
  tools: names,
  errorsOnly: v.boolean(),
});
/** See `criteria`. */
export type Criteria = v.InferOutput<typeof criteria>;

/** Criteria that every row meets. */
export const NO_CRITERIA: Criteria = {
  text: '',
  regex: false,
  matchCase: false,
  wholeWord: false,
  roles: [],
  agents: [],
  tools: [],
  errorsOnly: false,
};

/** Whether criteria let everything through. */
export function isUnfiltered(asked: Criteria): boolean {
  const { text, roles, agents, tools, errorsOnly } = asked;
  return text === '' && roles.length + agents.length + tools.length === 0 && !errorsOnly;
}

/** Converts a person's criteria for the query engine: text is found wherever it is shown. */
export function filterCriteria(asked: Criteria): FilterCriteria {
  const { text, regex, matchCase, wholeWord, roles, agents, tools, errorsOnly } = asked;
  return {
    ...(text !== '' && { text, regex, matchCase, wholeWord }),
    ...(roles.length > 0 && { role: roles }),
    ...(agents.length > 0 && { agent: agents }),
    ...(tools.length > 0 && { toolName: tools }),
    errorsOnly,
  };
}

/** Criteria under a name that a person gave. */
export const savedFilter = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  criteria,
});
/** See `savedFilter`. */
export type SavedFilter = v.InferOutput<typeof savedFilter>;
