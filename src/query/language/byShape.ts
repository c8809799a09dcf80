import { isIn, type Scope } from './scopes.js';
import { anyOf, OPEN, type Leaves } from './logic.js';
import type { QueryPlan } from './plan.js';
import type { UnitFacts, UnitShapes } from './sessionFacts.js';
import type { Sequence, Term } from './syntax.js';
import type { CompiledTerm } from './terms.js';
import { fieldOf } from './fields.js';

/** What was said of the shapes of one table, by their keys. */
class ShapeVerdicts {
  readonly table: object;
  /** 0 where it was not asked, else one more than the answer, which is 0, 1 or OPEN. */
  answers = new Uint8Array(256);

  constructor(table: object) {
    this.table = table;
  }

  say(key: number, answer: number): number {
    if (key >= this.answers.length) {
      const more = new Uint8Array(Math.max(2 * this.answers.length, key + 1));
      more.set(this.answers);
      this.answers = more;
    }
    this.answers[key] = answer + 1;
    return answer;
  }
}

const ofTerms = new WeakMap<CompiledTerm, ShapeVerdicts>();

/** What a term of a question said of shapes so far: those of one session are nearly all those of others. */
function saidBy(term: CompiledTerm, table: object): ShapeVerdicts {
  const known = ofTerms.get(term);
  if (known?.table === table) return known;
  const made = new ShapeVerdicts(table);
  ofTerms.set(term, made);
  return made;
}

type FactsTerm = Extract<CompiledTerm, { on: 'facts' }>;

/** Whether a term holds for all of a shape, which is the same in all sessions that share their shapes; 0 or 1. */
export function holdsForShape(compiled: FactsTerm, { keys, examples }: UnitShapes, shape: number): number {
  const example = examples[shape];
  if (!example) return 0;
  const key = keys?.of[shape];
  if (!keys || key === undefined) return testOf(compiled, example);
  const said = saidBy(compiled, keys.table);
  const known = said.answers[key] ?? 0;
  return known > 0 ? known - 1 : said.say(key, testOf(compiled, example));
}

const NO_NOTES = (): readonly string[] => [];

/** Whether a term holds for any shape; records alone are asked where it is none of tool calls. */
export function holdsForAny(compiled: FactsTerm, shapes: UnitShapes, isOfToolCalls: boolean): boolean {
  const { examples, keys } = shapes;
  const said = keys && saidBy(compiled, keys.table);
  for (let shape = 0; shape < examples.length; shape++) {
    // Most were asked in another session.
    const known = said?.answers[keys?.of[shape] ?? 0] ?? 0;
    if (known === 1 || (!isOfToolCalls && examples[shape]?.kind !== 'record')) continue;
    if (holdsForShape(compiled, shapes, shape) === 1) return true;
  }
  return false;
}

function testOf(compiled: FactsTerm, example: UnitFacts): number {
  return Number(compiled.test(example, () => example.decisions, NO_NOTES));
}

/** By the plan of a question, whose terms say what its sequences ask for. */
const ofSequences = new WeakMap<QueryPlan, Map<Sequence, Map<Scope, ShapeVerdicts>>>();

function saidOf(plan: QueryPlan, sequence: Sequence, scope: Scope, table: object): ShapeVerdicts {
  const bySequence = ofSequences.get(plan) ?? new Map<Sequence, Map<Scope, ShapeVerdicts>>();
  ofSequences.set(plan, bySequence);
  const byScope = bySequence.get(sequence) ?? new Map<Scope, ShapeVerdicts>();
  bySequence.set(sequence, byScope);
  const known = byScope.get(scope);
  if (known?.table === table) return known;
  const made = new ShapeVerdicts(table);
  byScope.set(scope, made);
  return made;
}

/**
 * What is known of all units of each shape in whatever session they are, whose title, time, notes and texts are left
 * open: 0, 1 or OPEN for each shape; undefined where that is 0 for all of them.
 */
export function valuesOfShapes(
  plan: QueryPlan,
  sequence: Sequence,
  scope: Scope,
  shapes: UnitShapes,
): number[] | undefined {
  const { keys, examples } = shapes;
  const said = keys && saidOf(plan, sequence, scope, keys.table);
  // A list, as memory for typed arrays of more than a few bytes takes longer to get: one is made for each session.
  let values: number[] | undefined;
  for (let shape = 0; shape < examples.length; shape++) {
    const key = keys?.of[shape] ?? 0;
    const known = said?.answers[key] ?? 0;
    // Most were asked in another session, and for most it does not hold.
    if (known === 1) continue;
    const value = known > 0 ? known - 1 : valueAnywhere(plan, sequence, scope, shapes, shape);
    if (known === 0) said?.say(key, value);
    if (value === 0) continue;
    values ??= new Array<number>(examples.length).fill(0);
    values[shape] = value;
  }
  return values;
}

function valueAnywhere(
  plan: QueryPlan,
  sequence: Sequence,
  scope: Scope,
  shapes: UnitShapes,
  shape: number,
): number {
  const example = shapes.examples[shape];
  if (!example || !isIn(example, scope)) return 0;
  const leaves: Leaves = {
    set: () => OPEN,
    term: (term: Term) => {
      const compiled = plan.terms.get(term);
      if (!compiled || (example.kind === 'toolCall' && !fieldOf(term).ofToolCalls)) return 0;
      if (compiled.on === 'arguments') return shapes.hasArguments[shape] === true ? OPEN : 0;
      if (compiled.on !== 'facts' || compiled.isOfUnit === true || compiled.needsNotes === true) return OPEN;
      return holdsForShape(compiled, shapes, shape);
    },
  };
  return anyOf([sequence], leaves);
}

/** The index by which a question is put to all units of a shape: what may differ among them stays open. */
export function ofShape(shape: number): number {
  return -1 - shape;
}

/** What is known of all units of each shape before any of them is looked at. */
export interface ByShape {
  readonly isNone: boolean;
  readonly isSettled: boolean;
  /** For each shape 0, 1 or OPEN. */
  readonly values: readonly number[];
  readonly of: Uint16Array;
}

/**
 * Gives each unit from one index up to another the value of its shape, or OPEN where nothing is known of shapes; the indexes of
 * those that are open. A loop of its own: it passes over every unit of every session.
 */
export function fill(found: Uint8Array, shapes: ByShape | undefined, from: number, to: number): number[] {
  const open: number[] = [];
  for (let index = from; index < to; index++) {
    const value = shapes ? (shapes.values[shapes.of[index] ?? 0] ?? 0) : OPEN;
    found[index] = value;
    if (value === OPEN) open.push(index);
  }
  return open;
}

/** Where no unit is open: the indexes of those that match, see `indexesOf`. Loops of their own, like that of `fill`. */
export function indexesOfShapes({ values, of }: ByShape, from: number, to: number): number[] {
  let count = 0;
  for (let index = from; index < to; index++) if (values[of[index] ?? 0] === 1) count++;
  const indexes = new Array<number>(count);
  for (let index = from, at = 0; at < count; index++)
    if (values[of[index] ?? 0] === 1) indexes[at++] = index - from;
  return indexes;
}
