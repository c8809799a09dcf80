import type {
  Facet,
  Histogram,
  SearchGroup,
  SearchHit,
  SearchUpdate,
} from '../../src/page/protocol/search.js';
import type { BarQuery } from '../../src/page/protocol/searchPage.js';
import type { QueryProblem } from '../../src/query/language/syntax.js';

/** In which order sessions stand: by when something last happened in them, or by how much was found in them. */
export const ORDERS = ['newest', 'most'] as const;
/** See `ORDERS`. */
export type Order = (typeof ORDERS)[number];

/** A row of the list by what it stands for, so that it stays chosen while others come: of a hit its position. */
export interface RowKey {
  readonly session: string;
  readonly hit?: string;
}

/** What is known of a search that was asked: everything that the page shows of it. Immutable. */
export interface SearchState {
  /** The number of the search, of which every answer has to be. */
  readonly number: number;
  /** What was asked; undefined before anything was. */
  readonly asked: BarQuery | undefined;
  readonly state: SearchUpdate['state'] | 'failed' | 'nothing';
  /** Why there is no answer, where there is none. */
  readonly failure: string | undefined;
  readonly problems: readonly QueryProblem[];
  readonly groups: readonly SearchGroup[];
  readonly totals: SearchUpdate['totals'];
  readonly facets: readonly Facet[];
  readonly histogram: Histogram;
  readonly progress: SearchUpdate['progress'];
  readonly unread: SearchUpdate['unread'];
  readonly incomplete: SearchUpdate['incomplete'];
  /** Why the archive was not asked, or not to its end; undefined where it was, and where nobody wants it. */
  readonly archiveProblem?: string | undefined;
  readonly order: Order;
  /** The sessions whose hits are hidden. */
  readonly collapsed: ReadonlySet<string>;
  readonly selected: RowKey | undefined;
  /** How many conversations there are; undefined while that is not known. */
  readonly conversations: number | undefined;
  /** Facet values by field that were offered before the question asked for one of them, so that another can be added. */
  readonly offered: ReadonlyMap<string, Facet>;
}

/** What can happen to it. */
export type SearchEvent =
  | { readonly type: 'ask'; readonly question: BarQuery; readonly refines: string | undefined }
  | { readonly type: 'forget' }
  | { readonly type: 'update'; readonly number: number; readonly update: SearchUpdate }
  | { readonly type: 'failed'; readonly number: number; readonly message: string }
  | { readonly type: 'cancel' }
  | { readonly type: 'group'; readonly group: SearchGroup }
  | { readonly type: 'order'; readonly order: Order }
  | { readonly type: 'collapse'; readonly session: string; readonly collapsed: boolean }
  | { readonly type: 'collapseAll'; readonly collapsed: boolean }
  | { readonly type: 'select'; readonly row: RowKey | undefined }
  | { readonly type: 'conversations'; readonly count: number };

const NO_RESULT = {
  failure: undefined,
  problems: [],
  groups: [],
  totals: { rows: 0, sessions: 0 },
  facets: [],
  histogram: { unit: 'day', bars: [], inNoBar: 0 },
  progress: { looked: 0, of: 0 },
  unread: { count: 0, first: [] },
  incomplete: { count: 0, first: [] },
  archiveProblem: undefined,
} as const satisfies Partial<SearchState>;

/** A page that has asked nothing. */
export const NOTHING_ASKED: SearchState = {
  ...NO_RESULT,
  number: 0,
  asked: undefined,
  state: 'nothing',
  order: 'newest',
  collapsed: new Set(),
  selected: undefined,
  conversations: undefined,
  offered: new Map(),
};

/** What names a session among all: the stores' folders, and its id there. */
export function sessionKey({ place: { root, conversation } }: Pick<SearchGroup, 'place'>): string {
  return `${root}\n${conversation}`;
}

/** What names a hit within its session. */
export function hitKey({ rows, position, id }: SearchHit): string {
  return `${rows} ${position} ${id ?? ''}`;
}

/** The state after an event. */
export function reduceSearch(state: SearchState, event: SearchEvent): SearchState {
  switch (event.type) {
    case 'ask':
      return {
        ...state,
        ...NO_RESULT,
        number: state.number + 1,
        asked: event.question,
        state: 'searching',
        // What is shown beside the list stays until something else is known, so that nothing jumps with each key.
        facets: state.facets,
        histogram: state.histogram,
        selected: undefined,
        offered: offeredAfter(state, event.refines),
      };
    case 'forget':
      return {
        ...NOTHING_ASKED,
        number: state.number + 1,
        order: state.order,
        conversations: state.conversations,
      };
    case 'update':
      return event.number === state.number && state.state === 'searching'
        ? updated(state, event.update)
        : state;
    case 'failed':
      return event.number === state.number ? { ...state, state: 'failed', failure: event.message } : state;
    case 'cancel':
      return state.state === 'searching' ? { ...state, state: 'cancelled' } : state;
    case 'group':
      return { ...state, groups: withGroups(state.groups, [event.group], state.order) };
    case 'order':
      return { ...state, order: event.order, groups: inOrder(state.groups, event.order) };
    case 'collapse':
      return { ...state, collapsed: withMember(state.collapsed, event.session, event.collapsed) };
    case 'collapseAll':
      return {
        ...state,
        collapsed: new Set(event.collapsed ? state.groups.map(sessionKey) : []),
        selected: event.collapsed && state.selected ? { session: state.selected.session } : state.selected,
      };
    case 'select':
      return { ...state, selected: event.row };
    case 'conversations':
      return { ...state, conversations: event.count };
  }
}

function updated(state: SearchState, update: SearchUpdate): SearchState {
  const { groups, ...rest } = update;
  const { facets, histogram } = state;
  // What stands beside the list does not vanish before anything was found: it would flicker, and take the focus along.
  const isEarly = update.state === 'searching' && update.totals.rows === 0;
  return {
    ...state,
    ...rest,
    ...(isEarly && { facets, histogram }),
    groups: withGroups(state.groups, groups, state.order),
  };
}

/** Of the field that a click refines, the values are remembered; a question that is typed forgets them. */
function offeredAfter({ offered, facets }: SearchState, refines: string | undefined): SearchState['offered'] {
  if (refines === undefined) return new Map();
  const before = facets.find(({ field }) => field === refines);
  return before && !offered.has(refines) ? new Map([...offered, [refines, before]]) : offered;
}

/** The groups with others, each session once: what is told of it last is right. */
function withGroups(
  old: readonly SearchGroup[],
  others: readonly SearchGroup[],
  order: Order,
): readonly SearchGroup[] {
  if (others.length === 0) return old;
  const all = new Map(old.map((group) => [sessionKey(group), group]));
  for (const group of others) all.set(sessionKey(group), group);
  return inOrder([...all.values()], order);
}

function inOrder(groups: readonly SearchGroup[], order: Order): readonly SearchGroup[] {
  const time = (group: SearchGroup) => group.endedAt ?? group.beganAt ?? 0;
  const byTime = (a: SearchGroup, b: SearchGroup) => time(b) - time(a);
  return groups.toSorted(order === 'newest' ? byTime : (a, b) => b.count - a.count || byTime(a, b));
}

function withMember(set: ReadonlySet<string>, member: string, isIn: boolean): ReadonlySet<string> {
  const others = [...set].filter((each) => each !== member);
  return new Set(isIn ? [...others, member] : others);
}
