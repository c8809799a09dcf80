import { completeAt, type Completion, type Completions } from '../../src/query/language/complete.js';
import { isSameQuestion, problemsOf, type Question } from '../../src/query/language/question.js';
import type { QueryProblem } from '../../src/query/language/syntax.js';

/** What a person sees and does in the bar of a question. Immutable. */
export interface BarState {
  /** What stands in the bar. */
  readonly question: Question;
  /** What is wrong with it; nothing where it is answered. */
  readonly problems: readonly QueryProblem[];
  /** The last question without a problem: the one that is answered. */
  readonly answered: Question;
  /** Where the person writes, in UTF-16 code units. */
  readonly caret: number;
  /** What may stand at the caret, while it is offered. */
  readonly offered: Completions | undefined;
  /** The one of `offered` that is chosen; -1 for none. */
  readonly active: number;
  /** Whether what the question asks for at the caret is shown in words. */
  readonly describes: boolean;
  /** How far back in the history the person is, and what stood in the bar before they went there. */
  readonly recalled: { readonly at: number; readonly before: Question } | undefined;
}

/** What can happen to the bar. */
export type BarEvent =
  /** The person has changed the text; the caret stands where they did. */
  | { readonly type: 'typed'; readonly text: string; readonly caret: number }
  | { readonly type: 'moved'; readonly caret: number }
  | { readonly type: 'rows'; readonly rows: Question['rows'] }
  /** Offers what may stand at the caret. */
  | { readonly type: 'complete' }
  /** More values have come to be known. */
  | { readonly type: 'values' }
  /** Goes to the next of what is offered, or to the previous one (`by` -1). */
  | { readonly type: 'option'; readonly by: 1 | -1 }
  /** Writes one of what is offered. */
  | { readonly type: 'accept'; readonly option: number }
  /** Writes what a problem says would be right in its place. */
  | { readonly type: 'fix'; readonly problem: QueryProblem }
  /** Goes back in the history (`by` 1), or forward. */
  | { readonly type: 'recall'; readonly by: 1 | -1 }
  /** Nothing is offered or described any more. */
  | { readonly type: 'close' }
  /** Somebody else has changed the question: a menu, a chip, a link. */
  | { readonly type: 'set'; readonly question: Question };

/** What the bar knows of the transcripts at hand. */
export interface BarContext {
  /** The values of a field or an argument that occur, see `completeAt`; none where they are not known, or not yet. */
  readonly values: (name: string) => readonly string[];
  /** The questions that were asked before, the latest first. */
  readonly history: () => readonly Question[];
}

/** The bar with a question in it. */
export function barWith(question: Question, nothing: Question): BarState {
  const problems = problemsOf(question);
  return {
    question,
    problems,
    answered: problems.length === 0 ? question : nothing,
    caret: question.text.length,
    ...CLOSED,
    recalled: undefined,
  };
}

const CLOSED = { offered: undefined, active: -1, describes: false } as const;

/** The bar after an event. */
export function reduceBar(state: BarState, event: BarEvent, context: BarContext): BarState {
  switch (event.type) {
    case 'typed': {
      const typed = asked(state, { ...state.question, text: event.text }, event.caret);
      // Words below the bar would cover what is found while it is being written.
      return { ...offer({ ...typed, recalled: undefined }, context, false), describes: false };
    }
    case 'moved':
      if (event.caret === state.caret) return state;
      return { ...state, ...CLOSED, caret: event.caret, describes: true };
    case 'rows':
      return { ...asked(state, { ...state.question, rows: event.rows }, state.caret), ...CLOSED };
    case 'complete':
      return { ...offer(state, context, true), describes: true };
    case 'values':
      return offer(state, context, state.offered !== undefined);
    case 'option':
      return { ...state, active: stepped(state, event.by) };
    case 'accept':
      return accept(state, event.option, context);
    case 'fix':
      return replace(state, event.problem.fixedRange ?? event.problem, event.problem.fix ?? '');
    case 'recall':
      return recall(state, event.by, context);
    case 'close':
      return state.offered || state.describes ? { ...state, ...CLOSED } : state;
    case 'set':
      if (isSameQuestion(event.question, state.question)) return state;
      return { ...asked(state, event.question, event.question.text.length), ...CLOSED, recalled: undefined };
  }
}

/** The bar with another question; the last one that was right stays the answered one while a problem stands. */
function asked(state: BarState, question: Question, caret: number): BarState {
  const problems = problemsOf(question);
  return { ...state, question, problems, caret, answered: problems.length === 0 ? question : state.answered };
}

/** Offers what may be written; unasked, only where something of it was begun. */
function offer(state: BarState, { values }: BarContext, isAskedFor: boolean): BarState {
  const { text } = state.question;
  const offered = completeAt(state.question, state.caret, values);
  const begun = text.slice(offered.start, state.caret);
  const isBegun = begun !== '' || /[:=(]$/.test(text.slice(0, state.caret));
  const isDone =
    offered.items.length === 1 && offered.items[0]?.text === text.slice(offered.start, offered.end);
  const isOffered = offered.items.length > 0 && (isAskedFor || (isBegun && !isDone));
  return { ...state, offered: isOffered ? offered : undefined, active: -1 };
}

function stepped({ offered, active }: BarState, by: 1 | -1): number {
  const count = offered?.items.length ?? 0;
  if (count === 0) return -1;
  // Before the first and behind the last one stands the text as it was typed.
  const places = count + 1;
  return ((active + 1 + by + places) % places) - 1;
}

/** Writes what was chosen; behind a field its values are offered. */
function accept(state: BarState, option: number, context: BarContext): BarState {
  const item: Completion | undefined = state.offered?.items[option];
  if (!state.offered || !item) return state;
  const { start, end } = state.offered;
  const isField = item.text.endsWith(':') && item.meaning !== '';
  const replaced = replace(state, { start, end }, item.text);
  return isField ? { ...offer(replaced, context, true), describes: true } : replaced;
}

function replace(
  state: BarState,
  { start, end }: { readonly start: number; readonly end: number },
  by: string,
): BarState {
  const { text } = state.question;
  const changed = text.slice(0, start) + by + text.slice(end);
  return {
    ...asked(state, { ...state.question, text: changed }, start + by.length),
    ...CLOSED,
    recalled: undefined,
  };
}

function recall(state: BarState, by: 1 | -1, { history }: BarContext): BarState {
  const before = state.recalled?.before ?? state.question;
  // What stands there already is no step back.
  const entries = history().filter((entry) => !isSameQuestion(entry, before));
  const at = (state.recalled?.at ?? -1) + by;
  if (at < -1 || at >= entries.length) return state;
  const question = entries[at] ?? before;
  const recalled = at < 0 ? undefined : { at, before };
  return { ...asked(state, question, question.text.length), ...CLOSED, recalled };
}
