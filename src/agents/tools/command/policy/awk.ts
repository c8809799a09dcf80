import { isPlainPath } from './program.js';
import type { CheckedPath } from './program.js';

/** A longer program is not looked into. */
const MAX_PROGRAM = 300;

/** Between slashes, where no operand stands before them: there a slash begins a pattern, and no division. */
const pattern = String.raw`\/(?:[^/\\[\n]|\\[^/\n])+\/`;
const text = String.raw`"(?:[^"\\\n]|\\[nt"])*"`;
const field = String.raw`(?:\$\d+|\$NF|NR|NF|FNR)`;
const value = String.raw`(?:${field}|${text}|\d+(?:\.\d+)?|length\(${field}\)|[a-z](?![A-Za-z_(]))`;
const condition = String.raw`(?:!?${pattern}|${field} *!?~ *${pattern}|${field} *(?:==|!=|<=|>=|<|>) *(?:\d+|${text}|NF|NR)|NR *% *\d+ *== *\d+)`;
const when = String.raw`(?:BEGIN|END|${condition}(?: *(?:&&|\|\||,) *${condition})*)`;
/** No `>`, `|` or call: what is printed goes to the output. */
const statement = String.raw`(?:print(?![A-Za-z_0-9])(?: *${value}(?:[ ,+*-]+${value})*)?|[a-z] *(?:\+=|=) *${value}|[a-z]\+\+)`;
const action = String.raw`\{ *${statement}(?: *; *${statement})* *;? *\}`;
const rule = String.raw`(?:${when} *)?${action}`;
/** A condition alone stands at the end: what came behind it could belong to it, and a slash be a division. */
const program = new RegExp(`^ *(?:${rule} *;? *){0,3}(?:${rule}|${when}) *$`);

/** What a call of awk looks at, if it picks and prints; undefined where its program may do more. */
export function looksOfAwk(words: readonly string[]): readonly CheckedPath[] | undefined {
  const at = words[0] === '-F' ? 2 : /^-F[^\\]{1,3}$/.test(words[0] ?? '') ? 1 : 0;
  const [code = '', ...files] = words.slice(at);
  if (code.length > MAX_PROGRAM || !program.test(code)) return undefined;
  // `name=text` sets a variable of awk.
  const arePlain = files.every((file) => !/^-|=/.test(file) && isPlainPath(file));
  return arePlain ? files.map((path) => ({ path, what: 'contents' })) : undefined;
}
