import { message, type Message } from '../core/l10n.js';
import { withoutColours } from '../core/terminalColours.js';

/** What may be replaced before steps are compared, and what it is: each can be switched off. */
export const RULES = {
  ids: message`ids: UUIDs, ULIDs, and ids of calls, messages and requests`,
  times: message`dates, times of day and durations with their unit`,
  folders: message`the working folder and home folders`,
  temporary: message`paths of temporary files and folders`,
  ports: message`ports of this machine`,
  hashes: message`hashes, as of commits`,
  processes: message`numbers of processes`,
  injected: message`what a tool put into the conversation in a person’s name`,
} as const satisfies Record<string, Message>;

/** The name of a rule. */
export type Rule = keyof typeof RULES;

/** The names of all rules. */
export const RULE_NAMES = Object.keys(RULES) as readonly Rule[];

/** All rules. */
export const ALL_RULES: ReadonlySet<Rule> = new Set(RULE_NAMES);

/** All rules but those of what is compared as it is. */
export function rulesWithout(kept: Iterable<Rule>): ReadonlySet<Rule> {
  const left = new Set(kept);
  return new Set(RULE_NAMES.filter((rule) => !left.has(rule)));
}

/** Of longer texts the rest is compared as it is, in UTF-16 code units. */
const MAX_TEXT = 50_000;

/** Each looks at a text once, and needs no more than a few characters beside what it matches. */
const PATTERNS: readonly (readonly [Rule, RegExp])[] = [
  [
    'temporary',
    /(?:\/private)?(?:\/tmp|\/var\/folders\/[\w+]{1,8}|\/var\/tmp)\/[\w.@+-]{1,80}|[A-Za-z]:\\[^\s"'<>|]{1,80}\\Temp\\[\w.@+-]{1,80}/g,
  ],
  ['ids', /\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi],
  [
    'ids',
    /\b(?:toolu|call|msg|req|resp|chatcmpl|sess|thread|fc|rs)[_-](?=[A-Za-z]{0,40}\d)[A-Za-z\d]{8,64}\b/g,
  ],
  ['ids', /\b0[0-7][0-9A-HJKMNP-TV-Z]{24}\b/g],
  ['times', /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?/g],
  ['times', /\b\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\b/g],
  ['times', /\b\d{1,9}(?:\.\d{1,9})? ?(?:ms|µs|ns|s|secs?|seconds?|milliseconds?)\b/g],
  ['ports', /\b(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\]):\d{2,5}\b/g],
  [
    'hashes',
    /\b(?=[\da-f]{0,63}\d)(?=[\da-f]{0,63}[a-f])(?:[\da-f]{64}|[\da-f]{40}|[\da-f]{32}|[\da-f]{7,12})\b/g,
  ],
  ['processes', /\b(?:pid|PID|process)[ =:#]{1,3}\d{1,9}\b/g],
  ['folders', /(?:\/home|\/Users)\/[\w.-]{1,60}|[A-Za-z]:\\Users\\[\w.-]{1,60}/g],
];

/** In what a model writes only these are replaced: a number in an argument may be all that was changed. */
const WRITTEN: ReadonlySet<Rule> = new Set(['ids', 'temporary', 'folders']);

/** A folder that a text says work is done in. */
const WORKING =
  /(?:working directory|workdir|work_dir|working_dir|cwd)["'>\s:=is]{1,12}(\/[\w.@+/-]{2,200})/i;

/** Replaces what differs from run to run without meaning anything, by the rules that are on. */
export class Normaliser {
  readonly #rules: ReadonlySet<Rule>;
  readonly #counts = new Map<Rule, number>();
  #folder = '';

  constructor(rules: ReadonlySet<Rule>) {
    this.#rules = rules;
  }

  has(rule: Rule): boolean {
    return this.#rules.has(rule);
  }

  /** How often each rule replaced or left out something. */
  get counts(): Readonly<Partial<Record<Rule, number>>> {
    return Object.fromEntries(this.#counts);
  }

  count(rule: Rule): void {
    this.#counts.set(rule, (this.#counts.get(rule) ?? 0) + 1);
  }

  /** Looks in a text for the folder that is worked in, until one is known. */
  learn(text: string): void {
    if (this.#folder !== '' || !this.has('folders')) return;
    const found = WORKING.exec(text.slice(0, MAX_TEXT))?.[1]?.replace(/[/.]+$/, '') ?? '';
    if (found.length > 3) this.#folder = found;
  }

  /** A text with marks for what was replaced; the same mark for the same thing, within the text. */
  text(text: string, by: 'model' | 'tool'): string {
    const head = text.slice(0, MAX_TEXT);
    let normal = withoutColours(head)
      .replace(/\r\n?/g, '\n')
      .replace(/[ \t]+$/gm, '');
    if (this.#folder !== '' && normal.includes(this.#folder)) {
      normal = normal.replaceAll(this.#folder, '<folder>');
      this.count('folders');
    }
    for (const [rule, pattern] of PATTERNS) {
      if (!this.#rules.has(rule) || (by === 'model' && !WRITTEN.has(rule))) continue;
      const marks = new Map<string, string>();
      normal = normal.replace(pattern, (found) => {
        this.count(rule);
        const mark = marks.get(found) ?? `<${rule}:${marks.size + 1}>`;
        marks.set(found, mark);
        return mark;
      });
    }
    return normal.trimEnd() + text.slice(MAX_TEXT);
  }
}

/** Longer texts are told apart by a number of 106 bits and their length. */
const SHORT = 200;

/** A text that is equal for equal texts: the text itself, or its beginning with a number made of all of it. */
export function keyOfText(text: string): string {
  if (text.length <= SHORT) return text;
  return `${text.slice(0, 40)}…${text.length} ${hashOf(text, 0x9e3779b9)}${hashOf(text, 0x85ebca6b)}`;
}

/** Two lanes of 32 bits, each mixed with the other in the end: 53 bits. */
function hashOf(text: string, seed: number): string {
  let first = 0xdeadbeef ^ seed;
  let second = 0x41c6ce57 ^ seed;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 2_654_435_761);
    second = Math.imul(second ^ code, 1_597_334_677);
  }
  first =
    Math.imul(first ^ (first >>> 16), 2_246_822_507) ^ Math.imul(second ^ (second >>> 13), 3_266_489_909);
  second =
    Math.imul(second ^ (second >>> 16), 2_246_822_507) ^ Math.imul(first ^ (first >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & second) + (first >>> 0)).toString(36);
}
