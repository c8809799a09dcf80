import { isKnownCost, knownAmount, type Cost } from '../../core/cost.js';
import { requiredTexts } from '../requiredTexts.js';
import { allTextTest } from '../textTest.js';
import {
  isNumber,
  momentOf,
  readCount,
  readDate,
  readDuration,
  readMoney,
  readNumber,
  type QueryClock,
} from './amounts.js';
import { fieldOf } from './fields.js';
import { gramsOfLiteral } from './grams.js';
import { globTest, wildcardTest } from './globs.js';
import type { Decision, RecordFacts, SessionInfo, SpanFacts, UnitFacts } from './sessionFacts.js';
import type { Comparison, Range, Term, Value } from './syntax.js';
import { compilePattern } from './values.js';

/** Where a term finds the texts of a unit. They are read only for units whose facts leave the question open. */
export interface UnitTexts {
  /** All that is shown of it, see `allTextOf`. */
  all(): string;
  /** See `contentTextOf`; undefined where there is none. */
  content(): string | undefined;
  /** The arguments of each tool call that it is or concerns, as they were given. */
  inputs(): readonly unknown[];
  /** The values at a path in these arguments: texts, numbers, and truth values as texts. */
  argument(path: readonly string[]): readonly (string | number)[];
  /** The files that these arguments name. */
  files(): readonly string[];
  /** The programs that these arguments run. */
  programs(): ReadonlySet<string>;
}

/** A term made ready, by what it looks at. */
export type CompiledTerm =
  | {
      readonly on: 'facts';
      readonly test: (
        unit: UnitFacts,
        decisions: () => readonly string[],
        notes: () => readonly string[],
      ) => boolean;
      /** Whether it holds for nothing in a session without notes. */
      readonly needsNotes?: boolean;
      /** Of what units of one shape may differ in: ids, times and notes, see `UnitShapes`. */
      readonly isOfUnit?: boolean;
      /** Whether it may hold for something that began from one time on and up to another, that one included. */
      readonly mayHold?: (from: number, to: number) => boolean;
    }
  | {
      readonly on: 'texts';
      readonly test: (texts: UnitTexts) => boolean;
      /** For each way in which it may hold the grams that every text has for which it does, see `gramsOfLiteral`. */
      readonly grams: readonly (readonly number[])[];
    }
  /** `arguments`: of texts, only arguments are looked at. */
  | { readonly on: 'arguments'; readonly test: (texts: UnitTexts) => boolean }
  | { readonly on: 'session'; readonly test: (info: SessionInfo & { readonly title: string }) => boolean }
  /** A number of the row itself. */
  | { readonly on: 'measure'; readonly test: (row: Measured) => boolean };

type FactsTest = Extract<CompiledTerm, { on: 'facts' }>['test'];

/** What has numbers of its own. */
export type Measured = Pick<SpanFacts | RecordFacts, 'durationMs' | 'beganAt'> &
  Partial<Pick<SpanFacts, 'tokens' | 'cost' | 'totalCost'>>;

/** The pattern that is being looked for, so that whoever stops it can say which it was. */
export interface PatternWatch {
  current: Range | undefined;
}

/** Makes a term of a question without problems ready. */
export function compileTerm(term: Term, clock: QueryClock, watch: PatternWatch): CompiledTerm {
  const { field, values, path } = term;
  const name = (): ((text: string | undefined) => boolean) => {
    const tests = values.map((value) => nameTest(value, watch));
    return (text) => text !== undefined && tests.some((test) => test(text));
  };
  const text = (wholeWord = false): ((text: string | undefined) => boolean) => {
    const tests = values.map((value) => textTestOf(value, wholeWord, watch));
    return (searched) => searched !== undefined && tests.some((test) => test(searched));
  };
  switch (field) {
    case 'text':
    case 'word': {
      const test = text(field === 'word');
      return { on: 'texts', test: (texts) => test(texts.all()), grams: values.flatMap(gramsOf) };
    }
    case 'content':
    case 'content.word': {
      const test = text(field === 'content.word');
      return { on: 'texts', test: (texts) => test(texts.content()), grams: values.flatMap(gramsOf) };
    }
    case 'note': {
      const test = text();
      const isNoted: FactsTest = (_unit, _decisions, notes) => notes().some(test);
      return { on: 'facts', isOfUnit: true, needsNotes: true, test: isNoted };
    }
    case 'title': {
      const test = text();
      return { on: 'session', test: ({ title }) => test(title) };
    }
    case 'session': {
      const test = name();
      return {
        on: 'session',
        test: ({ session, toolSession }) => test(session) || (toolSession !== undefined && test(toolSession)),
      };
    }
    case 'source':
    case 'project': {
      const test = name();
      return { on: 'session', test: (info) => test(info[field]) };
    }
    case 'args':
      return { on: 'arguments', test: argumentTest(values, path, watch) };
    case 'file': {
      const tests = values.map((value) =>
        value.kind === 'text'
          ? value.exact
            ? equals(value.text)
            : watched(value.range, globTest(value.text), watch)
          : never,
      );
      return {
        on: 'arguments',
        test: (texts) => texts.files().some((each) => tests.some((test) => test(each))),
      };
    }
    case 'command': {
      const test = programTest(values);
      return { on: 'arguments', test: (texts) => [...texts.programs()].some(test) };
    }
    default:
      return factTerm(term, clock, name);
  }
}

/** Whether a program is one that is asked for, whatever folder it is in. */
function programTest(values: readonly Value[]): (program: string) => boolean {
  const tests = values.map((value) => {
    if (value.kind !== 'text') return never;
    const name = value.text.slice(value.text.lastIndexOf('/') + 1);
    return value.exact ? equals(name) : wildcardTest(name, false);
  });
  return (program) => tests.some((test) => test(program));
}

const never = () => false;
const equals = (wanted: string) => {
  const composed = wanted.normalize('NFC');
  return (text: string) => text.normalize('NFC') === composed;
};

function factTerm(
  term: Term,
  clock: QueryClock,
  name: () => (text: string | undefined) => boolean,
): CompiledTerm {
  const { field, values } = term;
  switch (field) {
    case 'agent':
    case 'model': {
      const test = name();
      return { on: 'facts', test: (unit) => test(unit[field]) };
    }
    case 'role': {
      const test = name();
      return { on: 'facts', test: (unit) => unit.kind === 'record' && test(unit.role) };
    }
    case 'tool': {
      const test = name();
      return { on: 'facts', test: ({ tools }) => tools.some(test) };
    }
    case 'run':
    case 'call': {
      const test = name();
      return {
        on: 'facts',
        isOfUnit: true,
        test: (unit) => test(field === 'run' ? unit.runId : unit.callId),
      };
    }
    case 'is':
    case 'has':
      return choiceTerm(field, values);
    case 'approval': {
      const wanted = new Set(values.flatMap((value) => (value.kind === 'text' ? [value.text] : [])));
      return { on: 'facts', test: (_unit, decisions) => decisions().some((each) => wanted.has(each)) };
    }
    case 'since':
    case 'before': {
      const isIn = timeTest(term, clock);
      return {
        on: 'facts',
        isOfUnit: true,
        test: ({ beganAt }) => beganAt !== undefined && isIn(beganAt),
        mayHold: (from, to) => isIn(field === 'since' ? to : from),
      };
    }
    case 'began.since':
    case 'began.before': {
      const isIn = timeTest(term, clock);
      return { on: 'measure', test: ({ beganAt }) => beganAt !== undefined && isIn(beganAt) };
    }
    default:
      return measureTerm(term);
  }
}

/** Whether a moment is one that a term of dates asks for. */
function timeTest({ field, values }: Term, clock: QueryClock): (time: number) => boolean {
  const moments = values.flatMap((value) => {
    const date = value.kind === 'text' ? readDate(value.text) : undefined;
    return date ? [momentOf(date, clock)] : [];
  });
  const isSince = field.endsWith('since');
  return (time) => moments.some((moment) => (isSince ? time >= moment : time < moment));
}

function measureTerm(term: Term): CompiledTerm {
  const { field, values } = term;
  switch (field) {
    case 'context': {
      const test = amountTest(values, readCount);
      return {
        on: 'facts',
        isOfUnit: true,
        test: (unit) => unit.kind === 'record' && !unit.isOfSeveral && test(unit.tokens?.input),
      };
    }
    case 'depth': {
      const test = amountTest(values, readCount);
      return { on: 'facts', test: ({ depth }) => test(depth) };
    }
    case 'duration': {
      const test = amountTest(values, readDuration);
      return { on: 'measure', test: ({ durationMs }) => test(durationMs) };
    }
    case 'tokens':
    case 'tokens.in':
    case 'tokens.out': {
      const test = amountTest(values, readCount);
      const part = { tokens: 'both', 'tokens.in': 'input', 'tokens.out': 'output' } as const;
      const of = part[field];
      return {
        on: 'measure',
        test: ({ tokens }) =>
          tokens !== undefined && test(of === 'both' ? tokens.input + tokens.output : tokens[of]),
      };
    }
    case 'cost':
    case 'cost.total': {
      const test = costTest(values);
      return {
        on: 'measure',
        test: ({ cost, totalCost = cost }) => test(field === 'cost' ? cost : totalCost),
      };
    }
    default:
      throw new Error(`The field '${fieldOf(term).name}' has no meaning yet.`);
  }
}

/** Whether a term asks for costs, which are of today's prices. */
export function asksForCosts({ field }: Term): boolean {
  return field === 'cost' || field === 'cost.total';
}

/** Whether a term asks for notes, so that they have to be read. */
export function asksForNotes({ field, values }: Term): boolean {
  const isNote = (value: Value) => value.kind === 'text' && value.text === 'note';
  return field === 'note' || (field === 'has' && values.some(isNote));
}

const becameOf = (state: Decision) => (_unit: UnitFacts, decisions: () => readonly string[]) =>
  decisions().includes(state);

const FLAGS: Readonly<Record<string, (unit: UnitFacts, decisions: () => readonly string[]) => boolean>> = {
  'is failed': becameOf('failed'),
  'is denied': becameOf('denied'),
  'is cancelled': becameOf('cancelled'),
  'is timeout': becameOf('timeout'),
  'is open': becameOf('open'),
  'is error': ({ isError }) => isError,
  'is message': (unit) => unit.kind === 'record' && unit.isMessage,
  'is compaction': (unit) => unit.kind === 'record' && unit.isCompaction,
  'is injected': (unit) => unit.kind === 'record' && unit.isInjected,
  'is partial': (unit) => unit.kind === 'record' && unit.isPartial,
  'is subagent': ({ depth }) => depth !== undefined && depth > 0,
  'has image': (unit) => unit.kind === 'record' && unit.hasImage,
  'has reasoning': (unit) => unit.kind === 'record' && unit.hasReasoning,
  'has calls': (unit) => unit.kind === 'record' && unit.hasCalls,
  'has result': (unit) => (unit.kind === 'record' ? unit.role === 'tool' : unit.answeredAt !== undefined),
};

function choiceTerm(field: 'is' | 'has', values: readonly Value[]): CompiledTerm {
  const wanted = values.flatMap((value) => (value.kind === 'text' ? [value.text] : []));
  const isOfNotes = field === 'has' && wanted.includes('note');
  const flags = wanted.map((each) => FLAGS[`${field} ${each}`] ?? never);
  if (field === 'is' && wanted.every((each) => each === 'live'))
    return { on: 'session', test: ({ live }) => live === true };
  if (!isOfNotes)
    return { on: 'facts', test: (unit, decisions) => flags.some((flag) => flag(unit, decisions)) };
  return {
    on: 'facts',
    isOfUnit: true,
    needsNotes: wanted.every((each) => each === 'note'),
    test: (unit, decisions, notes) => notes().length > 0 || flags.some((flag) => flag(unit, decisions)),
  };
}

/** Whether one of some values holds for a number; never for one that is unknown. */
function amountTest(
  values: readonly Value[],
  read: (text: string) => number | undefined,
): (amount: number | undefined) => boolean {
  const tests = values.map((value) => {
    if (value.kind === 'range') {
      const [from, to] = [read(value.from), read(value.to)];
      return (amount: number) => from !== undefined && to !== undefined && amount >= from && amount <= to;
    }
    if (value.kind !== 'compare') return never;
    const bound = read(value.text);
    return (amount: number) => bound !== undefined && holds(amount, value.operator, bound);
  });
  return (amount) => amount !== undefined && tests.some((test) => test(amount));
}

/** The same for money. Of a cost with unknown parts so much is known as that it is at least the sum of the others. */
function costTest(values: readonly Value[]): (cost: Cost | undefined) => boolean {
  const isAtLeast = (value: Value) => value.kind === 'compare' && value.operator.startsWith('>');
  const [whole, least] = [values, values.filter(isAtLeast)].map((some) => amountTest(some, readMoney));
  return (cost) => {
    if (!cost || !isKnownCost(cost)) return false;
    const test = cost.unknown === 0 ? whole : least;
    return test?.(knownAmount(cost)) === true;
  };
}

function holds(amount: number, operator: Comparison, bound: number): boolean {
  switch (operator) {
    case '=':
      return amount === bound;
    case '>':
      return amount > bound;
    case '>=':
      return amount >= bound;
    case '<':
      return amount < bound;
    case '<=':
      return amount <= bound;
  }
}

function nameTest(value: Value, watch: PatternWatch): (text: string) => boolean {
  if (value.kind === 'pattern') return patternTest(value, watch);
  if (value.kind !== 'text') return never;
  return value.exact ? equals(value.text) : wildcardTest(value.text, true);
}

function textTestOf(value: Value, wholeWord: boolean, watch: PatternWatch): (text: string) => boolean {
  if (value.kind === 'pattern') return patternTest(value, watch);
  if (value.kind !== 'text') return never;
  return allTextTest({ text: value.text, matchCase: value.exact, wholeWord }) ?? never;
}

/** The grams of what a value looks for, for each way to find it; none where nothing is known of one. */
function gramsOf(value: Value): readonly (readonly number[])[] {
  if (value.kind === 'text') return [gramsOfLiteral(value.text, !value.exact)];
  if (value.kind !== 'pattern') return [[]];
  const ways = requiredTexts(compilePattern(value.source, value.flags)) ?? [[]];
  return ways.map((texts) => texts.flatMap((text) => gramsOfLiteral(text, false)));
}

function patternTest(
  { source, flags, range }: Extract<Value, { kind: 'pattern' }>,
  watch: PatternWatch,
): (text: string) => boolean {
  return watched(range, allTextTest({ text: compilePattern(source, flags) }) ?? never, watch);
}

/** The same test, which says what it looks for as long as it does. */
function watched(
  range: Range,
  test: (text: string) => boolean,
  watch: PatternWatch,
): (text: string) => boolean {
  return (text) => {
    // Left as it is where the search is stopped from outside.
    watch.current = range;
    const found = test(text);
    watch.current = undefined;
    return found;
  };
}

function argumentTest(
  values: readonly Value[],
  path: readonly string[],
  watch: PatternWatch,
): (texts: UnitTexts) => boolean {
  const tests = values.map((value): ((given: string | number) => boolean) => {
    if (value.kind === 'compare' || value.kind === 'range') return numberTest(value);
    const test = value.kind === 'text' && value.exact ? equals(value.text) : textTestOf(value, false, watch);
    // Of a number with more digits than programs keep, what is kept is compared.
    const long = value.kind === 'text' && isNumber(value.text) ? Number(value.text) : 0;
    return (given) => test(String(given)) || (given === long && Math.abs(long) > Number.MAX_SAFE_INTEGER);
  });
  return (texts) => texts.argument(path).some((each) => tests.some((test) => test(each)));
}

/** Whether an argument that is a number, or a text that is one, is as far as a value says. */
function numberTest(
  value: Extract<Value, { kind: 'compare' | 'range' }>,
): (given: string | number) => boolean {
  const bounds: readonly (readonly [Comparison, string])[] =
    value.kind === 'range'
      ? [
          ['>=', value.from],
          ['<=', value.to],
        ]
      : [[value.operator, value.text]];
  return (given) => {
    const text = String(given).trim();
    return isNumber(text) && bounds.every(([operator, bound]) => holdsFor(text, operator, bound));
  };
}

/** Digit by digit where these are more than a number of programs has. */
function holdsFor(text: string, operator: Comparison, written: string): boolean {
  const [whole, bound] = [text.replace(/^\+/, ''), written.replaceAll('_', '')];
  const isLong = [whole, bound].every((each) => /^-?\d+$/.test(each)) && whole.length + bound.length > 15;
  if (!isLong) return holds(Number(text), operator, readNumber(written) ?? Number.NaN);
  const [one, other] = [BigInt(whole), BigInt(bound)];
  return holds(one < other ? -1 : one > other ? 1 : 0, operator, 0);
}
