import { approvalText } from '../approvalText.js';

/** One program with its words, quotes resolved, and what joins it to the one before. */
export interface PlainCommand {
  readonly joined: '' | ';' | '&&' | '||' | '|';
  readonly words: readonly string[];
  /** Whether its output or errors are thrown away or joined; nothing else may be redirected. */
  readonly redirects: readonly string[];
}

/** Stands in front of a word that is a pattern of names; no word has it in it. */
export const PATTERN = '\0';

/** A pattern that means the same to us as to bash: one star in the last name, which begins with no dot. */
export const namePattern = /^([A-Za-z0-9_.+-]+\/)*(?![.-])[A-Za-z0-9_.+-]*\*[A-Za-z0-9_.+-]+$/;

/** A flag with a star that no name of a file begins with. */
export const starredFlag = /^--(in|ex)clude=\*\.\w+$/;

const operator = /(?:&&|\|\||[;|\n])/y;
const redirect = /(?:2>&1|[12]?>\/dev\/null)(?=[ \t\n;|&]|$)/y;
const bare = /([A-Za-z0-9_./,:=@%+-]+)/y;
const starred = /([A-Za-z0-9_./+*=-]+)(?=[ \t\n;|&]|$)/y;
const singleQuoted = /'([^'\p{Cc}]*)'/uy;
const doubleQuoted = /"([^"$`\\!\p{Cc}]*)"/uy;

/**
 * Reads a command line of the small grammar in which nothing can hide: programs joined by `;`, `&&`, `||`, `|`
 * or line ends, with plain words and quoted text. Undefined for everything else: expansions, patterns, escapes,
 * assignments, other redirections, background jobs, comments, or characters that are not seen.
 */
export function readPlainCommands(line: string): readonly PlainCommand[] | undefined {
  if (approvalText(line) !== line) return undefined;
  const commands: PlainCommand[] = [];
  let words: string[] = [];
  let redirects: string[] = [];
  let joined: PlainCommand['joined'] = '';
  for (let at = 0; at < line.length;) {
    const blanks = match(/[ \t]+/y, line, at);
    if (blanks) at += blanks[0].length;
    if (at >= line.length) break;
    const joint = match(operator, line, at);
    if (joint) {
      const next = (joint[0] === '\n' ? ';' : joint[0]) as PlainCommand['joined'];
      at += joint[0].length;
      if (words.length > 0) commands.push({ joined, words, redirects });
      else if (joint[0] !== '\n' || redirects.length > 0) return undefined;
      else if (joined !== ';' && joined !== '') continue;
      [words, redirects, joined] = [[], [], commands.length > 0 ? next : ''];
      continue;
    }
    const thrown = match(redirect, line, at);
    if (thrown) {
      redirects.push(thrown[0]);
      at += thrown[0].length;
      continue;
    }
    const word = readWord(line, at);
    if (!word) return undefined;
    words.push(word.value);
    at = word.end;
  }
  if (words.length > 0) commands.push({ joined, words, redirects });
  else if (redirects.length > 0 || (joined !== ';' && joined !== '')) return undefined;
  return commands;
}

/** The word that begins at `at`, its quotes resolved. */
function readWord(line: string, at: number): { readonly value: string; readonly end: number } | undefined {
  const pattern = match(starred, line, at)?.[0];
  if (pattern !== undefined && namePattern.test(pattern)) {
    return { value: PATTERN + pattern, end: at + pattern.length };
  }
  if (pattern !== undefined && starredFlag.test(pattern)) return { value: pattern, end: at + pattern.length };
  let end = at;
  let value = '';
  for (;;) {
    const part = match(bare, line, end) ?? match(singleQuoted, line, end) ?? match(doubleQuoted, line, end);
    if (!part) break;
    value += part[1] ?? '';
    end += part[0].length;
  }
  const over = end >= line.length || /[ \t\n;|&]/.test(line.charAt(end));
  return end > at && over ? { value, end } : undefined;
}

function match(pattern: RegExp, line: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(line) ?? undefined;
}
