import { Redactor, type SecretMatch } from '../secrets/redact.js';
import { hasSequences } from '../secrets/colouredText.js';
import { redacted } from '../secrets/redacted.js';
import type { SecretRow } from '../secrets/secretRow.js';
import type { Finding, FindingLocation } from './finding.js';
import { isDistinct, KnownValues } from '../secrets/knownValues.js';
import { ResultCheck } from './resultCheck.js';
import { decisionIn, DEFAULT_RULES, type Decision, type SharingRules } from './sharingPolicy.js';
import { isObject } from '../../core/message.js';

/** A text as it goes out. */
interface SharedText {
  readonly text: string;
  /** How much was left out. */
  readonly redacted: number;
}

/**
 * A single text, such as one that is copied, as it goes out: nobody is asked, and what it replaces has no number, because nothing
 * else of the conversation was looked through. Throws a NotCleanError where something would stand in it that is to be left out.
 */
export function sharedText(text: string, rules?: SharingRules): SharedText {
  const gate = new SharingGate(rules, { isNumbered: false });
  gate.look(text, 0);
  // Arguments of calls stand there as JSON, in which the lines of a file are none.
  if (text.includes('\\')) gate.look(withoutEscapes(text), 0);
  const redactor = gate.redactor();
  const clean = redactor.text(text);
  const check = gate.check();
  check.given(() => clean);
  check.next(clean);
  return { text: clean, redacted: redactor.count };
}

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** A text as somebody reads it who takes all of it for strings of JSON. */
function withoutEscapes(text: string): string {
  return text.replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, code: string | undefined, other: string) =>
    code === undefined ? (ESCAPED[other] ?? other) : String.fromCharCode(parseInt(code, 16)),
  );
}

/** Above this number a record is not remembered, only looked through again. */
const MAX_SEQ = 1 << 25;
/** What a record is marked with in which something was found, or which another one has the number of. */
const DIRTY = 1;

/**
 * Which records were looked through and hold nothing: these need no second search. A record counts as the same by its number
 * and a hash of its id; four bytes each.
 */
class CleanRecords {
  /** By number: 0 for not seen, DIRTY, or the hash of the id of a clean one. */
  #marks = new Uint32Array(1_024);

  /** Notes whether a record that was looked through holds something. */
  mark(item: unknown, isClean: boolean): void {
    const at = seqOf(item);
    if (at === undefined) return;
    if (at >= this.#marks.length) {
      const grown = new Uint32Array(Math.max(at + 1, 2 * this.#marks.length));
      grown.set(this.#marks);
      this.#marks = grown;
    }
    const own = isClean ? hashOf(item) : DIRTY;
    this.#marks[at] = this.#marks[at] === 0 || this.#marks[at] === own ? own : DIRTY;
  }

  /** Whether this record was looked through and holds nothing. */
  has(item: unknown): boolean {
    const at = seqOf(item);
    const mark = at === undefined ? 0 : (this.#marks[at] ?? 0);
    return mark > DIRTY && mark === hashOf(item);
  }
}

function seqOf(item: unknown): number | undefined {
  if (!isObject(item) || typeof item.id !== 'string' || item.id === '') return undefined;
  const { seq } = item;
  return typeof seq === 'number' && Number.isInteger(seq) && seq >= 0 && seq < MAX_SEQ ? seq : undefined;
}

/** A hash that is neither 0 nor DIRTY. */
function hashOf(item: unknown): number {
  const { id, time } = item as { readonly id: string; readonly time?: unknown };
  let hash = 0x811c9dc5 ^ (typeof time === 'number' ? time : 0);
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193);
  return (hash | 2) >>> 0;
}

/** How many places of one value are told, and how much of a line around it, in UTF-16 code units. */
const PLACES = 5;
const CONTEXT = 60;

/** What is remembered of a value. */
interface SeenValue {
  readonly kind: string;
  readonly name: string;
  readonly value: string;
  readonly placeholder: string;
  readonly places: FindingLocation[];
  count: number;
  /** Whether it was found only by what the person has named. */
  isOwn: boolean;
}

/**
 * What everything passes that leaves the product: it looks through a whole conversation first, so that the same value has
 * the same placeholder in every export of it and is found where only its name gives it away elsewhere; then it replaces what
 * nobody has decided to leave in; then it checks what was made of it.
 */
export class SharingGate {
  readonly #rows: readonly SecretRow[];
  readonly #rules: SharingRules;
  readonly #decided = new Map<string, Decision>();
  readonly #found = new Map<string, SeenValue>();
  readonly #numbers = new Map<string, number>();
  readonly #known = new KnownValues();
  /** Those of `#known` that are secrets, and those that the person has named. */
  readonly #secrets = new KnownValues();
  readonly #own = new KnownValues();
  readonly #clean = new CleanRecords();
  readonly #looking: Redactor;
  readonly #isNumbered: boolean;
  #at = { position: 0, seq: 0 };

  /**
   * `isNumbered`: whether the whole conversation is looked through from its beginning, so that each value has its number in it; on
   * by default.
   */
  constructor(rules: SharingRules = DEFAULT_RULES, { isNumbered = true } = {}) {
    this.#isNumbered = isNumbered;
    this.#rows = rules.rows;
    this.#rules = rules;
    this.#looking = new Redactor({ rows: this.#rows, judge: (found) => this.#note(found) });
  }

  /** Looks through the next record or message of the conversation. `position`: where it stands, for what has no number. */
  look(item: unknown, position: number): void {
    const seq = (item as { readonly seq?: unknown } | null)?.seq;
    this.#at = { position, seq: typeof seq === 'number' ? seq : position };
    const before = this.#looking.count;
    this.#looking.value(item);
    this.#clean.mark(item, this.#looking.count === before);
  }

  /**
   * Looks through what the whole conversation is called, once it was looked through: a title is often the beginning of a message, whose
   * findings are known already.
   */
  lookAtNames(names: Readonly<Record<string, string>>): void {
    this.#at = { position: 0, seq: 0 };
    const judge = (found: SecretMatch) => this.#found.get(keyOf(found))?.placeholder ?? this.#note(found);
    new Redactor({ rows: this.#rows, judge }).value(names);
  }

  /** What was found, kind by kind, each in the order in which it was said. */
  get findings(): readonly Finding[] {
    return [...this.#found.values()].map((known) => {
      const decision = this.#decisionOn(known);
      const { kind, name, value, placeholder, count, places: locations } = known;
      const about = { kind, name, value, placeholder, count, places: locations };
      return { ...about, isLeftIn: decision === 'leaveIn', isDecided: decision !== undefined };
    });
  }

  /** Takes what a person has decided about single values; the rest is left out. */
  decide(decisions: Iterable<readonly [value: string, decision: Decision]>): void {
    for (const [value, decision] of decisions) this.#decided.set(value, decision);
  }

  /** What replaces secrets, as was decided. */
  redactor(): Redactor {
    for (const known of this.#found.values()) {
      if (!isDistinct(known.value) || this.#decisionOn(known) === 'leaveIn') continue;
      this.#known.add(known.value);
      (known.isOwn ? this.#own : this.#secrets).add(known.value);
    }
    return new Redactor({
      rows: this.#rows,
      known: this.#known,
      judge: (found) => this.#judge(found),
      wasClean: (record) => this.#clean.has(record),
    });
  }

  /**
   * Whether a record needs nothing but the look at its JSON: it was looked through and held nothing, and what is known by its
   * value is found there wherever it stands. Where that look finds something, it goes through `redactor` as all others do.
   */
  isDone(record: unknown, json: string): boolean {
    return this.#clean.has(record) && this.#known.arePlain && !hasSequences(json);
  }

  /** What looks once more at what records give, and at the text that is written. */
  check(): ResultCheck {
    return new ResultCheck({
      known: this.#secrets,
      own: { rows: this.#rows, known: this.#own },
      isLeftIn: (found) => this.#judge(found) === undefined,
    });
  }

  #judge(found: SecretMatch): string | undefined {
    const known = this.#found.get(keyOf(found)) ?? this.#add(found);
    return this.#decisionOn({ ...known, kind: found.kind === 'known' ? known.kind : found.kind }) ===
      'leaveIn'
      ? undefined
      : known.placeholder;
  }

  #decisionOn({ kind, value }: { readonly kind: string; readonly value: string }): Decision | undefined {
    return this.#decided.get(value) ?? decisionIn(this.#rules, kind, value);
  }

  #note(found: SecretMatch): string {
    const known = this.#found.get(keyOf(found)) ?? this.#add(found);
    known.count++;
    known.isOwn &&= found.isOwn;
    if (known.places.length < PLACES) known.places.push({ ...this.#at, ...contextOf(found) });
    return known.placeholder;
  }

  #add(found: SecretMatch): SeenValue {
    const { kind, name, value, isOwn } = found;
    const number = (this.#numbers.get(kind) ?? 0) + 1;
    this.#numbers.set(kind, number);
    const placeholder = redacted(kind, this.#isNumbered ? number : undefined);
    const known = { kind, name, value, placeholder, isOwn, places: [], count: 0 };
    this.#found.set(keyOf(found), known);
    return known;
  }
}

/**
 * What replaces secrets where no whole conversation was looked through: an answer, a line, a part. What it replaces has no
 * number.
 */
export function redactorFor(rules: SharingRules): Redactor {
  return new Redactor({
    rows: rules.rows,
    judge: ({ kind, value }) => (decisionIn(rules, kind, value) === 'leaveIn' ? undefined : redacted(kind)),
  });
}

/** What makes two values the same: names are in either case. */
const keyOf = ({ kind, value }: SecretMatch): string => (kind === 'name' ? value.toLowerCase() : value);

function contextOf({ text, start, value, path }: SecretMatch): Omit<FindingLocation, 'position' | 'seq'> {
  const end = start + value.length;
  // Cut out first: a text of one line may be long, and hold very many.
  const before = text.slice(Math.max(0, start - CONTEXT), start);
  const after = text.slice(end, end + CONTEXT);
  const lineEnd = after.indexOf('\n');
  return {
    field: path.join('.'),
    before: before.slice(before.lastIndexOf('\n') + 1),
    after: lineEnd < 0 ? after : after.slice(0, lineEnd),
  };
}
