import { evictOldest } from '../src/core/boundedMap.js';
import { isUnasked, type KnownQuestions } from '../src/page/protocol/question.js';
import { isSameQuestion, type Question } from '../src/query/language/question.js';
import type { EventData } from '../src/page/protocol/events.js';
import type { Snapshot } from '../src/page/protocol/panelState.js';
import type { RowsAnswer } from '../src/page/protocol/requests.js';
import type { Row } from '../src/page/protocol/row.js';
import { shiftIndex, shiftRows } from './shiftRows.js';
import {
  INITIAL,
  isRunning,
  NOWHERE,
  type FetchedText,
  type SearchMatch,
  type Notice,
  type Selection,
  type State,
  type Tab,
} from './state.js';

/** How many rows the page keeps. */
export const MAX_CACHED_ROWS = 600;
/** How many whole texts are kept. */
export const MAX_TEXTS = 30;
const MAX_OPEN = 500;

/** Everything that can happen to the page. */
export type PageEvent =
  | { readonly type: 'snapshot'; readonly snapshot: Omit<Snapshot, 'draft'> }
  | { readonly type: 'list'; readonly data: EventData<'list'> }
  | { readonly type: 'rows'; readonly answer: RowsAnswer; readonly center: number }
  | { readonly type: 'changed'; readonly rows: readonly Row[] }
  | { readonly type: 'matches'; readonly data: EventData<'matches'> }
  | { readonly type: 'live'; readonly data: EventData<'live'> }
  | { readonly type: 'approvals'; readonly data: EventData<'approvals'> }
  | { readonly type: 'facets'; readonly data: EventData<'facets'> }
  | { readonly type: 'damaged'; readonly data: EventData<'damaged'> }
  | { readonly type: 'title'; readonly title: string }
  | { readonly type: 'facts'; readonly facts: EventData<'facts'> }
  | { readonly type: 'kept'; readonly kept: EventData<'kept'> }
  | { readonly type: 'found'; readonly found: SearchMatch | undefined }
  | { readonly type: 'tab'; readonly tab: Tab }
  | { readonly type: 'select'; readonly selected: Selection | undefined }
  | { readonly type: 'open'; readonly row: number; readonly open: boolean }
  | { readonly type: 'expandAll'; readonly expanded: boolean }
  | { readonly type: 'text'; readonly key: string; readonly text: FetchedText | undefined }
  | { readonly type: 'question'; readonly question: Question; readonly asked: Question }
  | { readonly type: 'questions'; readonly questions: KnownQuestions }
  | { readonly type: 'follow'; readonly following: boolean }
  | { readonly type: 'notice'; readonly notice: Notice | undefined };

/** Called after each event with the new and the previous state. */
export type StateListener = (state: State, before: State) => void;

/** Holds the page's state; the only way to change it is an event. */
export class Store {
  #state: State;
  readonly #listeners = new Set<StateListener>();

  constructor(state: State = INITIAL) {
    this.#state = state;
  }

  get state(): State {
    return this.#state;
  }

  dispatch(event: PageEvent): void {
    const before = this.#state;
    this.#state = reduce(before, event);
    if (this.#state === before) return;
    for (const listener of this.#listeners) listener(this.#state, before);
  }

  /** Calls the listener after each change, and once now. */
  listen(listener: StateListener): void {
    this.#listeners.add(listener);
    listener(this.#state, this.#state);
  }
}

/** The state after an event. */
export function reduce(state: State, event: PageEvent): State {
  switch (event.type) {
    case 'snapshot':
      return begin(state, event.snapshot);
    case 'list':
      return takeList(state, event.data);
    case 'rows':
      return takeRows(state, event.answer, event.center);
    case 'changed':
      return replaceRows(state, event.rows);
    case 'matches':
      return event.data.number === state.number ? { ...state, matches: event.data } : state;
    case 'live':
      return { ...state, live: event.data };
    case 'approvals':
      return { ...state, approvals: event.data.approvals };
    case 'facets':
      return { ...state, facets: event.data };
    case 'damaged':
      return { ...state, ...event.data };
    case 'title':
      return { ...state, title: event.title };
    case 'facts':
      return { ...state, facts: event.facts };
    case 'kept':
      return { ...state, kept: event.kept };
    case 'found':
      return { ...state, found: event.found };
    case 'tab':
      return { ...state, tab: event.tab };
    case 'select':
      return { ...state, selected: event.selected };
    case 'open':
      return { ...state, open: withMember(state.open, event.row, event.open) };
    case 'expandAll':
      return { ...state, expandedAll: event.expanded, expanded: new Set() };
    case 'text':
      return { ...state, texts: withText(state.texts, event.key, event.text) };
    case 'question':
      return askFor(state, event.question, event.asked);
    case 'questions':
      return { ...state, questions: event.questions };
    case 'follow':
      return { ...state, following: event.following, unseen: event.following ? 0 : state.unseen };
    case 'notice':
      return { ...state, notice: event.notice };
  }
}

function begin(state: State, snapshot: Omit<Snapshot, 'draft'>): State {
  const { at, ...rest } = snapshot;
  const isLive = rest.live.state === 'running' || rest.live.state === 'waiting';
  // Whoever followed on the page before this one goes on, whatever stood at its top: rows come after the first answer, too,
  // where a run has ended meanwhile.
  const following = state.following || (isLive && at === undefined);
  return {
    ...state,
    ...rest,
    ready: true,
    steadySince: rest.list.generation,
    rows: new Map(),
    following,
    unseen: 0,
    matches: undefined,
  };
}

/** The list as it is now, with the rows that came with the news where they are in sight: at the end of it. */
function takeList(state: State, { tail, ...event }: EventData<'list'>): State {
  const changed = changeList(state, event);
  if (!tail || !changed.following) return changed;
  return takeRows(changed, { generation: event.generation, ...tail }, event.rows);
}

function changeList(state: State, { changes, replaced, ...list }: Omit<EventData<'list'>, 'tail'>): State {
  const steadySince = list.generation;
  if (replaced) return { ...state, list, steadySince, rows: new Map(), selected: undefined, unseen: 0 };
  const before = state.list.rows;
  const isSteady = changes.every(({ at, removed }) => at >= before && removed === 0);
  const added = changes.reduce((sum, { at, inserted }) => sum + (at >= before ? inserted : 0), 0);
  const isNews = !state.following && isRunning(state) && isUnasked(state.asked);
  return {
    ...state,
    list,
    steadySince: isSteady ? state.steadySince : steadySince,
    rows: shiftRows(state.rows, changes),
    selected: shiftSelection(state.selected, changes),
    unseen: isNews ? state.unseen + added : state.unseen,
  };
}

function shiftSelection(
  selected: Selection | undefined,
  changes: EventData<'list'>['changes'],
): Selection | undefined {
  if (selected?.index === NOWHERE) return selected;
  const index = selected && shiftIndex(selected.index, changes);
  return selected && index !== undefined ? { id: selected.id, index } : undefined;
}

function takeRows(state: State, answer: RowsAnswer, center: number): State {
  // While a transcript is being read, its list grows many times a second, faster than answers arrive.
  if (answer.generation < state.steadySince || answer.generation > state.list.generation) return state;
  const rows = new Map(state.rows);
  answer.rows.forEach((row, at) => rows.set(answer.start + at, row));
  const marks = answer.marks ? [...new Set([...answer.marks, ...state.marks])].slice(0, 200) : state.marks;
  const selected = found(state.selected, answer);
  return { ...state, rows: nearest(rows, center), marks, selected, expanded: expandedIn(state, answer.rows) };
}

/** The place of the row that a previous page had selected, once that row has been loaded. */
function found(selected: Selection | undefined, { rows, start }: RowsAnswer): Selection | undefined {
  if (selected?.index !== NOWHERE) return selected;
  const at = rows.findIndex(({ id }) => id === selected.id);
  return at < 0 ? selected : { id: selected.id, index: start + at };
}

/** The rows nearest to the ones in view. */
function nearest(rows: Map<number, Row>, center: number): ReadonlyMap<number, Row> {
  if (rows.size <= MAX_CACHED_ROWS) return rows;
  const indexes = [...rows.keys()].sort((a, b) => Math.abs(a - center) - Math.abs(b - center));
  for (const index of indexes.slice(MAX_CACHED_ROWS)) rows.delete(index);
  return rows;
}

function replaceRows(state: State, changed: readonly Row[]): State {
  const byId = new Map(changed.map((row) => [row.id, row]));
  const rows = new Map(state.rows);
  for (const [index, { id }] of state.rows) {
    const row = byId.get(id);
    if (row) rows.set(index, row);
  }
  return { ...state, rows, expanded: expandedIn(state, changed) };
}

/** The expanded dispatches, which the host reports with their rows. */
function expandedIn(state: State, rows: readonly Row[]): State['expanded'] {
  let { expanded } = state;
  for (const row of rows) {
    if (row.kind !== 'dispatch') continue;
    const isException = row.expanded !== state.expandedAll;
    if (expanded.has(row.id) !== isException) expanded = withMember(expanded, row.id, isException);
  }
  return expanded;
}

/** A question that cannot be answered changes nothing but the bar. */
function askFor(state: State, question: Question, asked: Question): State {
  if (isSameQuestion(asked, state.asked)) return { ...state, question };
  return {
    ...state,
    question,
    asked,
    number: state.number + 1,
    matches: undefined,
    marks: [],
    found: undefined,
    following: isUnasked(asked) && state.following,
  };
}

function withMember<T>(set: ReadonlySet<T>, member: T, isIn: boolean): ReadonlySet<T> {
  const changed = new Set(set);
  changed.delete(member);
  if (isIn) changed.add(member);
  evictOldest(changed, MAX_OPEN);
  return changed;
}

function withText(texts: State['texts'], key: string, text: FetchedText | undefined): State['texts'] {
  const changed = new Map(texts);
  changed.delete(key);
  if (text) changed.set(key, text);
  evictOldest(changed, MAX_TEXTS);
  return changed;
}
