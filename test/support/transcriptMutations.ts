/** A way to write a transcript that its tool did not foresee, and that people's files have all the same. */
export interface Mutation {
  readonly name: string;
  /** The changed file; the same where there is nothing to change. */
  readonly of: (text: string, random: () => number) => string;
}

type Change = (value: unknown, key: string, random: () => number) => unknown;

/** A copy of a value in which a change was made to some of the values within. */
function changed(value: unknown, change: Change, random: () => number, share: number, key = ''): unknown {
  const whole = Array.isArray(value)
    ? value.map((each) => changed(each, change, random, share, key))
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.entries(value).map(([name, each]) => [name, changed(each, change, random, share, name)]),
        )
      : value;
  return random() < share ? change(whole, key, random) : whole;
}

/** The JSON values of a text, and whether they stand on lines of their own; undefined where it is no JSON. */
function valuesOf(text: string): { readonly values: unknown[]; readonly isLines: boolean } | undefined {
  try {
    return { values: [JSON.parse(text)], isLines: false };
  } catch {
    try {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return { values: lines.map((line) => JSON.parse(line) as unknown), isLines: true };
    } catch {
      return undefined;
    }
  }
}

function rewritten(text: string, rewrite: (values: unknown[]) => unknown[]): string {
  const found = valuesOf(text);
  if (!found) return text;
  return rewrite(found.values)
    .map((value) => JSON.stringify(value))
    .join('\n');
}

const everywhere =
  (share: number, change: Change) =>
  (text: string, random: () => number): string =>
    rewritten(text, (values) => values.map((value) => changed(value, change, random, share)));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every way in which files are changed. */
export const MUTATIONS: readonly Mutation[] = [
  {
    name: 'a field that nobody knows in every object',
    of: everywhere(1, (value, key) =>
      isObject(value) ? { ...value, strange: `a strange text beside ${key}` } : value,
    ),
  },
  { name: 'some keys renamed', of: everywhere(0.1, (value) => renamed(value)) },
  {
    name: 'keys in another order',
    of: everywhere(1, (value) =>
      isObject(value) ? Object.fromEntries(Object.entries(value).reverse()) : value,
    ),
  },
  {
    name: 'texts where objects were',
    of: everywhere(0.05, (value) => (isObject(value) ? JSON.stringify(value) : value)),
  },
  { name: 'lists around values', of: everywhere(0.05, (value) => [value]) },
  { name: 'null in some places', of: everywhere(0.05, (value, key) => (key === '' ? value : null)) },
  {
    name: 'numbers as texts',
    of: everywhere(1, (value) => (typeof value === 'number' ? String(value) : value)),
  },
  {
    name: 'texts as numbers',
    of: everywhere(0.05, (value, _key, random) =>
      typeof value === 'string' ? Math.round(random() * 1e9) : value,
    ),
  },
  {
    name: 'numbers and truths in some places',
    of: everywhere(0.05, (_value, _key, random) => (random() < 0.5 ? true : -1)),
  },
  {
    name: 'empty objects and lists in some places',
    of: everywhere(0.05, (_value, _key, random) => (random() < 0.5 ? {} : [])),
  },
  {
    name: 'values on lines repeated',
    of: (text, random) =>
      rewritten(text, (values) => values.flatMap((value) => (random() < 0.3 ? [value, value] : [value]))),
  },
  {
    name: 'values on lines in another order',
    of: (text) => rewritten(text, (values) => [...values].reverse()),
  },
  {
    name: 'an envelope around every value',
    of: (text) =>
      rewritten(text, (values) =>
        values.map((value, index) => ({ seq: index, received: '2025-01-01T00:00:00Z', payload: value })),
      ),
  },
  { name: 'all in one list', of: (text) => rewritten(text, (values) => [values]) },
  {
    name: 'indented',
    of: (text) =>
      (valuesOf(text)?.values ?? []).map((value) => JSON.stringify(value, null, 2)).join('\n') || text,
  },
  { name: 'Windows line ends', of: (text) => text.replace(/\r?\n/g, '\r\n') },
  { name: 'a byte order mark', of: (text) => `\ufeff${text}` },
  { name: 'blank lines between', of: (text) => text.replace(/\n/g, '\n\n  \n') },
  { name: 'words before the first line', of: (text) => `Script started on a terminal\n${text}` },
  {
    name: 'cut in its last third',
    of: (text, random) => text.slice(0, Math.floor(text.length * (0.67 + random() * 0.33))),
  },
  {
    name: 'cut in its first third',
    of: (text, random) => text.slice(Math.floor(text.length * random() * 0.33)),
  },
];

function renamed(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [`${key}_renamed`, each]));
}
