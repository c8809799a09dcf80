import type { Span } from './redacted.js';

/** A quotation mark as HTML or JSON write it within a text, or a URL. */
const ENCODED = '&(?:quot|apos|#34|#39|#x27|#x22);|%22|\\\\{1,8}u0022';
/** What may close a name: quotes, emphasis, an element. */
const CLOSE = `(?:\\\\{0,8}["']|\`|\\*{1,3}|__|</[a-z]{1,6}>|${ENCODED})?`;
/** White space, also as JSON writes it. */
const SPACE = '(?:\\s|\\\\{1,8}[nrt]){0,40}';
const TYPE =
  '[A-Za-z_][\\w.]{0,40}(?:[<[][\\w<>[\\]., |]{0,60}[>\\]])?(?:\\s{0,2}\\|\\s{0,2}[\\w.]{1,40}){0,4}\\??';

/** How a value is written behind its name. */
interface Notation {
  /** What stands between both. */
  readonly gap: RegExp;
  /** Whether a value needs no quotes here. */
  readonly isBare?: boolean;
  /** Whether what stands before the name keeps it from being given a value. */
  readonly exceptAfter?: RegExp;
  /** The shortest value, in UTF-16 code units. */
  readonly min: number;
}

const sticky = (source: string) => new RegExp(source, 'iy');

/** Functions with names like these take what is no secret. */
const READS =
  /(?:get|find|fetch|load|read|parse|verify|check|validate|hash|is|has|resolve|remove|delete|revoke|mask|redact|test|by|for|no|invalid|expect)_?$/i;

const NOTATIONS: readonly Notation[] = [
  // - name: DB_PASSWORD / value: …, "name": "DB_PASSWORD", "value": …
  {
    gap: sticky(`\\\\{0,8}["']?\\s?,?${SPACE}\\\\{0,8}["']?value\\\\{0,8}["']?\\s{0,4}[:=]\\s{0,4}`),
    isBare: true,
    min: 6,
  },
  // **Password:** …, `password`: …, <b>Password:</b> …, <td>Password</td><td>…, password%3D…
  {
    gap: sticky(
      `(?:${CLOSE}\\s{0,4}(?:=>|:=|[:=|]|%3[AD])(?:\\*{1,3}|__|</[a-z]{1,6}>(?:\\s{0,4}<[a-z]{1,6}>)?)?|</[a-z]{1,6}>\\s{0,4}<[a-z]{1,6}>)\\s{0,4}`,
    ),
    isBare: true,
    min: 8,
  },
  // password: str = "…", password string = "…"
  { gap: sticky(`["']?(?:\\s{0,4}:\\s{0,4}|\\s{1,4})${TYPE}\\s{0,4}=\\s{0,4}`), min: 8 },
  // ${PASSWORD:-…}
  { gap: sticky(':[-=]'), isBare: true, min: 8 },
  // env.PASSWORD ?? "…", os.getenv("PASSWORD") or "…"
  { gap: sticky(`["']?[\\])]{0,2}\\s{0,4}(?:\\?\\?|\\|\\||\\?:|\\bor\\b)=?\\s{0,4}`), min: 8 },
  // setPassword("…")
  { gap: sticky('\\(\\s{0,4}'), exceptAfter: READS, min: 8 },
  // The password is "…"
  { gap: sticky('\\s(?:is|was)(?:\\s(?:now|set to))?:?\\s{1,2}'), min: 6 },
];

/** What other rows look behind for values without quotes, which they know the ends of. */
const PLAIN = /^["']?\s{0,4}(?:=>|:=|[:=|])\s{0,4}$/;

const LIST = sticky(`s?\\\\{0,8}["']?\\s{0,4}[:=]\\s{0,4}\\[${SPACE}`);
const FIELD_OF = sticky(
  `\\\\{0,8}["']\\s{0,4}:\\s{0,4}\\{${SPACE}\\\\{0,8}["']value\\\\{0,8}["']\\s{0,4}:\\s{0,4}`,
);
const NEXT = sticky(`\\\\{0,8}["'\`]${SPACE},${SPACE}`);
const NUMBER = sticky('(\\\\{0,8}")\\s{0,4}:\\s{0,4}(?=(\\d{6,40})\\s{0,40}(?:\\\\{1,8}n)?\\s{0,40}[,}])');
const OPEN = sticky(`(\\\\{0,8})("""|'''|["'\`])|(${ENCODED})`);
const BARE = sticky('(?:(?!%2[26C]|%7D)[^\\s"\'`,;&<>()\\\\[\\]{}]){8,400}');
/** A value within quotes. */
const QUOTED = sticky('[^\\s"\'`\\\\&]{1,400}');
const BLOCK = sticky('[^\\s"\'\\\\]{1,400}');

/** A value without its quotes; a number of JSON has none and needs some where it is replaced. */
export interface WrittenValue extends Span {
  readonly quote?: string;
}

const NONE: readonly WrittenValue[] = [];

/** With what that begins which stands between a name and a value; most names in code are followed by something else. */
const BEGINNINGS: ReadonlySet<string> = new Set('sS \t\n"\'`\\*_<&%:=|[](?');

/** The values of a name that ends here, in other notations than `name = "value"`, in order. */
export function valuesBehind(text: string, at: number): readonly WrittenValue[] {
  const first = text.charAt(at);
  if (!BEGINNINGS.has(first)) return NONE;
  const isToken = /(?:token|credential)$/i.test(text.slice(Math.max(0, at - 10), at));
  const listed = isToken ? NONE : listBehind(text, at);
  if (first === 's' || first === 'S' || listed.length > 0) return listed;
  const number = isToken ? null : execAt(NUMBER, text, at);
  if (number)
    return [
      { start: NUMBER.lastIndex, end: NUMBER.lastIndex + (number[2] ?? '').length, quote: number[1] ?? '"' },
    ];
  if (execAt(FIELD_OF, text, at)) return one(valueAt(text, FIELD_OF.lastIndex, false, 6));
  for (const { gap, isBare = false, exceptAfter, min } of NOTATIONS) {
    const between = execAt(gap, text, at);
    if (!between) continue;
    if (exceptAfter?.test(text.slice(Math.max(0, at - 40), at).replace(LAST_WORD, ''))) continue;
    const value = valueAt(text, gap.lastIndex, isBare && !PLAIN.test(between[0]), min);
    if (value) return [value];
  }
  return NONE;
}

/** The name itself, as far as it is one word of several. */
const LAST_WORD =
  /(?:(?:api|access|secret|auth|private|client)_?)?(?:key|token|secret|pass(?:word|phrase|code)?|passwd|pwd|credential)$/i;

function listBehind(text: string, at: number): readonly WrittenValue[] {
  if (!execAt(LIST, text, at)) return NONE;
  const values: WrittenValue[] = [];
  let next = LIST.lastIndex;
  while (execAt(OPEN, text, next)) {
    const start = OPEN.lastIndex;
    const found = execAt(QUOTED, text, start);
    if (!found) break;
    const end = start + found[0].length;
    if (isLikely(found[0], 6)) values.push({ start, end });
    if (!execAt(NEXT, text, end)) break;
    next = NEXT.lastIndex;
  }
  return values;
}

function valueAt(text: string, at: number, isBare: boolean, min: number): WrittenValue | undefined {
  const open = execAt(OPEN, text, at);
  const isBlock = open?.[2]?.length === 3;
  const start = open ? OPEN.lastIndex : at;
  if (!open && !isBare) return undefined;
  const pattern = !open ? BARE : isBlock ? BLOCK : QUOTED;
  const value = execAt(pattern, text, start)?.[0].replace(/\*{1,3}$/, '') ?? '';
  const end = start + value.length;
  // A call, or a text with spaces, which is prose.
  const isOther = open ? !/^(?:\\|["'`&%]|$)/.test(text.charAt(end)) : /[([]/.test(text.charAt(end));
  return isOther || !isLikely(value, open ? min : 8) ? undefined : { start, end };
}

/** Whether a value is one that a person chose or a machine made: with digits and others, and no date. */
export function isLikely(value: string, min = 8): boolean {
  return (
    value.length >= min &&
    /\d/.test(value) &&
    /[^\d\s.:/-]/.test(value) &&
    !/^\d{4}-\d{2}-\d{2}|\s/.test(value)
  );
}

function one(value: WrittenValue | undefined): readonly WrittenValue[] {
  return value ? [value] : NONE;
}

function execAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
