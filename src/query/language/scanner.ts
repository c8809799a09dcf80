import { t } from '../../core/l10n.js';
import type { Comparison, QueryProblem, Range } from './syntax.js';
import { beginsWithSlash, quoted, shown, type RawValue } from './values.js';

/** So many problems are told of one question; whoever has these has enough to do. */
const MAX_PROBLEMS = 20;

/** The quotes that word processors put in the place of `"`. */
const CURLY = /[\u201c\u201d\u201e\u00ab\u00bb]/;

/** A pattern between two slashes, with its flags. */
const PATTERN = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])*)\/([A-Za-z]*)/y;
/** The same where it ends there, with flags of one, whether they are good for anything here or not. */
const MEANT = new RegExp(`${PATTERN.source.replace('[A-Za-z]', '[dgimsuvy]')}(?=[\\s)]|$)`, 'y');
/** A path up to a blank or a bracket, of characters that mean themselves in a pattern too. */
const PATH = /\/[^\s()"/\\[\]{}|^$*+?][^\s()"\\[\]{}|^$*+?]*(?=[\s()]|$)/y;

/** Reads a question's text piece by piece, and keeps what is wrong with it. */
export class Scanner {
  at = 0;
  readonly problems: QueryProblem[] = [];

  constructor(readonly text: string) {}

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The next character; '' at the end. */
  get next(): string {
    return this.text.charAt(this.at);
  }

  skipBlanks(): void {
    this.match(/\s+/y);
  }

  /** Takes what a sticky pattern matches here; undefined where it does not. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text) ?? undefined;
    if (found) this.at += found[0].length;
    return found;
  }

  /** Whether nothing stands directly behind what was read, as behind a word that has ended. */
  get isAtBoundary(): boolean {
    return this.isAtEnd || this.next === ')' || /\s/.test(this.next);
  }

  problem({ start, end }: Range, message: string, fix?: string): void {
    this.add({ start, end, message, ...(fix !== undefined && { fix }) });
  }

  add(problem: QueryProblem): void {
    if (this.problems.length < MAX_PROBLEMS) this.problems.push(problem);
  }

  /** Tells of what stands directly behind a piece, and goes on behind it. */
  expectBoundary(start: number): void {
    if (this.isAtBoundary) return;
    this.match(/[^\s]+/y);
    const whole = this.text.slice(start, this.at);
    this.problem(
      { start, end: this.at },
      t`'${shown(whole)}' runs together. To look for it as it is, put it into quotes; else put a space between its parts.`,
      quoted(whole),
    );
  }

  /** A text in quotes, without them; `\"` and `\\` stand for `"` and `\`. */
  quotedText(): string | undefined {
    const start = this.at;
    const found = this.match(/"((?:[^"\\]|\\.)*)"/sy);
    if (found) return (found[1] ?? '').replace(/\\(["\\])/g, '$1');
    this.at = this.text.length;
    this.problem({ start, end: this.at }, t`The quotes are not closed: put a " at the end of the text.`);
    return undefined;
  }

  /** A pattern between two `/`, with its flags. */
  pattern(): { readonly source: string; readonly flags: string } | undefined {
    const start = this.at;
    const found = this.match(PATTERN);
    if (found) return { source: found[1] ?? '', flags: found[2] ?? '' };
    this.match(/[^\s)]+/y);
    const whole = this.text.slice(start, this.at);
    this.problem(
      { start, end: this.at },
      t`A pattern stands between two slashes, like /err(or)?/i. To look for a text that begins with one, put it into quotes.`,
      quoted(whole),
    );
    return undefined;
  }

  /** The characters of a word from here on; '' where none begins. */
  word(): string {
    return this.match(/[^\s()"]+/y)?.[0] ?? '';
  }

  /** Tells of quotes that are no straight ones; they would be taken for a part of the word. */
  refuseCurly(start: number, word: string): void {
    const found = CURLY.exec(word);
    if (!found) return;
    const position = start + found.index;
    this.problem({ start: position, end: position + 1 }, t`Write straight quotes (") around a text.`, '"');
  }

  /** Whether what begins with a slash here is a path: it is no pattern, and has nothing that only a pattern would have. */
  get #isPath(): boolean {
    PATH.lastIndex = MEANT.lastIndex = this.at;
    return !MEANT.test(this.text) && PATH.test(this.text);
  }

  /** The value that stands here, up to a blank or a bracket. `patterns`: whether a `/` begins a pattern. */
  value(patterns: boolean): RawValue | undefined {
    const start = this.at;
    const operator = (this.match(/>=|<=|[<>=]/y)?.[0] ?? '') as Comparison | '';
    const from = this.at;
    if (this.next === '"') {
      const text = this.quotedText();
      if (text === undefined) return undefined;
      this.expectBoundary(start);
      return { operator, form: 'quoted', text, start, end: this.at };
    }
    if (this.next === '/' && patterns && !this.#isPath) {
      const found = this.pattern();
      if (!found) return undefined;
      const { source: text, flags } = found;
      if (!this.isAtBoundary) {
        this.match(/[^\s]+/y);
        const whole = this.text.slice(start, this.at);
        this.problem({ start, end: this.at }, beginsWithSlash(), quoted(whole));
        return undefined;
      }
      return { operator, form: 'pattern', text, flags, start, end: this.at };
    }
    const text = this.word();
    this.refuseCurly(from, text);
    this.expectBoundary(start);
    return { operator, form: 'word', text, start, end: this.at };
  }
}
