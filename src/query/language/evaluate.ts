import { PATTERN_TOO_SLOW } from '../../core/ports/patternMatcher.js';
import { isLarger, sideScope, witnessScope, type LargerRow } from './checkRows.js';
import { decisionsOf, giveMarks, indexesOf, isIn, sharedOf, takeMarks, type Scope } from './scopes.js';
import { fieldOf } from './fields.js';
import { combinedKeys, inOrder, type OrderOperand } from './order.js';
import type { QueryPlan } from './plan.js';
import type { Listed, SessionFacts, SpanFacts, UnitFacts, UnitShapes } from './sessionFacts.js';
import type { CompiledTerm, Measured, PatternWatch } from './terms.js';
import type { All, Inside, Order, Part, QueryProblem, Sequence, Term, Group, Range } from './syntax.js';
import { fill, holdsForShape, indexesOfShapes, ofShape, valuesOfShapes, type ByShape } from './byShape.js';
import { anyOf, either, OPEN } from './logic.js';
import { UnitNotes } from './unitNotes.js';
import { positionsOfArguments, positionsOfTexts, TextsOfUnit, type ItemAt } from './unitTexts.js';
import { t } from '../../core/l10n.js';

/** Parts that a unit must meet at once, as one sequence: the same for every session, whose shapes it is asked of once. */
function together(parts: readonly Part[]): readonly All[] {
  return sequencesOf(sharedParts, parts, () => [allOf(parts)]);
}

/** What is denied, each as a sequence of its own. */
function eachDenied(parts: readonly Part[]): readonly All[] {
  return sequencesOf(deniedParts, parts, () =>
    parts.flatMap((part) => (part.kind === 'not' ? allOf([part.of]) : [])),
  );
}

type Sequences = WeakMap<Part, readonly All[]>;
/** By the first of the parts, which says what the others are: those side by side with it that ask for the same unit. */
const sharedParts: Sequences = new WeakMap();
const deniedParts: Sequences = new WeakMap();

function sequencesOf(known: Sequences, parts: readonly Part[], make: () => readonly All[]): readonly All[] {
  const [first] = parts;
  const made = (first && known.get(first)) ?? make();
  if (first) known.set(first, made);
  return made;
}

function allOf(parts: readonly Part[]): All {
  return { kind: 'all', of: parts, range: { start: 0, end: 0 } };
}

/** Ends the evaluation of a question of which a step took too long. */
class TooSlow extends Error {
  constructor(readonly problem: QueryProblem) {
    super(problem.message);
  }
}

/**
 * Runs some work and says whether it ended in time. It may be run twice, so it has to be repeatable. Only what looks for
 * patterns is run so.
 */
export type Guard = (work: () => void) => boolean;

/** The rows of a session that match, as indexes of its records, tool calls, calls of agents or runs; 0 for the session. */
export type Matches =
  | { readonly ok: true; readonly indexes: readonly number[] }
  | { readonly ok: false; readonly problem: QueryProblem };

/** Asks for the items at ascending positions, and is given a way to get them. */
export type Evaluation = Generator<readonly number[], Matches, ItemAt>;

/** Of how many records and calls the texts are read at a time. */
const BATCH = 500;
/** Of how many of them texts are looked through within one limit of time, so that many long texts are no slow pattern. */
const SLICE = 25;

/** A question of more terms than this may look for so many of them in so many texts, each for each, and then ends. */
const MANY_TERMS = 200;
const MAX_TESTS = 4_000_000;

/**
 * Answers a question about one session. What its facts tell is found first; the items are asked for only of those records
 * and calls for which they leave it open.
 */
export function* evaluate(plan: QueryPlan, facts: SessionFacts, guard: Guard): Evaluation {
  const evaluator = new Evaluator(plan, facts, guard);
  try {
    return { ok: true, indexes: yield* evaluator.rows() };
  } catch (error) {
    if (error instanceof TooSlow) return { ok: false, problem: error.problem };
    throw error;
  }
}

/** Answers a question about a session whose items are at hand. */
export function evaluateItems(
  plan: QueryPlan,
  facts: SessionFacts,
  items: readonly unknown[],
  guard: Guard = withoutGuard,
): Matches {
  const evaluation = evaluate(plan, facts, guard);
  let step = evaluation.next((position) => items[position]);
  while (!step.done) step = evaluation.next((position) => items[position]);
  return step.value;
}

/** Lets work run for as long as it takes. */
export const withoutGuard: Guard = (work) => {
  work();
  return true;
};

/** Of shapes for none of which anything holds. */
const NO_VALUES: readonly number[] = [];

type Step<T> = Generator<readonly number[], T, ItemAt>;

/** What texts are read for. */
interface TextQuery {
  readonly alternatives: readonly Sequence[];
  readonly needs: Needs;
  /** For each shape what records without any text that is asked for come to. */
  readonly leftOut: Map<number, number>;
}

class Evaluator {
  readonly #plan: QueryPlan;
  readonly #facts: SessionFacts;
  readonly #guard: Guard;
  /** How many records and tool calls there are; records have the first indexes. */
  readonly #length: number;
  /** For orders and for what stands in `in:`, `under:` and `with:`: for each unit whether it holds. */
  readonly #sets = new Map<Order | Inside, Uint8Array>();
  readonly #notes: UnitNotes;
  #tests = 0;

  constructor(plan: QueryPlan, facts: SessionFacts, guard: Guard) {
    this.#plan = plan;
    this.#facts = facts;
    this.#guard = guard;
    this.#length = facts.records.length + facts.toolCalls.length;
    this.#notes = new UnitNotes(facts);
  }

  #unit(index: number): UnitFacts {
    const { records, toolCalls } = this.#facts;
    const unit = index < records.length ? records.at(index) : toolCalls.at(index - records.length);
    if (!unit) throw new RangeError(`There is no record and no call ${index}.`);
    return unit;
  }

  *rows(): Step<number[]> {
    const { rows, query } = this.#plan;
    if (isLarger(rows)) return indexesOf(yield* this.#spans([query], rows));
    const [from, to] = this.#rangeOf(rows);
    const shapes = this.#byShape([query], rows);
    if (shapes?.isSettled === true) return shapes.isNone ? [] : indexesOfShapes(shapes, from, to);
    const marks = takeMarks(to);
    const indexes = indexesOf(yield* this.#unitsWhere([query], rows, shapes, marks), from, to);
    giveMarks(marks);
    return indexes;
  }

  /** From which index on the units of a scope are, and up to which. */
  #rangeOf(scope: Scope): readonly [from: number, to: number] {
    const { length } = this.#facts.records;
    if (scope === 'any') return [0, this.#length];
    return scope === 'toolCalls' ? [length, this.#length] : [0, length];
  }

  /** The rows of a kind for which one of some sequences holds. */
  *#spans(alternatives: readonly Sequence[], rows: LargerRow): Step<Uint8Array> {
    const found = new Uint8Array(this.#rowsOf(rows).length);
    for (const sequence of alternatives) {
      const some =
        sequence.kind === 'order'
          ? this.#rowsWith(yield* this.#order(sequence, 'any', rows), rows)
          : yield* this.#witnessed(sequence, rows);
      for (const index of found.keys()) found[index] ||= some[index] ?? 0;
    }
    return found;
  }

  #rowsOf(rows: LargerRow): Listed<SpanFacts> {
    return rows === 'agentCalls'
      ? this.#facts.agentCalls
      : rows === 'runs'
        ? this.#facts.runs
        : [this.#facts.whole];
  }

  #rowOf({ agentCall, run }: UnitFacts, rows: LargerRow): number {
    return rows === 'agentCalls' ? agentCall : rows === 'runs' ? run : 0;
  }

  #rowsWith(units: Uint8Array, rows: LargerRow): Uint8Array {
    if (rows === 'sessions') return Uint8Array.of(units.includes(1) ? 1 : 0);
    const found = new Uint8Array(this.#rowsOf(rows).length);
    for (let index = 0; index < units.length; index++)
      if (units[index] === 1) found[this.#rowOf(this.#unit(index), rows)] = 1;
    return found;
  }

  /**
   * The rows for which parts side by side hold. What is asked of one message or call must hold for the same one; each
   * group in brackets may have another, and a negated one none. Where nothing but negated terms is asked of messages and
   * calls, there is none for which any of these holds.
   */
  *#witnessed({ of }: All, rows: LargerRow): Step<Uint8Array> {
    const spans = this.#rowsOf(rows);
    const found = new Uint8Array(spans.length).fill(1);
    const narrow = (by: Uint8Array, wanted = 1) => {
      for (const index of found.keys()) if ((by[index] ?? 0) !== wanted) found[index] = 0;
    };
    const shared: Part[] = [];
    for (const part of of) {
      const inner = part.kind === 'not' ? part.of : part;
      const wanted = part.kind === 'not' ? 0 : 1;
      if (inner.kind === 'group') narrow(yield* this.#spans(inner.of, rows), wanted);
      else if (inner.kind === 'inside' && inner.where === 'with')
        narrow(this.#rowsWith(yield* this.#unitsWhere(inner.of, 'any'), rows), wanted);
      else if (inner.kind === 'term' && this.#isOfRow(inner))
        narrow(
          found.map((_, at) => (this.#holdsForRow(inner, spans.at(at) ?? this.#facts.whole) ? 1 : 0)),
          wanted,
        );
      else shared.push(part);
    }
    if (shared.length === 0) return found;
    if (shared.some(({ kind }) => kind !== 'not')) {
      narrow(this.#rowsWith(yield* this.#unitsWhere(together(shared), witnessScope(shared)), rows));
      return found;
    }
    // All at once: texts are read and made once.
    narrow(this.#rowsWith(yield* this.#unitsWhere(eachDenied(shared), 'any'), rows), 0);
    return found;
  }

  #isOfRow(term: Term): boolean {
    const on = this.#plan.terms.get(term)?.on;
    return on === 'measure' || on === 'session';
  }

  #holdsForRow(term: Term, row: Measured): boolean {
    const compiled = this.#plan.terms.get(term);
    if (compiled?.on === 'measure') return compiled.test(row);
    return compiled?.on === 'session' && compiled.test(this.#facts.info);
  }

  /** The units of a scope for which one of some sequences holds; `found`: where they are marked. */
  *#unitsWhere(
    alternatives: readonly Sequence[],
    scope: Scope,
    shapes = this.#byShape(alternatives, scope),
    found = new Uint8Array(this.#length),
  ): Step<Uint8Array> {
    if (shapes?.isNone === true) return found;
    for (const sequence of alternatives) yield* this.#prepare(sequence, scope);
    let open = fill(found, shapes, ...this.#rangeOf(scope));
    // Where all that is open is texts of which the whole session is known alike, each unit would say the same.
    const isNarrowed = shapes && !this.#plan.needsUnits && this.#facts.recordKinds?.knowsParts === false;
    if (isNarrowed !== true) {
      for (let from = 0; from < open.length; from += BATCH) {
        const batch = open.slice(from, from + BATCH);
        this.#guardedFacts(() => {
          for (const index of batch) {
            const unit = this.#unit(index);
            found[index] = isIn(unit, scope) ? this.#anyOf(alternatives, unit, index, undefined) : 0;
          }
        });
      }
      open = open.filter((index) => found[index] === OPEN);
    }
    if (open.length === 0) return found;
    const question = { alternatives, needs: needsOf(alternatives, this.#plan), leftOut: new Map() };
    for (let from = 0; from < open.length; from += BATCH)
      yield* this.#read(question, open.slice(from, from + BATCH), found);
    return found;
  }

  /**
   * What is known of all units of each shape before any of them is looked at: first what holds in every session, then,
   * of what that leaves open, what holds in this one.
   */
  #byShape(alternatives: readonly Sequence[], scope: Scope): ByShape | undefined {
    const { recordKinds: shapes } = this.#facts;
    if (!shapes) return undefined;
    let values = NO_VALUES;
    this.#guardedFacts(() => {
      values = this.#valuesOf(alternatives, scope, shapes);
    });
    let [isNone, isSettled] = [true, true];
    for (let shape = 0; shape < values.length; shape++) {
      if (values[shape] !== 0) isNone = false;
      if (values[shape] === OPEN) isSettled = false;
    }
    return { isNone, isSettled, values, of: shapes.of };
  }

  #valuesOf(alternatives: readonly Sequence[], scope: Scope, shapes: UnitShapes): readonly number[] {
    let values: number[] | undefined;
    for (const sequence of alternatives) {
      const some = valuesOfShapes(this.#plan, sequence, scope, shapes);
      if (values && some) for (const shape of some.keys()) values[shape] = either(values[shape], some[shape]);
      else values ??= some;
    }
    if (!values) return NO_VALUES;
    for (let shape = 0; shape < values.length; shape++) {
      const example = shapes.examples[shape];
      if (values[shape] === OPEN && example)
        values[shape] = this.#anyOf(alternatives, example, ofShape(shape), undefined);
    }
    return values;
  }

  /** Settles units that the facts leave open by their texts. */
  *#read(
    { alternatives, needs, leftOut }: TextQuery,
    indexes: readonly number[],
    found: Uint8Array,
  ): Step<void> {
    const itemAt = yield this.#positionsOf(indexes, needs);
    const valueOf = (index: number): number => {
      const unit = this.#unit(index);
      const texts = new TextsOfUnit(unit, this.#facts, itemAt);
      return this.#anyOf(alternatives, unit, index, texts) === 1 ? 1 : 0;
    };
    const settle = (index: number): void => {
      found[index] = valueOf(index);
    };
    // A record that was left out because nothing that is asked for can stand in it has no text to be slow on.
    const isLeftOut = (index: number): boolean =>
      !this.#plan.needsFactGuard && index < this.#facts.records.length && itemAt(index) === undefined;
    const read = indexes.filter((index) => {
      if (needs.arguments || !isLeftOut(index)) return true;
      const shape = this.#plan.needsUnits ? undefined : this.#facts.recordKinds?.of[index];
      const known = shape === undefined ? undefined : leftOut.get(shape);
      found[index] = known ?? valueOf(index);
      if (shape !== undefined && known === undefined) leftOut.set(shape, found[index] ?? 0);
      return false;
    });
    this.#spend(read.length);
    for (let from = 0; from < read.length; from += SLICE)
      this.#guarded(() => read.slice(from, from + SLICE).forEach(settle));
  }

  /** The ascending positions of the items that tell of some units. */
  #positionsOf(indexes: readonly number[], needs: Needs): readonly number[] {
    const { length } = this.#facts.records;
    // The index of a record is its position.
    if (!needs.arguments && (indexes.at(-1) ?? 0) < length) return needs.texts ? indexes : [];
    const positions = new Set<number>();
    for (const index of indexes) {
      const unit = this.#unit(index);
      if (needs.texts) for (const position of positionsOfTexts(unit)) positions.add(position);
      if (needs.arguments)
        for (const position of positionsOfArguments(unit, this.#facts)) positions.add(position);
    }
    return [...positions].sort((a, b) => a - b);
  }

  #spend(units: number): void {
    const { terms } = this.#plan;
    this.#tests += units * terms.size;
    if (terms.size > MANY_TERMS && this.#tests > MAX_TESTS) throw this.#tooMuch();
  }

  #tooMuch(): TooSlow {
    return new TooSlow({ ...this.#plan.query.range, message: questionTooSlow() });
  }

  /** What asks names and numbers alone is limited where that may take long, because each limit takes its time, too. */
  #guardedFacts(work: () => void): void {
    if (this.#plan.needsFactGuard) this.#guarded(work);
    else work();
  }

  #guarded(work: () => void): void {
    const { watch } = this.#plan;
    watch.current = undefined;
    if (this.#guard(work)) return;
    const pattern = watchedRange(watch);
    throw pattern ? new TooSlow({ ...pattern, message: PATTERN_TOO_SLOW }) : this.#tooMuch();
  }

  /** Finds what stands in brackets of its own, because other units decide on it. */
  *#prepare(sequence: Sequence, scope: Scope): Step<void> {
    if (sequence.kind === 'order') {
      this.#sets.set(sequence, yield* this.#order(sequence, scope));
      return;
    }
    for (const part of sequence.of) {
      const inner = part.kind === 'not' ? part.of : part;
      if (inner.kind === 'group') for (const each of inner.of) yield* this.#prepare(each, scope);
      else if (inner.kind === 'inside') this.#sets.set(inner, yield* this.#inside(inner));
    }
  }

  *#inside({ where, of }: Inside): Step<Uint8Array> {
    if (where === 'with') {
      const own = yield* this.#unitsWhere(of, 'any');
      const first = this.#facts.records.length;
      const holds = (unit: UnitFacts, index: number) =>
        own[index] === 1 ||
        (unit.kind === 'record' && unit.toolCalls.some((call) => own[first + call] === 1));
      return this.#marked((unit, index) => (holds(unit, index) ? 1 : 0));
    }
    const calls = yield* this.#spans(of, 'agentCalls');
    const wanted = where === 'in' ? calls : this.#below(calls);
    return this.#marked(({ agentCall }) => wanted[agentCall] ?? 0);
  }

  #marked(mark: (unit: UnitFacts, index: number) => number): Uint8Array {
    return Uint8Array.from({ length: this.#length }, (_, index) => mark(this.#unit(index), index));
  }

  /** The calls of agents anywhere below others; whoever dispatches a call is heard of before it. */
  #below(calls: Uint8Array): Uint8Array {
    const below = new Uint8Array(calls.length);
    for (const [index, { parent }] of this.#facts.agentCalls.entries())
      if (parent !== undefined) below[index] = (calls[parent] ?? 0) | (below[parent] ?? 0);
    return below;
  }

  /**
   * The units on the left side of an order that has its right side somewhere in the session; with `rows`, in the same row.
   */
  *#order({ order, left, right, same, within }: Order, scope: Scope, rows?: LargerRow): Step<Uint8Array> {
    const leftScope = scope === 'any' ? sideScope(left, 'records') : scope;
    const rightScope = sideScope(right, scope === 'messages' ? 'messages' : 'records');
    const lefts = indexesOf(yield* this.#unitsWhere([left], leftScope));
    const rights = lefts.length === 0 ? [] : indexesOf(yield* this.#unitsWhere([right], rightScope));
    const found = new Uint8Array(this.#length);
    if (rights.length === 0) return found;
    const files = same.includes('path') ? yield* this.#filesOf([...lefts, ...rights]) : undefined;
    const placed = (index: number): OrderOperand => {
      const unit = this.#unit(index);
      const { begin, end, beganAt, endedAt } = unit;
      const keys = same.map((each): readonly (string | number)[] =>
        each === 'path' ? (files?.get(index) ?? []) : sharedOf(unit, each),
      );
      return {
        begin,
        end,
        beganAt,
        endedAt,
        keys: combinedKeys([...keys, rows ? [this.#rowOf(unit, rows)] : ['']]),
      };
    };
    const counted = scope === 'any' ? (leftScope === 'toolCalls' ? 'toolCalls' : 'messages') : scope;
    const begins = within?.unit === 'rows' ? this.#beginsOf(counted) : [];
    const matched = inOrder(order, lefts.map(placed), rights.map(placed), { within, begins });
    for (const each of matched) found[lefts[each] ?? 0] = 1;
    return found;
  }

  /** The ascending positions at which the units of a scope begin. */
  #beginsOf(scope: Scope): number[] {
    const begins: number[] = [];
    for (let index = 0; index < this.#length; index++) {
      const unit = this.#unit(index);
      if (isIn(unit, scope)) begins.push(unit.begin);
    }
    return begins.sort((a, b) => a - b);
  }

  /** The files that units name, by their indexes. */
  *#filesOf(indexes: readonly number[]): Step<ReadonlyMap<number, readonly string[]>> {
    const files = new Map<number, readonly string[]>();
    const all = [...new Set(indexes)];
    for (let from = 0; from < all.length; from += BATCH) {
      const batch = all.slice(from, from + BATCH);
      const units = batch.map((index) => this.#unit(index));
      const positions = new Set(units.flatMap((unit) => positionsOfArguments(unit, this.#facts)));
      const itemAt = yield [...positions].sort((a, b) => a - b);
      for (const [at, unit] of units.entries())
        files.set(batch[at] ?? 0, [...new Set(new TextsOfUnit(unit, this.#facts, itemAt).files())]);
    }
    return files;
  }

  /** Whether a unit meets one of some sequences: 1, 0, or OPEN where that depends on texts that are not given. */
  #anyOf(
    alternatives: readonly Sequence[],
    unit: UnitFacts,
    index: number,
    texts: TextsOfUnit | undefined,
  ): number {
    return anyOf(alternatives, {
      term: (term) => this.#term(term, unit, index, texts),
      set: (part) => this.#setOf(part, index),
    });
  }

  #setOf(part: Order | Inside, index: number): number {
    if (index < 0) return OPEN;
    return this.#sets.get(part)?.[index] ?? 0;
  }

  #term(term: Term, unit: UnitFacts, index: number, texts: TextsOfUnit | undefined): number {
    const compiled = this.#plan.terms.get(term);
    if (!compiled || (unit.kind === 'toolCall' && !fieldOf(term).ofToolCalls)) return 0;
    const isShape = index < 0;
    const decisions = () => decisionsOf(unit, this.#facts);
    switch (compiled.on) {
      case 'session':
        return compiled.test(this.#facts.info) ? 1 : 0;
      case 'measure':
        return isShape ? OPEN : compiled.test(unit) ? 1 : 0;
      case 'facts':
        if (compiled.needsNotes === true && this.#notes.isEmpty) return 0;
        if (isShape && compiled.isOfUnit === true) return this.#mayHoldInTime(compiled) ? OPEN : 0;
        if (isShape)
          return this.#facts.recordKinds
            ? holdsForShape(compiled, this.#facts.recordKinds, -1 - index)
            : OPEN;
        return Number(compiled.test(unit, decisions, () => this.#notes.of(unit)));
      case 'arguments':
        if (!this.#hasArguments(unit, index)) return 0;
        return texts ? Number(compiled.test(texts)) : OPEN;
      case 'texts':
        if (texts) return Number(texts.areProved || compiled.test(texts));
        return this.#mayHave(compiled, isShape ? undefined : unit) ? OPEN : 0;
    }
  }

  #mayHoldInTime({ mayHold }: Extract<CompiledTerm, { on: 'facts' }>): boolean {
    if (!mayHold) return true;
    const span = this.#facts.recordKinds?.span;
    return span !== undefined && mayHold(span.from, span.to);
  }

  #hasArguments(unit: UnitFacts, index: number): boolean {
    if (index < 0) return this.#facts.recordKinds?.hasArguments[-1 - index] === true;
    return positionsOfArguments(unit, this.#facts).length > 0;
  }

  /** Whether the texts of a unit may be some for which a term holds; without a unit, those of any. */
  #mayHave({ grams }: Extract<CompiledTerm, { on: 'texts' }>, unit: UnitFacts | undefined): boolean {
    const { recordKinds: shapes } = this.#facts;
    if (!shapes) return true;
    const positions = unit && positionsOfTexts(unit);
    return grams.some((some) => some.length === 0 || shapes.mayHave(some, positions));
  }
}

/** What has to be read of records and tool calls to settle a question that their facts leave open. */
interface Needs {
  readonly texts: boolean;
  readonly arguments: boolean;
}

/** What some sequences need; what stands in brackets with a set of its own is settled before. */
function needsOf(alternatives: readonly Sequence[], { terms }: Pick<QueryPlan, 'terms'>): Needs {
  const needs = { texts: false, arguments: false };
  const visit = (part: Part | Group): void => {
    if (part.kind === 'not') visit(part.of);
    else if (part.kind === 'group')
      for (const sequence of part.of) if (sequence.kind === 'all') sequence.of.forEach(visit);
    if (part.kind !== 'term') return;
    const on = terms.get(part)?.on;
    if (on === 'texts' || on === 'arguments') needs[on] = true;
  };
  for (const sequence of alternatives) if (sequence.kind === 'all') sequence.of.forEach(visit);
  return needs;
}

/** Tells a person why a question without slow patterns was given up. */
function questionTooSlow(): string {
  return t`This question takes too long on these texts. Ask for less at a time: it has very many terms.`;
}

/** Where the pattern stands that was being looked for; read anew, because the work has changed it. */
function watchedRange(watch: PatternWatch): Range | undefined {
  return watch.current;
}
