import { SchemaValidator } from '../../agents/loop/toolCalls/schemaValidator.js';
import { canonicalJson } from '../../core/canonicalJson.js';
import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { wildcardTest } from '../../query/language/globs.js';
import type { CheckedCall } from './checkedRun.js';
import {
  SEQUENCE_MODES,
  type ArgsMode,
  type SequenceMode,
  type ExpectedCall,
  type ExpectedSequence,
} from './expectationWords.js';

/** Finds a pattern of RE2 in a text, or says that it takes too long. */
export type PatternTest = (pattern: string, text: string) => boolean;

/** What came of an expectation. `vacuous`: what it is about never happened, so that it holds of nothing. */
export type FindingState = 'passed' | 'failed' | 'vacuous';

/** What came of an expectation, and why. */
export interface Judged {
  readonly state: FindingState;
  /** What is wrong, or why it is vacuous; '' where it holds. */
  readonly sentence: string;
  /** What was expected and what was found, to be put side by side; '' where the sentence says all. */
  readonly expected: string;
  readonly actual: string;
  /** The record that shows it. */
  readonly position?: number;
}

/** Whether a call is one that is expected. */
type Fits = (expected: ExpectedCall, call: Pick<CheckedCall, 'tool' | 'agent' | 'args' | 'end'>) => boolean;

const validator = new SchemaValidator();

/** Holds the calls of a run against a sequence. */
export function judgeSequence(
  sequence: ExpectedSequence,
  all: readonly CheckedCall[],
  matches: PatternTest,
): Judged {
  const mode = SEQUENCE_MODES.find((each) => sequence[each] !== undefined) ?? 'exact';
  const written: readonly (string | ExpectedCall)[] = sequence[mode] ?? [];
  const list = written.map((each) => (typeof each === 'string' ? { tool: each } : each));
  const calls = sequence.agent === undefined ? all : all.filter(({ agent }) => agent === sequence.agent);
  const fits = fitting(sequence.args ?? 'subset', matches);
  const wrong = WRONG[mode](list, calls, fits);
  // What holds needs no words.
  if (!wrong && calls.length > 0) return { state: 'passed', sentence: '', expected: '', actual: '' };
  const shownArgs = new Set(list.filter(({ args }) => args !== undefined).map(({ tool }) => tool));
  const shows = (tool: string) => [...shownArgs].some((each) => wildcardTest(each, false)(tool));
  const texts = {
    expected: linesOf(list.map(({ tool, args, agent, end }) => lineOf(tool, args, agent, end))),
    actual: linesOf(
      calls.map(({ tool, args, agent, end }) =>
        lineOf(
          tool,
          shows(tool) ? args : undefined,
          list.some((each) => each.agent !== undefined) ? agent : undefined,
          list.some((each) => each.end !== undefined) ? end : undefined,
        ),
      ),
    ),
  };
  if (wrong) return { state: 'failed', ...texts, ...wrong };
  const sentence = t`The run calls no tool, so that its calls are held to nothing.`;
  return { state: 'vacuous', sentence, ...texts };
}

type Wrong = { readonly sentence: string; readonly position?: number } | undefined;

const WRONG: Readonly<
  Record<SequenceMode, (list: readonly ExpectedCall[], calls: readonly CheckedCall[], fits: Fits) => Wrong>
> = {
  exact(list, calls, fits) {
    let at = 0;
    for (const group of groupsOf(calls)) {
      const wanted = list.slice(at, at + group.length);
      const [first] = group;
      const missing = unmatched(wanted, group, fits)[0];
      if (missing !== undefined || wanted.length < group.length) {
        const found = group.map(({ tool }) => tool).join(', ');
        const position = first === undefined ? {} : { position: first.position };
        const number = at + 1;
        const expected = wanted.map(({ tool }) => tool).join(', ');
        if (expected === '')
          return {
            sentence: t`The run makes more calls than the ${list.length} expected: call ${number} is ${found}.`,
            ...position,
          };
        return {
          sentence:
            found === expected
              ? t`Call ${number} of the run, ${found}, was made otherwise than expected.`
              : t`Call ${number} of the run is ${found} where ${expected} was expected.`,
          ...position,
        };
      }
      at += group.length;
    }
    const next = list[at];
    return (
      next && {
        sentence: t`The run ends after ${at} of ${list.length} calls: ${next.tool} is missing.`,
        ...lastOf(calls),
      }
    );
  },
  inOrder(list, calls, fits) {
    let at = 0;
    let last: number | undefined;
    for (const group of groupsOf(calls)) {
      let length = Math.min(group.length, list.length - at);
      // As many as fit: with more of them done, no more are left to do.
      while (length > 0 && unmatched(list.slice(at, at + length), group, fits).length > 0) length--;
      at += length;
      if (length > 0) last = group[0]?.position;
    }
    const next = list[at];
    return (
      next && {
        sentence:
          at === 0
            ? t`The run never makes the first of these calls, ${next.tool}, as expected.`
            : t`After ${at} of these ${list.length} calls, ${next.tool} does not come as expected.`,
        ...(last === undefined ? lastOf(calls) : { position: last }),
      }
    );
  },
  anyOrder(list, calls, fits) {
    return WRONG.superset(list, calls, fits) ?? WRONG.subset(list, calls, fits);
  },
  subset(list, calls, fits) {
    const extra = unmatched(calls, list, (call, expected) => fits(expected, call));
    const [first] = extra;
    if (!first) return undefined;
    return {
      sentence: t`The run makes calls beyond these: ${namesOf(extra.map(({ tool }) => tool))}.`,
      position: first.position,
    };
  },
  superset(list, calls, fits) {
    const missing = unmatched(list, calls, fits);
    if (missing.length === 0) return undefined;
    return {
      sentence: t`The run does not make all of these calls: ${namesOf(missing.map(({ tool }) => tool))} missing, as expected here.`,
      ...lastOf(calls),
    };
  },
};

function lastOf(calls: readonly CheckedCall[]): { readonly position?: number } {
  const position = calls.at(-1)?.position;
  return position === undefined ? {} : { position };
}

/** Names with how often each stands there. */
function namesOf(names: readonly string[]): string {
  const times = new Map<string, number>();
  for (const name of names) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].map(([name, count]) => (count > 1 ? t`${name} (${count} times)` : name)).join(', ');
}

/** Calls that one message makes together. */
function groupsOf(calls: readonly CheckedCall[]): readonly (readonly CheckedCall[])[] {
  const groups: CheckedCall[][] = [];
  for (const call of calls) {
    const last = groups.at(-1);
    if (last?.[0]?.position === call.position) last.push(call);
    else groups.push([call]);
  }
  return groups;
}

/** What is left of some where as many as possible are each paired with one of the others that it fits. */
function unmatched<A, B>(
  some: readonly A[],
  others: readonly B[],
  fits: (one: A, other: B) => boolean,
): readonly A[] {
  const pairing = new Pairing((at) =>
    others.flatMap((other, number) => (fits(some[at] as A, other) ? [number] : [])),
  );
  return some.filter((_, at) => !pairing.add(at));
}

/** Pairs ones with others, as many as possible; without recursion, for long lists. */
class Pairing {
  readonly #fitting: (one: number) => readonly number[];
  readonly #known = new Map<number, readonly number[]>();
  /** By the other, and by the one. */
  readonly #holders = new Map<number, number>();
  readonly #held = new Map<number, number>();
  /** Others that no exchange can free any more. */
  readonly #settled = new Set<number>();

  constructor(fitting: (one: number) => readonly number[]) {
    this.#fitting = fitting;
  }

  /** Whether there is an other for it as well, where need be by giving those that have one another. */
  add(start: number): boolean {
    const cameFrom = new Map<number, number>();
    const waiting = [start];
    for (let next = 0; next < waiting.length; next++) {
      const one = waiting[next] ?? start;
      for (const other of this.#candidates(one)) {
        if (cameFrom.has(other) || this.#settled.has(other)) continue;
        cameFrom.set(other, one);
        const holder = this.#holders.get(other);
        if (holder === undefined) {
          this.#exchange(start, other, cameFrom);
          return true;
        }
        waiting.push(holder);
      }
    }
    for (const other of cameFrom.keys()) this.#settled.add(other);
    return false;
  }

  #exchange(start: number, last: number, cameFrom: ReadonlyMap<number, number>): void {
    for (let other: number | undefined = last; other !== undefined;) {
      const one: number = cameFrom.get(other) ?? start;
      const before = this.#held.get(one);
      this.#holders.set(other, one);
      this.#held.set(one, other);
      other = one === start ? undefined : before;
    }
  }

  #candidates(one: number): readonly number[] {
    const found = this.#known.get(one) ?? this.#fitting(one);
    this.#known.set(one, found);
    return found;
  }
}

/** Says whether calls are those that are expected, their arguments compared in this way. */
export function fitting(mode: ArgsMode, matches: PatternTest): Fits {
  const tests = new Map<string, (tool: string) => boolean>();
  return (expected, call) => {
    let test = tests.get(expected.tool);
    if (!test) tests.set(expected.tool, (test = wildcardTest(expected.tool, false)));
    if (!test(call.tool)) return false;
    if (expected.agent !== undefined && expected.agent !== call.agent) return false;
    if (expected.end !== undefined && expected.end !== call.end) return false;
    return expected.args === undefined || argsFit(mode, expected.args, call.args, matches);
  };
}

function argsFit(mode: ArgsMode, expected: unknown, args: unknown, matches: PatternTest): boolean {
  switch (mode) {
    case 'ignore':
      return true;
    case 'exact':
      return canonicalJson(expected) === canonicalJson(args);
    case 'schema':
      return isObject(expected) && validator.check(expected, args).length === 0;
    case 'subset':
    case 'pattern':
      return isWithin(expected, args, mode === 'pattern' ? matches : undefined);
  }
}

/** Whether all that is expected is there, texts as patterns where these are meant; lists entry by entry. */
function isWithin(expected: unknown, actual: unknown, matches: PatternTest | undefined): boolean {
  if (typeof expected === 'string' && typeof actual === 'string')
    return matches ? matches(expected, actual) : expected === actual;
  if (Array.isArray(expected))
    return (
      Array.isArray(actual) &&
      actual.length === expected.length &&
      expected.every((each, at) => isWithin(each, actual[at], matches))
    );
  if (isObject(expected))
    return (
      isObject(actual) &&
      Object.entries(expected).every(
        ([name, each]) => Object.hasOwn(actual, name) && isWithin(each, actual[name], matches),
      )
    );
  return expected === actual;
}

function lineOf(tool: string, args: unknown, agent: string | undefined, end: string | undefined): string {
  return [
    tool,
    ...(args === undefined ? [] : [typeof args === 'string' ? args : canonicalJson(args)]),
    ...(agent === undefined ? [] : [t`by ${agent}`]),
    ...(end === undefined ? [] : [`(${end})`]),
  ].join(' ');
}

function linesOf(lines: readonly string[]): string {
  return lines.length === 0 ? t`(no call)` : lines.join('\n');
}
