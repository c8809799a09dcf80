import * as v from 'valibot';
import { isObject } from '../../core/message.js';
import { type Endpoint, parseEndpointUrl, type EndpointUrl } from './endpoint.js';

/** The valid endpoints of the settings, and what is wrong with the others. */
export interface ParsedEndpoints {
  readonly endpoints: readonly Endpoint[];
  /** One sentence per problem, naming the entry. */
  readonly problems: readonly string[];
}

const milliseconds = v.pipe(
  v.number('must be a number'),
  v.integer('must be whole'),
  v.minValue(1, 'must be positive'),
);

const headerName = v.pipe(
  v.string(),
  v.regex(/^[\w!#$%&'*+.^`|~-]+$/, 'is no name of a header'),
  v.check(
    (name) => name.toLowerCase() !== 'authorization',
    'holds the key, which is kept apart from the settings',
  ),
);
const headerValue = v.pipe(
  v.string('must be a text'),
  v.regex(/^[\t\x20-\x7e]*$/, 'has characters that a header cannot hold'),
);

const url = v.pipe(
  v.string('must be a text'),
  v.rawTransform<string, EndpointUrl>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseEndpointUrl(dataset.value);
    if (typeof parsed !== 'string') return parsed;
    addIssue({ message: `is wrong: ${parsed}` });
    return NEVER;
  }),
);

const endpoint = v.strictObject({
  name: v.pipe(
    v.string('must be a text'),
    v.regex(
      /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,63}$/u,
      'must be 1 to 64 letters, digits, spaces, dots or dashes',
    ),
  ),
  url,
  headers: v.optional(v.record(headerName, headerValue)),
  keyHeader: v.optional(v.pipe(v.string(), v.regex(/^[\w-]+$/, 'is no name of a header'))),
  extraBody: v.optional(v.custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')),
  models: v.optional(v.array(v.pipe(v.string('must be a text'), v.nonEmpty('is empty')))),
  limits: v.optional(
    v.strictObject({
      connectMs: v.optional(milliseconds),
      firstByteMs: v.optional(milliseconds),
      idleMs: v.optional(milliseconds),
      totalMs: v.optional(milliseconds),
    }),
  ),
});

/** Validates the list of endpoints in the settings. An invalid entry is left out and reported, and affects no other. */
export function parseEndpoints(value: unknown): ParsedEndpoints {
  if (!Array.isArray(value)) return { endpoints: [], problems: ['The endpoints are not a list.'] };
  const checked = checkEndpoints(value);
  return {
    endpoints: checked.flatMap((each) => each.endpoint ?? []),
    problems: checked.flatMap((each, index) =>
      each.problems.map((problem) => `Endpoint ${index + 1}: ${problem}.`),
    ),
  };
}

/** An entry of the list: an endpoint, or what is wrong with it, each in words without an end. */
interface CheckedEndpoint {
  readonly endpoint?: Endpoint;
  readonly problems: readonly string[];
}

/** Validates each entry of the list of endpoints in the settings, in its order. */
export function checkEndpoints(entries: readonly unknown[]): readonly CheckedEndpoint[] {
  const names = new Set<string>();
  return entries.map((entry) => {
    const result = v.safeParse(endpoint, entry);
    if (!result.success) return { problems: result.issues.map(wordsOf) };
    const { name } = result.output;
    if (names.has(name.toLowerCase())) return { problems: [`there are two named '${name}'`] };
    names.add(name.toLowerCase());
    return { endpoint: withoutUndefined(result.output), problems: [] };
  });
}

function wordsOf(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? '';
  if (issue.type !== 'strict_object' || path === '') return `${path} ${issue.message}`.trim();
  return issue.expected === 'never' ? `${path} is not known` : `${path} is missing`;
}

/** Valibot's optional keys may be undefined, which our types do not allow. */
function withoutUndefined(parsed: v.InferOutput<typeof endpoint>): Endpoint {
  return Object.fromEntries(
    Object.entries(parsed).filter(([, inner]) => inner !== undefined),
  ) as unknown as Endpoint;
}
