import { influentialVariables } from '../policy/variables.js';
import { isSingleLoop } from './plainCommands.js';

/** A loop over more names is not written out. */
const MAX_ROUNDS = 50;

/** One loop, on one line or on several: `for f in a b; do …; done`. */
const loop =
  /^\s*for ([a-z]\w*) in ([A-Za-z0-9_./* \t-]+?)[ \t]*[;\n]\s*do[ \t\n]+(.+?)[ \t]*[;\n]\s*done\s*$/s;
/** Words by which a loop or a condition begins, goes on or ends. */
const keyword =
  /(^|[\s;|&])(for|in|do|done|while|until|if|then|elif|else|fi|case|esac|select|function|time|coproc|\{|\}|!)(?=[\s;|&]|$)/;

/**
 * A line that is one loop over plain names, written out as the commands that it runs; any other line as it is. The variable
 * may stand for whole words only, and nowhere else may there be a `$`.
 */
export function expandLoop(line: string): string {
  const [, name = '', list = '', body = ''] = loop.exec(line) ?? [];
  const words = list.split(/[ \t]+/).filter((word) => word !== '');
  if (name === '' || words.length === 0 || words.length > MAX_ROUNDS) return line;
  const hasPattern = words.some((word) => word.includes('*'));
  const isPlain = words.every((word) => /^(?!-)[A-Za-z0-9_./-]*(\*[A-Za-z0-9_.-]+)?$/.test(word));
  const bare = String.raw`\$${name}(?!\w)|\$\{${name}\}`;
  const token = String.raw`'[^'$]*'|"\$${name}"|"\$\{${name}\}"|"[^"$'\\!]*"|[A-Za-z0-9_./,:=@%+~^[\]\- \t\n;|&><]`;
  const isKnown = new RegExp(`^(?:${token}${hasPattern ? '' : `|${bare}`})*$`).test(body);
  if (!isPlain || !isKnown || keyword.test(body) || influentialVariables.test(name)) return line;
  // The variable is a word by itself, so that it can be put in its place as it stands.
  const uses = new RegExp(String.raw`(?<=^|[ \t\n])"?\$\{?${name}\}?"?(?=$|[ \t\n;|&])`, 'g');
  if (body.replace(uses, '').includes('$') || !isSingleLoop(line, name, words.length)) return line;
  return words.map((word) => body.replace(uses, () => word)).join('\n');
}
