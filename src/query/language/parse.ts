import { t } from '../../core/l10n.js';
import { appendAll } from '../../core/lists.js';
import { nearest } from '../../core/nearest.js';
import { readCount, readDuration } from './amounts.js';
import { meantValues, problemOfAnds, problemOfOrs, programProblem, type WrittenAnd } from './problemWords.js';
import { FIELDS, fieldNamed, KEYWORDS, type Field } from './fields.js';
import { Scanner } from './scanner.js';
import {
  SHARED,
  type All,
  type Inside,
  type Order,
  type OrderWord,
  type ParsedQuery,
  type Part,
  type Range,
  type Sequence,
  type Shared,
  type Term,
  type Value,
  type Within,
} from './syntax.js';
import {
  orWords,
  mayBePattern,
  notHere,
  quoted,
  readArgumentPath,
  readValue,
  shown,
  type RawValue,
} from './values.js';

/** The longest question, in UTF-16 code units. */
export const MAX_QUERY_LENGTH = 100_000;
/** How many values a question may hold, so that it answers within a second, and how deep its brackets may nest. */
export const MAX_QUERY_TERMS = 1_000;
export const MAX_QUERY_DEPTH = 100;

/** Where a path of Windows begins. */
const DRIVE = /[A-Za-z]:[\\/](?!\/)/y;

/** What stands in a sequence besides its parts, until it is clear what each is good for. */
type Item =
  | { readonly kind: 'part'; readonly part: Part; readonly isBareWord: boolean }
  | { readonly kind: 'order'; readonly order: Order['order']; readonly range: Range }
  | { readonly kind: 'same'; readonly same: Shared; readonly range: Range }
  | { readonly kind: 'within'; readonly within: Within; readonly range: Range };

/** Reads a question. Never throws, whatever the text is; what is wrong with it is told in `problems`. */
export function parseQuery(text: string): ParsedQuery {
  const range = { start: 0, end: text.length };
  if (text.length > MAX_QUERY_LENGTH) {
    const message = t`The question is longer than ${MAX_QUERY_LENGTH} characters: make it shorter.`;
    const place = { start: MAX_QUERY_LENGTH, end: text.length };
    return { text, query: { kind: 'all', of: [], range }, problems: [{ message, ...place }] };
  }
  const parser = new Parser(text);
  const query = parser.question();
  const problems = [...parser.problems].sort((a, b) => a.start - b.start);
  return { text, query, problems };
}

class Parser extends Scanner {
  #depth = 0;
  #terms = 0;
  /** The `OR` that stand outside of brackets. */
  readonly #bareOrs: Range[] = [];
  readonly #ands: WrittenAnd[] = [];
  /** Whether a limit was reached, so that the rest of the text is not read. */
  #isOver = false;

  question(): Sequence {
    const [first] = this.#alternatives(false);
    for (const problem of [problemOfOrs(this.text, this.#bareOrs), problemOfAnds(this.text, this.#ands)])
      if (problem) this.add(problem);
    return first ?? { kind: 'all', of: [], range: { start: 0, end: this.text.length } };
  }

  /** What stands between here and the closing bracket or the end, split at each `OR`. */
  #alternatives(isInBrackets: boolean): Sequence[] {
    const alternatives: Sequence[] = [];
    let items: Item[] = [];
    let start = this.at;
    const close = (or?: Range) => {
      const end = or?.start ?? this.at;
      if (or && items.length === 0) this.problem(or, t`\`OR\` needs something on both sides: (a OR b).`);
      alternatives.push(this.#sequence(items, { start, end }));
      items = [];
      start = this.at;
    };
    let last: Range | undefined;
    for (;;) {
      this.skipBlanks();
      if (this.isAtEnd || this.#isOver) break;
      if (this.next === ')') {
        if (isInBrackets) break;
        this.problem({ start: this.at, end: this.at + 1 }, t`No bracket is open here: leave this one out.`);
        this.at++;
        continue;
      }
      const or = this.#or();
      if (or && !isInBrackets) {
        this.#bareOrs.push(or);
        continue;
      }
      if (or) {
        close(or);
        last = or;
        continue;
      }
      const item = this.#item();
      if (item) items.push(item);
      last = undefined;
    }
    if (last) this.problem(last, t`\`OR\` needs something on both sides: (a OR b).`);
    close();
    return alternatives;
  }

  #or(): Range | undefined {
    const start = this.at;
    return this.match(/OR(?=[\s()]|$)/y) && this.#from(start);
  }

  #item(): Item | undefined {
    const start = this.at;
    const order = this.match(/(after|before)(?=[\s()]|$)/y)?.[1] as Order['order'] | undefined;
    if (order) return { kind: 'order', order, range: { start, end: this.at } };
    if (this.match(/AND(?=[\s()]|$)/y)) {
      const range = this.#from(start);
      this.skipBlanks();
      this.#ands.push({ word: range, cut: this.#from(start) });
      return undefined;
    }
    if (this.match(/NOT(?=[\s()]|$)/y)) {
      const message = t`Write \`-\` directly before what must not hold. To look for the word, write "NOT".`;
      this.problem(this.#from(start), message, '"NOT"');
      return undefined;
    }
    if (this.next !== '-') return this.#operand();
    this.at++;
    if (this.isAtBoundary || this.text.charAt(this.at) === '-') {
      this.match(/[^\s()"]+/y);
      const whole = this.text.slice(start, this.at);
      const message = t`\`-\` stands directly before what must not hold: -tool:Bash. To look for the text, put it into quotes.`;
      this.problem({ start, end: this.at }, message, quoted(whole));
      return undefined;
    }
    const item = this.#operand();
    if (!item) return undefined;
    const range = { start, end: this.at };
    if (item.kind !== 'part' || item.part.kind === 'not') {
      this.problem(range, t`\`same:\` and \`within:\` cannot be negated.`);
      return undefined;
    }
    return { kind: 'part', part: { kind: 'not', of: item.part, range }, isBareWord: false };
  }

  /** Anything that may be negated. */
  #operand(): Item | undefined {
    const start = this.at;
    if (this.next === '(') {
      const of = this.#brackets(start);
      return of && { kind: 'part', part: { kind: 'group', of, range: this.#from(start) }, isBareWord: false };
    }
    const isNoKey = this.next === '"' || this.next === '/' || this.#isAt(DRIVE);
    const key = isNoKey ? undefined : this.match(/([\p{L}][\p{L}\p{N}_.-]*):/uy);
    if (key) return this.#keyed(key[1] ?? '', start);
    const args = this.match(/args((?:\.(?:[^\s().:"]+|"(?:[^"\\]|\\.)*"))+):/iy);
    if (args) return this.#argument(args[1] ?? '', start);
    const field = fieldNamed('text');
    const isBareWord = this.next !== '"' && this.next !== '/';
    const raw = this.value(true);
    if (!raw || !field) return undefined;
    if (raw.form === 'word' && this.#isNoWord(raw)) return undefined;
    // `>5` as a bare word is a text like any other.
    const asText =
      raw.form === 'word' ? { ...raw, operator: '' as const, text: raw.operator + raw.text } : raw;
    const value = readValue(field, asText);
    if (typeof value === 'string') {
      this.problem(raw, value, quoted(this.text.slice(raw.start, raw.end)));
      return undefined;
    }
    return { kind: 'part', part: this.#term(field, [], [value], start), isBareWord };
  }

  /** Tells of what other languages have between words, and of a colon without a field. */
  #isNoWord({ text, start, end }: RawValue): boolean {
    const denied = /^!([\p{L}][\p{L}\p{N}_.-]*):/u.exec(text)?.[1];
    if (denied !== undefined && fieldNamed(denied)) {
      this.problem({ start, end }, notHere(text.slice(1)), `-${text.slice(1)}`);
      return true;
    }
    const isSign = /^(?:\|{1,2}|&{1,2})$/.test(text);
    if (!isSign && !/^(?::|args[[.]).+/i.test(text)) return false;
    const message = isSign
      ? t`For one or the other, write (a OR b); what stands side by side must all hold. To look for the text, put it into quotes.`
      : t`No field stands before the colon. To look for the text, put it into quotes.`;
    this.problem({ start, end }, message, quoted(text));
    return true;
  }

  #isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    return pattern.test(this.text);
  }

  #from(start: number): Range {
    return { start, end: this.at };
  }

  /** The alternatives between brackets; the opening one is next. */
  #brackets(start: number): Sequence[] | undefined {
    const open = this.at++;
    if (this.#depth >= MAX_QUERY_DEPTH) {
      this.problem(
        { start: open, end: open + 1 },
        t`More than ${MAX_QUERY_DEPTH} brackets stand within each other: ask in a simpler way.`,
      );
      this.#isOver = true;
      return undefined;
    }
    this.#depth++;
    const of = this.#alternatives(true);
    this.#depth--;
    if (this.#isOver) return of;
    if (this.next !== ')') {
      this.problem(
        { start: open, end: this.at },
        t`The bracket is not closed: put a ) behind what belongs to it.`,
      );
      return of;
    }
    this.at++;
    const isEmpty = of.every((each) => each.kind === 'all' && each.of.length === 0);
    if (isEmpty && of.length === 1 && this.text.slice(open + 1, this.at - 1).trim() === '')
      this.problem({ start: open, end: this.at }, t`Nothing stands between the brackets.`);
    this.expectBoundary(start);
    return of;
  }

  #keyed(written: string, start: number): Item | undefined {
    const name = written.toLowerCase();
    if (this.next === '(' && (name === 'in' || name === 'under' || name === 'with')) {
      const of = this.#brackets(start);
      const part: Inside | undefined = of && { kind: 'inside', where: name, of, range: this.#from(start) };
      return part && { kind: 'part', part, isBareWord: false };
    }
    if (name === 'in' || name === 'under' || name === 'with') {
      this.value(false);
      const example = KEYWORDS.find((each) => each.name === name)?.example ?? '';
      this.problem(this.#from(start), t`${name}: takes brackets, such as ${example}.`);
      return undefined;
    }
    if (name === 'same') return this.#same(start);
    if (name === 'within') return this.#within(start);
    const [first = '', ...path] = written.split('.');
    if (first.toLowerCase() === 'args' && path.length > 0 && !path.includes('')) {
      const field = fieldNamed('args');
      return field && this.#values(field, path, start);
    }
    const field = fieldNamed(name);
    if (field) return this.#values(field, [], start);
    if (this.match(/\(/y)) this.#skipBrackets();
    else this.value(true);
    const whole = this.text.slice(start, this.at);
    const near = nearest(
      name,
      [...FIELDS, ...KEYWORDS].map((each) => each.name),
    );
    const meant = near.length > 0 ? t` Did you mean ${orWords(near.map((each) => `${each}:`))}?` : '';
    const place = { start, end: start + written.length + 1 };
    this.problem(
      place,
      t`There is no field '${shown(written)}'.${meant} To look for the text, write ${shown(quoted(whole))}.`,
      near[0] && `${near[0]}:`,
    );
    return undefined;
  }

  /** Goes on behind a group whose field does not exist. */
  #skipBrackets(): void {
    let depth = 1;
    while (depth > 0 && this.match(/"(?:[^"\\]|\\.)*"?|[^()"]+|[()]/sy)) {
      const read = this.text.charAt(this.at - 1);
      if (read === '(') depth++;
      else if (read === ')') depth--;
    }
  }

  #argument(written: string, start: number): Item | undefined {
    const field = fieldNamed('args');
    const path = readArgumentPath(written);
    if (typeof path === 'string') {
      const meant = written.slice(1).replace(/\[(\d+)\](?=[.[]|$)/g, '.$1');
      const fix = typeof readArgumentPath(`.${meant}`) === 'string' ? undefined : meant;
      this.problem({ start: start + 'args.'.length, end: this.at - 1 }, path, fix);
      if (this.match(/\(/y)) this.#skipBrackets();
      else this.value(true);
      return undefined;
    }
    return field && this.#values(field, path, start);
  }

  #values(field: Field, path: readonly string[], start: number): Item | undefined {
    if (this.isAtBoundary) {
      this.problem(
        this.#from(start),
        t`${field.name}: needs a value directly behind the colon, such as ${field.example}.`,
      );
      return undefined;
    }
    const values = this.next === '(' ? this.#list(field, start) : this.#single(field, start);
    if (values.length === 0) return undefined;
    const compared = values.find(({ kind }) => kind === 'compare' || kind === 'range');
    if (compared && field.type === 'argument' && path.length === 0)
      this.problem(compared.range, t`A comparison is of one argument: name it, as in args.limit:>5.`);
    return { kind: 'part', part: this.#term(field, path, values, start), isBareWord: false };
  }

  /** `start`: where the term begins, where this is its only value. */
  #single(field: Field, start?: number): Value[] {
    const raw = this.value(mayBePattern(field.type));
    if (!raw) return [];
    if (this.#isCutOff(field, raw)) return [];
    if (raw.form === 'word' && raw.operator === '' && raw.text.startsWith(':')) {
      const meant = raw.text.replace(/^:+/, '');
      const message = t`One colon stands behind ${field.name}. To look for the text, put it into quotes.`;
      this.problem(raw, message, meant === '' ? undefined : meant);
      return [];
    }
    const wrong = field.type === 'program' ? programProblem(raw) : undefined;
    if (wrong) {
      const { message, term, value } = wrong;
      const isWhole = term !== undefined && start !== undefined;
      const fixedRange = isWhole && { fixedRange: { start, end: raw.end } };
      const fix = isWhole ? term : value;
      this.add({ start: raw.start, end: raw.end, message, ...(fix !== undefined && { fix }), ...fixedRange });
      return [];
    }
    const value = readValue(field, raw);
    if (typeof value !== 'string') return [value];
    const known = meantValues(field, raw.text);
    const meant = known.length > 0 ? t` Did you mean ${orWords(known)}?` : '';
    const fix = raw.form === 'pattern' ? quoted(this.text.slice(raw.start, raw.end)) : undefined;
    this.problem(raw, value + meant, meant === '' ? fix : known[0]);
    return [];
  }

  /** Tells of a comparison that a blank cuts off from what it compares with. */
  #isCutOff({ name }: Field, { form, text, operator, start }: RawValue): boolean {
    if (form !== 'word' || text !== '' || operator === '') return false;
    const behind = this.match(/\s+([^\s()]+)/y)?.[1];
    if (behind === undefined) return false;
    const whole = operator + behind;
    const message = t`No blank may stand behind '${operator}': ${name}:${shown(whole)}.`;
    this.problem(this.#from(start), message, whole);
    return true;
  }

  /** The values of `key:(a OR b)`. */
  #list(field: Field, start: number): Value[] {
    const open = this.at++;
    const values: Value[] = [];
    let isDue = true;
    for (;;) {
      this.skipBlanks();
      if (this.isAtEnd || this.next === ')' || this.#isOver) break;
      const before = this.at;
      const isOr = this.match(/OR(?=[\s()]|$)/y) !== undefined;
      if (isOr && !isDue) isDue = true;
      else if (isOr) this.problem(this.#from(before), t`\`OR\` needs a value on both sides.`);
      else if (this.next === '(' || this.next === '-') {
        this.at++;
        this.problem(
          this.#from(before),
          t`Between the brackets of ${field.name}: stand values alone, with \`OR\` between them.`,
        );
      } else {
        if (!isDue)
          this.problem({ start: before, end: before }, t`Put \`OR\` between the values of ${field.name}:.`);
        appendAll(values, this.#single(field));
        this.#count(before);
        isDue = false;
      }
    }
    if (this.#isOver) return values;
    if (this.next !== ')')
      this.problem(
        { start: open, end: this.at },
        t`The bracket is not closed: put a ) behind the last value.`,
      );
    else {
      this.at++;
      if (isDue)
        this.problem(
          { start: open, end: this.at },
          values.length > 0
            ? t`\`OR\` needs a value on both sides.`
            : t`No value stands between the brackets.`,
        );
      this.expectBoundary(start);
    }
    return values;
  }

  #term(field: Field, path: readonly string[], values: readonly Value[], start: number): Term {
    // Those of a list were counted one by one.
    if (values.length === 1) this.#count(start);
    else this.#notMixed(field, values, start);
    return { kind: 'term', field: field.name, path, values, range: this.#from(start) };
  }

  /** What is asked of the session stands by itself: in a list with others, it would be asked of a message. */
  #notMixed({ name }: Field, values: readonly Value[], start: number): void {
    if (name !== 'is' || !values.some(isLive) || values.every(isLive)) return;
    const each = values.map((value) => `is:${this.text.slice(value.range.start, value.range.end)}`);
    this.problem(
      this.#from(start),
      t`\`live\` is asked of the whole session, the others of a message or call: ask for each by itself.`,
      `(${each.join(' OR ')})`,
    );
  }

  #count(start: number): void {
    if (++this.#terms <= MAX_QUERY_TERMS || this.#isOver) return;
    this.problem(
      this.#from(start),
      t`The question has more than ${MAX_QUERY_TERMS} terms: ask in several steps.`,
    );
    this.#isOver = true;
  }

  #same(start: number): Item | undefined {
    const both = t`write same:agent same:path for both; for one or the other, ask with each, (… OR …)`;
    if (this.#refuseBrackets(start, both)) return undefined;
    const raw = this.value(false);
    const text = raw?.text.toLowerCase() ?? '';
    const same = raw?.operator === '' && SHARED.find((each) => each === text);
    if (same) return { kind: 'same', same, range: this.#from(start) };
    const written = this.text.slice(raw?.start ?? start, this.at);
    this.problem(this.#from(start), t`same: takes ${SHARED.join(', ')}; not '${shown(written)}'.`);
    return undefined;
  }

  /** Refuses brackets behind `same:` and `within:`, with all that stands in them. */
  #refuseBrackets(start: number, hint: string): boolean {
    const keyword = this.text.slice(start, this.at);
    if (!this.match(/\(/y)) return false;
    this.#skipBrackets();
    this.problem(this.#from(start), t`${keyword} takes no brackets: ${hint}.`);
    return true;
  }

  #within(start: number): Item | undefined {
    if (
      this.#refuseBrackets(start, t`write a number of rows, such as within:5, or a time, such as within:10m`)
    )
      return undefined;
    const raw = this.value(false);
    const text = raw?.operator === '' ? raw.text : '';
    const rows = /^\d+$/.test(text) ? readCount(text) : undefined;
    const ms = readDuration(text);
    const range = this.#from(start);
    const written = this.text.slice(raw?.start ?? start, this.at);
    const sign = raw && raw.operator !== '' ? t` It always means at most: leave '${raw.operator}' out.` : '';
    if (rows !== undefined) return { kind: 'within', within: { unit: 'rows', most: rows }, range };
    if (ms !== undefined) return { kind: 'within', within: { unit: 'ms', most: ms }, range };
    this.problem(
      range,
      t`within: takes a number of rows, such as within:5, or a time, such as within:10m; not '${shown(written)}'.${sign}`,
    );
    return undefined;
  }

  /** Makes a sequence of what stood in it: an order, where a word for one has its sides, else parts side by side. */
  #sequence(items: readonly Item[], range: Range): Sequence {
    const orders = items.flatMap((item, at) => (item.kind === 'order' ? [{ ...item, at }] : []));
    const isProse = items.every((item) => item.kind === 'order' || (item.kind === 'part' && item.isBareWord));
    const [first, second] = orders;
    if (!first || isProse) return this.#sideBySide(items, range);
    if (second) {
      const message = t`Only one 'after' or 'before' may stand between two brackets: put one side into brackets, A ${second.order} (B ${second.order} C). To look for the word, put it into quotes.`;
      this.problem(second.range, message, `"${second.order}"`);
    }
    const { order, at, range: place } = first;
    const [before, behind] = [items.slice(0, at), items.slice(at + 1)];
    const [left, right] = [before, behind].map((side) => this.#side(side, range)) as [All, All];
    if (left.of.length === 0 || right.of.length === 0) {
      const message = t`'${order}' needs something to find on both sides: A ${order} B. To look for the word, put it into quotes.`;
      this.problem(place, message, `"${order}"`);
    }
    const same = new Set(items.flatMap((item) => (item.kind === 'same' ? [item.same] : [])));
    const withins = items.flatMap((item) => (item.kind === 'within' ? [item] : []));
    for (const { range: again } of withins.slice(1))
      this.problem(again, t`Only one \`within:\` may stand beside an order.`);
    // In the order of the list, so that the same question is written in one way.
    const shared = SHARED.filter((each) => same.has(each));
    const words = items.flatMap((item): OrderWord[] =>
      item.kind === 'part'
        ? []
        : [{ word: item.kind === 'order' ? item.order : item.kind, range: item.range }],
    );
    return { kind: 'order', order, left, right, same: shared, within: withins[0]?.within, words, range };
  }

  /** What stands on one side of an order. */
  #side(items: readonly Item[], otherwise: Range): All {
    const of = items.flatMap((item) => (item.kind === 'part' ? [item.part] : []));
    const range = {
      start: of[0]?.range.start ?? otherwise.start,
      end: of.at(-1)?.range.end ?? otherwise.end,
    };
    return { kind: 'all', of, range };
  }

  #sideBySide(items: readonly Item[], range: Range): All {
    const of = items.flatMap((item): Part[] => {
      if (item.kind === 'part') return [item.part];
      // Among nothing but words it is one of them: look after the cookies.
      if (item.kind === 'order') return [textTerm(item.order, item.range)];
      this.problem(
        item.range,
        t`\`${item.kind}:\` narrows an order: A after B ${this.text.slice(item.range.start, item.range.end)}.`,
      );
      return [];
    });
    return { kind: 'all', of, range };
  }
}

function isLive(value: Value): boolean {
  return value.kind === 'text' && value.text === 'live';
}

/** A word as the term that asks for it. */
function textTerm(text: string, range: Range): Term {
  return {
    kind: 'term',
    field: 'text',
    path: [],
    values: [{ kind: 'text', text, exact: false, range }],
    range,
  };
}
