import type { TextCriteria } from './textTest.js';

/** One name, or several of which any matches. */
export type Names = string | readonly string[];

/** What to look for. Every criterion given must hold; without any, every message matches. */
export interface FilterCriteria extends TextCriteria {
  readonly role?: Names | undefined;
  /** Matches the assistant messages that call the tool, and the results of those calls. */
  readonly toolName?: Names | undefined;
  /** True: failures only, see `isFailedRecord`, including records without a message. */
  readonly errorsOnly?: boolean | undefined;
  readonly agent?: Names | undefined;
  readonly depth?: number | undefined;
  readonly run?: string | undefined;
  readonly call?: string | undefined;
}

const kinds = {
  names: {
    wanted: 'a string or a list of strings',
    fits: (value: unknown) =>
      typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string')),
  },
  text: { wanted: 'a string', fits: (value: unknown) => typeof value === 'string' },
  content: {
    wanted: 'a string or a RegExp',
    fits: (value: unknown) => typeof value === 'string' || value instanceof RegExp,
  },
  flag: { wanted: 'true or false', fits: (value: unknown) => typeof value === 'boolean' },
  count: {
    wanted: 'a number',
    fits: (value: unknown) => typeof value === 'number' && !Number.isNaN(value),
  },
} as const;

const criterionKinds: Readonly<Record<keyof FilterCriteria, keyof typeof kinds>> = {
  role: 'names',
  toolName: 'names',
  agent: 'names',
  content: 'content',
  text: 'content',
  regex: 'flag',
  matchCase: 'flag',
  wholeWord: 'flag',
  errorsOnly: 'flag',
  depth: 'count',
  run: 'text',
  call: 'text',
};

/** Throws a TypeError that names the criterion whose value has a wrong type, and says what it should be. */
export function checkCriteria(criteria: FilterCriteria): void {
  if (typeof criteria !== 'object' || (criteria as unknown) === null || Array.isArray(criteria)) {
    throw new TypeError(`The criteria must be an object, not ${kindOf(criteria)}.`);
  }
  for (const [name, kind] of Object.entries(criterionKinds)) {
    const value: unknown = criteria[name as keyof FilterCriteria];
    const { wanted, fits } = kinds[kind];
    if (value === undefined || fits(value)) continue;
    throw new TypeError(`The criterion '${name}' must be ${wanted}, not ${kindOf(value)}.`);
  }
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) {
    const wrong = value.findIndex((one) => typeof one !== 'string');
    return wrong < 0 ? 'a list' : `a list with ${kindOf(value[wrong])} at index ${wrong}`;
  }
  if (Number.isNaN(value)) return 'NaN';
  return typeof value === 'object'
    ? 'an object'
    : typeof value === 'undefined'
      ? 'undefined'
      : `a ${typeof value}`;
}
