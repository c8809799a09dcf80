import { commandRisk } from './command/risk.js';
import { decodeText } from './encodedText.js';
import { decidingNames } from './paths/decidingNames.js';
import { leadsOutside } from './paths/outsideFolders.js';
import { segmentsOf } from './paths/pathNames.js';
import { readRule, STORE_FOLDER, writeRule } from './paths/protectedPaths.js';
import { allow, ask, firstObjection } from './verdict.js';
import type { Verdict } from './verdict.js';

/** More values, or deeper ones, are not looked through; the call asks. */
const MAX_VALUES = 5_000;
const MAX_DEPTH = 64;
/** How much text is looked through, in UTF-16 code units. */
const MAX_TEXT = 400_000;
/** More names of files in one text are not looked at. */
const MAX_NAMES = 2_000;
/** A longer word is no name that a program would open; only one of nothing but a path's characters asks. */
const MAX_WORD = 20_000;
/** A longer name of a file is not compared with a pattern. */
const MAX_NAME = 255;
/** A text of more words is prose, whatever its argument is called. */
const MAX_WORDS = 8;

/** Names of arguments in which external tools expect a command line, or the words of one. */
const commandName =
  /(^|[_-])(commands?|cmds?|shell|bash|argv|script|terminal|exec|run)($|[_-])|command|cmdline/i;
/** Names of arguments whose values are written or read by people, so that a file's name in them is a mention. */
const proseName =
  /(^|[_-])(content|contents|text|body|message|query|q|prompt|description|title|comment|question|answer|summary|notes?|markdown|html|search|regex|thoughts?|reason(ing)?|instructions?|code|source|sourcecode|snippet|topic|task|goal|explanation|subject|caption|label|response|context|old|new|string|str|value|data)($|[_-])|(content|text|string|query|prompt|message|body)$/i;
/** Names of arguments that hold code, and of tools that run it. */
const codeName =
  /^(code|source|expression|function|javascript|js|python|program|snippet|statements?|input|stdin|line)$/i;
const runningTool =
  /(^|[_-])(run|exec|execute|eval|evaluate|repl|interpret\w*|shell|terminal|sandbox)($|[_-])/i;

interface Value {
  readonly name: string;
  readonly value: unknown;
  readonly depth: number;
}

/**
 * Whether the arguments of an external tool's call require asking: they name a file that decides rights, contains secrets
 * or belongs to the record, a place outside of the workspace's `folders`, a command that `run_command` would ask about, or
 * something that cannot be read. It is unknown what such a tool does with them, so it is treated as if it wrote; `tool` is
 * its name.
 */
export function externalToolRisk(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  folders: readonly string[],
): Verdict {
  const judge = new TextJudge(tool, folders);
  const open: Value[] = [{ name: '', value: args, depth: 0 }];
  let length = 0;
  for (let seen = 0; open.length > 0; seen++) {
    if (seen > MAX_VALUES) return ask('its arguments are too many to be looked through');
    const { name, value, depth } = open.pop() ?? { name: '', value: undefined, depth: 0 };
    if (depth > MAX_DEPTH) return ask('its arguments are nested too deep to be looked through');
    const into = (inner: unknown, of = name) => open.push({ name: of, value: inner, depth: depth + 1 });
    let verdict: Verdict = allow;
    if (typeof value === 'string') {
      length += value.length;
      if (length > MAX_TEXT) return ask('its arguments are too long to be looked through');
      verdict = judge.text(name, value, into);
    } else if (Array.isArray(value)) {
      const list: readonly unknown[] = value;
      verdict = judgeList(judge, name, list);
      for (const one of list.slice(0, MAX_VALUES + 1)) into(one);
    } else if (typeof value === 'object' && value !== null) {
      const entries = Object.entries(value).slice(0, MAX_VALUES + 1);
      verdict = judgeObject(judge, entries);
      for (const [key, one] of entries) into(one, key);
    }
    if (verdict.kind !== 'allow') return verdict;
  }
  return allow;
}

/** Keys can be paths, and a program may stand beside its words. */
function judgeObject(judge: TextJudge, entries: readonly (readonly [string, unknown])[]): Verdict {
  const keys = firstObjection(entries, ([key]) =>
    /[./\\%&=+]/.test(key) || key.length > MAX_NAME ? judge.key(key) : allow,
  );
  if (keys.kind !== 'allow') return keys;
  const program = entries.find(
    ([key, value]) =>
      typeof value === 'string' && (commandName.test(key) || /^(program|executable|exe|binary)$/i.test(key)),
  );
  const words = entries.find(
    ([key, value]) => /^(args|arguments|argv|params|options)$/i.test(key) && Array.isArray(value),
  );
  if (!program || !words) return allow;
  return judgeCommandLine(program[0], [program[1] as string, ...wordsOf(words[1] as readonly unknown[])]);
}

/** The words of a command, the characters of a text, or the pieces of a path. */
function judgeList(judge: TextJudge, name: string, list: readonly unknown[]): Verdict {
  if (list.length < 2) return allow;
  if (list.every((one) => Number.isInteger(one) && (one as number) >= 0 && (one as number) <= 0x10ffff)) {
    return judge.text(name, textOf(list as readonly number[]), () => undefined);
  }
  const words = wordsOf(list);
  if (words.length < list.length || words.length > 100) return allow;
  if (commandName.test(name)) return judgeCommandLine(name, words);
  return firstObjection([words.join(''), words.join('/')], (text) =>
    /\s/.test(text) ? allow : judge.paths(text, 'path'),
  );
}

const textOf = (characters: readonly number[]) =>
  characters
    .slice(0, MAX_VALUES)
    .map((one) => String.fromCodePoint(one))
    .join('');

const wordsOf = (list: readonly unknown[]) => list.filter((one) => typeof one === 'string');

const quotedWord = (word: string) =>
  /^[\w./:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;

/** A program and its words; one word alone is a line of its own. */
function judgeCommandLine(name: string, words: readonly string[]): Verdict {
  const line = [words[0] ?? '', ...words.slice(1).map(quotedWord)].join(' ');
  const risk = commandRisk(line);
  return risk.kind === 'allow' ? allow : ask(`its ${name} must be asked about: ${risk.reason}`);
}

/** Judges the texts of a call: what they name, run or hide. */
class TextJudge {
  readonly #tool: string;
  readonly #folders: readonly string[];

  constructor(tool: string, folders: readonly string[]) {
    this.#tool = tool;
    this.#folders = folders;
  }

  /** The key of an object, which may be a path. */
  key(key: string): Verdict {
    return this.#read('', key, () => undefined);
  }

  /** A value by its argument's name; JSON within is given to `unpack`. */
  text(name: string, value: string, unpack: (inner: unknown) => void): Verdict {
    if (codeName.test(name) && runningTool.test(this.#tool) && value.trim() !== '') {
      return ask(`it runs code that stands in its arguments (${name})`);
    }
    if (commandName.test(name)) {
      const verdict = judgeCommandLine(name, [value]);
      if (verdict.kind !== 'allow') return verdict;
    }
    return this.#read(name, value, unpack);
  }

  #read(name: string, value: string, unpack: (inner: unknown) => void): Verdict {
    const { readings, isUnreadable } = decodeText(value);
    if (isUnreadable) return ask(`'${shortened(value)}' is encoded and cannot be read`);
    return firstObjection(readings, (reading) => {
      const inner = parsed(reading);
      if (inner !== undefined) {
        unpack(inner);
        return allow;
      }
      return this.paths(reading, proseName.test(name) ? 'prose' : 'path');
    });
  }

  /** Whether a text names a file that must be asked about, in whatever way it may name one. */
  paths(whole: string, kind: Kind): Verdict {
    const long = whole.length > MAX_WORD ? longWords(whole) : [];
    if (long.some((word) => /^[\w./\\%&#;~$@+:-]+$/.test(word)))
      return ask('a name in its arguments is too long');
    if (long.length > 0 && long.length === whole.trim().split(/\s+/).length) return allow;
    const text = long.reduce((rest, word) => rest.replace(word, ' '), whole);
    if (/^(old |new |new file |deleted file )?mode 120000$/m.test(text))
      return ask('it makes a link to another file');
    const plain = withoutAddresses(
      text
        .normalize('NFKC')
        .replace(/[\u2044\u2215\u29f8]/g, '/')
        .replace(/[\u2216\u29f5]/g, '\\')
        .replaceAll('\u3002', '.'),
    );
    const lines = plain.split(/[\n\r\v\f\u0085\u2028\u2029]/).filter((line) => line.trim() !== '');
    const names = new Set<string>();
    for (const name of namesIn(lines)) {
      names.add(name);
      if (names.size > MAX_NAMES) return ask('it names more files than are looked at');
    }
    const named = firstObjection(names, (name) => this.#name(name));
    if (named.kind !== 'allow') return named;
    if (lines.length === 1) return this.#line(lines[0] ?? '', kind);
    // A list of names, one in each line.
    const isList = lines.every((line) => !/\s/.test(line.trim()) && !/[(){};]/.test(line));
    return isList || (kind === 'path' && lines.length <= MAX_WORDS)
      ? firstObjection(lines, (line) => this.#line(line, kind))
      : allow;
  }

  #line(line: string, kind: Kind): Verdict {
    if (line.length > MAX_WORD)
      return kind === 'prose' ? allow : ask('a line of its arguments is too long to be read');
    const words = line.trim().split(/\s+/);
    // A call in source code says what a program does with a name.
    if (words.length === 1) return kind === 'prose' && /\w\(/.test(line) ? judgePath(line) : this.#name(line);
    const whole = judgePath(line);
    if (whole.kind !== 'allow' || kind === 'prose') return whole;
    if (leadsOutside(line, this.#folders)) return outside(line);
    const arePaths = words.every((word) => /^\.|[./\\]\S/.test(word));
    if (arePaths) return firstObjection(words, (word) => this.#name(word));
    return words.length > MAX_WORDS
      ? allow
      : firstObjection(
          words.filter((word) => /^\W*\.|[/\\]/.test(word)),
          (word) => this.#name(word),
        );
  }

  #name(word: string): Verdict {
    const verdict = judgeName(word);
    if (verdict.kind !== 'allow') return verdict;
    const parts = [word, ...word.split(/[=,;|]+/)];
    return parts.some((part) => leadsOutside(part, this.#folders)) ? outside(word) : allow;
  }
}

const outside = (word: string): Verdict => ask(`'${shortened(word.trim())}' lies outside of the workspace`);

/** What JSON in a text holds; undefined where it is none. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    // Whatever else begins with a bracket is looked through as a text.
    return undefined;
  }
}

/** Whether a text is about files by its argument's name, or one that people read. */
type Kind = 'path' | 'prose';

const longWords = (text: string) => text.split(/\s+/).filter((word) => word.length > MAX_WORD);

/** Addresses of the web without those of this machine, and those that lead back when they are taken for paths. */
function withoutAddresses(text: string): string {
  return text.replace(/\bhttps?:\/\/[^\s'"<>()`]+/gi, (address) =>
    /\/\.\.|\\|^https?:\/\/([^/@]*@)?(localhost|127\.|0\.0\.0\.0|\[)/i.test(address) ? address : ' ',
  );
}

/** Lines that name a file in front of its text, in patches and in what models write instead of them. */
const header =
  /^\s*(?:\+\+\+|---|\*\*\*(?: (?:Add|Update|Delete|Move|Create|Rename)(?: File| to)?:?)?|diff(?: --git)?|Index:|Only in|(?:rename|copy) (?:from|to)|Binary files|(?:file|path|filename|filepath|target|uri)\s*[:=]|#+\s*(?:file|path):?|<(?:file|path|uri|filename)\b[^>]*>|<\w+ (?:[^>]*\s)?(?:path|file|uri|name|target)=)\s*(.*)$/i;
/** What stands behind the language of a fence, and the file of one part of a form. */
const afterFence = /^\s*(?:`{3,}|~{3,})\S*\s+(?:\w+=)?["']?([^"']+)/;
const fileOfPart = /^\s*Content-Disposition:.*\bfilename\*?="?([^";]+)/i;
/** The line below a file's name. */
const belowName = /^\s*(`{3,}|~{3,}|<{5,}|={5,})/;
/** `path: x`, `"path": "x"`, `- x`: a value in a text of data. */
const dataValue = /^\s*(?:-\s+)*(?:["']?[\w.$-]+["']?\s*[:=]\s*)?["']?([^\s"',]+)["']?,?\s*$/;

/** The names of files that stand in lines of a text where a program looks for them. */
function* namesIn(lines: readonly string[]): Iterable<string> {
  const isData = /^\s*([[{]|---\s*$|<|-\s+\S+$|["']?[\w.$-]+["']?\s*[:=](\s|$))/.test(lines[0] ?? '');
  for (const [at, line] of lines.entries()) {
    const named = header.exec(line)?.[1] ?? afterFence.exec(line)?.[1] ?? fileOfPart.exec(line)?.[1];
    if (named !== undefined) yield* wordsWithin(named);
    if (lines.length > 1 && belowName.test(lines[at + 1] ?? '') && line.trim().split(/\s+/).length <= 3)
      yield* wordsWithin(line);
    const value = isData ? dataValue.exec(line)?.[1] : undefined;
    if (value !== undefined) yield value;
    if (isData) yield* valuesIn(line);
  }
}

/** The texts of a line of data that stand in quotes or between marks. */
function* valuesIn(line: string): Iterable<string> {
  for (const [, double, single, between] of line.matchAll(
    /"([^"\\]*)"|'([^'\\]*)'|(?:>|<!\[CDATA\[)([^<>\]]+)(?:<|\]\])/g,
  )) {
    const value = (double ?? single ?? between ?? '').trim();
    if (value !== '' && !/\s/.test(value)) yield value;
  }
}

/** What stands behind a header: a name alone, one with blanks, or two of them with a time behind. */
function wordsWithin(text: string): string[] {
  const [name = ''] = text.split('\t');
  return [name, ...name.split(/\s+/)];
}

/** A word that may be a path, or hold one: `file:…`, `@…`, `a,b`, `key=…`, `x#L3`. */
function judgeName(word: string): Verdict {
  const trimmed = word
    .trim()
    .replace(/^\*\*(.+)\*\*$/, '$1')
    .replace(/^["'`<([{]+|["'`>)\]},;:]+$/g, '');
  const leaves = leavesPlainText(trimmed);
  if (leaves.kind !== 'allow') return leaves;
  const pieces = new Set([
    word,
    trimmed,
    ...trimmed.split(/[=,;:@'"`()<>|#?!&\s\0]+/),
    ...trimmed.split('\0'),
  ]);
  return firstObjection(pieces, judgePath);
}

/** Folders that programs put in the place of these names themselves. */
const known =
  /\$\{(workspaceFolder|workspaceRoot|workspaceFolderBasename|file|relativeFile|fileBasename)(:[\w.-]+)?\}/g;

/** Whether it is known only when it runs where a word leads, or it leads into somebody's home folder. */
function leavesPlainText(word: string): Verdict {
  const fixed = word.replace(known, '.');
  if (/^command:/i.test(fixed)) return ask(`'${shortened(word)}' is a command of the editor`);
  if (fixed.startsWith('/proc/')) return ask(`'${shortened(word)}' leads into a process`);
  if (/^(\$\{?[A-Z][A-Z_]+\}?|%[A-Z_]+%)$/.test(fixed))
    return ask(`where '${shortened(word)}' leads is known only when it runs`);
  if (/^~[\w.+-]*[/\\]|^~$/.test(fixed)) return ask(`'${shortened(word)}' leads into somebody's home folder`);
  const isPath = /[/\\]/.test(fixed) && !/^\w+:\/\//.test(fixed.replace(/^file:/i, ''));
  const isVariable = /\$\{?[A-Za-z_]|\$\(|`|%[A-Za-z_]\w*%|\{\{/.test(fixed);
  if (isPath && isVariable) return ask(`where '${shortened(word)}' leads is known only when it runs`);
  if (isPath && fixed.includes('\ufffd')) return ask(`'${shortened(word)}' is no valid text`);
  return allow;
}

function judgePath(text: string): Verdict {
  if (text === '') return allow;
  const segments = segmentsOf(text).map((name) => name.replace(/^[\s\p{Cc}'"]+|[\p{Cc}'"]+$/gu, ''));
  const forms = [segments, segments.map((name) => name.replace(/\p{Cc}/gu, '')), resolved(segments)];
  return firstObjection(forms, (names) => judgeSegments(names, text));
}

/** What is left of names when each `..` takes back the one before. */
function resolved(names: readonly string[]): string[] {
  const left: string[] = [];
  for (const name of names) {
    if (name === '..') left.pop();
    else left.push(name);
  }
  return left;
}

function judgeSegments(names: readonly string[], shown: string): Verdict {
  const place = { relative: names.join('/'), isWord: true };
  const rule = writeRule(place) ?? readRule(place);
  if (rule) return ask(`'${shortened(shown)}' ${rule.reason}`);
  const pattern = names.find((name) => standsForProtected(name));
  return pattern === undefined
    ? allow
    : ask(`'${shortened(pattern)}' can stand for a file that decides rights or holds secrets`);
}

const protectedNames: readonly string[] = [
  ...decidingNames,
  STORE_FOLDER,
  '.env',
  '.npmrc',
  '.netrc',
  'id_rsa',
  'id_ed25519',
];

/** Whether a pattern of names matches one that must be asked about; `*` and `*.ext` stand for everything, and say nothing. */
function standsForProtected(pattern: string): boolean {
  if (!/[*?[{]/.test(pattern) || /^\*+(\.[\w{},]+)?$/.test(pattern) || /[\\^$()|+;=<>"']/.test(pattern))
    return false;
  // Regular expressions and templates are full of brackets; a pattern of names has letters too.
  if (!/[A-Za-z]/.test(pattern) || !/^[\w.*?[\]{},!@-]+$/.test(pattern)) return false;
  if (pattern.length > MAX_NAME) return true;
  const wide = pattern
    .toLowerCase()
    .replace(/\[[^\]]*\]/g, '?')
    .replace(/\{[^}]*\}/g, '*');
  return protectedNames.some((name) => matches(wide, name));
}

/** Whether `name` matches a pattern of `*` and `?`, in steps that grow with the product of both lengths only. */
function matches(pattern: string, name: string): boolean {
  let reached = new Set([0]);
  for (const letter of pattern) {
    const next = new Set<number>();
    for (const at of reached) {
      if (letter === '*') for (let to = at; to <= name.length; to++) next.add(to);
      else if (at < name.length && (letter === '?' || letter === name[at])) next.add(at + 1);
    }
    reached = next;
  }
  return reached.has(name.length);
}

const shortened = (text: string) => (text.length > 120 ? `${text.slice(0, 100)}…` : text);
