import type { EventData } from '../src/page/protocol/events.js';
import { NO_COST } from '../src/core/cost.js';
import type { Question } from '../src/query/language/question.js';
import { NO_QUESTION, type KnownQuestions } from '../src/page/protocol/question.js';
import type {
  ApprovalCard,
  Facets,
  ListState,
  LiveState,
  MatchState,
  Provenance,
  Snapshot,
  TranscriptFacts,
} from '../src/page/protocol/panelState.js';
import type { Row } from '../src/page/protocol/row.js';

/** The tabs of the page, in order. */
export const TABS = ['messages', 'timeline', 'statistics', 'tools', 'approvals', 'context'] as const;
/** The name of a tab. */
export type Tab = (typeof TABS)[number];

/** The fetched part of a row's text; complete without `next`. */
export interface FetchedText {
  readonly text: string;
  readonly next?: number;
  readonly total: number;
}

/** The index of a row that a previous page selected and that is not loaded yet. */
export const NOWHERE = -1;

/** A row of the list as a person has chosen it. */
export interface Selection {
  readonly id: number;
  readonly index: number;
}

/** What a search found, and the row that it is in. */
export interface SearchMatch {
  readonly row: number;
  readonly text: string;
  readonly matchCase: boolean;
  readonly wholeWord: boolean;
}

/** A sentence for the person, shown until it is closed or replaced. */
export interface Notice {
  readonly text: string;
  readonly level: 'info' | 'error';
  /** What can be undone of what it tells. */
  readonly undoes?: 'note';
}

/** Everything that the page shows. Immutable. */
export interface State {
  /** False until the host has told what there is. */
  readonly ready: boolean;
  readonly conversation: string;
  readonly title: string;
  readonly live: LiveState;
  readonly facets: Facets;
  readonly damaged: readonly {
    readonly file: string;
    readonly line?: number;
    readonly offset: number;
    readonly bytes: number;
    readonly why: string;
  }[];
  readonly damagedTotal: number;
  readonly approvals: readonly ApprovalCard[];
  readonly questions: KnownQuestions;
  readonly facts: TranscriptFacts;
  readonly provenance: Provenance;
  /** How many of the lines that its edits put into files still stand there; undefined until that is known. */
  readonly kept?: EventData<'kept'>;
  readonly tab: Tab;
  readonly list: ListState;
  /** The generation since which the list has only grown at its end: rows of it stand where they stood then. */
  readonly steadySince: number;
  /** The loaded rows, by index. Bounded. */
  readonly rows: ReadonlyMap<number, Row>;
  readonly expandedAll: boolean;
  /** Dispatches that differ from `expandedAll`. */
  readonly expanded: ReadonlySet<number>;
  /** The rows whose cards or texts are open. */
  readonly open: ReadonlySet<number>;
  /** The fetched texts, by `row/field/part`. Bounded. */
  readonly texts: ReadonlyMap<string, FetchedText>;
  /** The question as it stands in the bar: the only place where it is kept. */
  readonly question: Question;
  /** The one that is answered: the same, or the last one without a problem. */
  readonly asked: Question;
  /** The number of the latest request for an answer. */
  readonly number: number;
  readonly matches: MatchState | undefined;
  /** The texts to highlight where the question has patterns, as found by the host. */
  readonly marks: readonly string[];
  readonly selected: Selection | undefined;
  /** What a search found in a row, which is unfolded and marked there. */
  readonly found: SearchMatch | undefined;
  /** Whether the list stays at its end as it grows. */
  readonly following: boolean;
  /** The number of rows added while the end was not in view. */
  readonly unseen: number;
  readonly notice: Notice | undefined;
  /** How far the person had looked before. */
  readonly seen?: Snapshot['seen'];
}

const NOTHING: LiveState = { state: 'unknown', canStop: false, canContinue: false };

/** The state before the first snapshot. */
export const INITIAL: State = {
  ready: false,
  conversation: '',
  title: '',
  live: NOTHING,
  facets: { agents: [], tools: [] },
  damaged: [],
  damagedTotal: 0,
  approvals: [],
  questions: { saved: [], recent: [] },
  tab: 'messages',
  facts: {
    startedAt: 0,
    durationMs: 0,
    tokens: { input: 0, output: 0, estimated: false },
    cost: NO_COST,
    errors: 0,
  },
  provenance: { details: [] },
  list: {
    generation: 0,
    rows: 0,
    allRows: 0,
    rawRows: 0,
    messages: 0,
    read: 0,
    records: 0,
    showsRaw: false,
  },
  found: undefined,
  steadySince: 0,
  rows: new Map(),
  expandedAll: false,
  expanded: new Set(),
  open: new Set(),
  texts: new Map(),
  question: NO_QUESTION,
  asked: NO_QUESTION,
  number: 0,
  matches: undefined,
  marks: [],
  selected: undefined,
  following: false,
  unseen: 0,
  notice: undefined,
};

/** Whether a run is in progress. */
export function isRunning({ live }: State): boolean {
  return live.state === 'running' || live.state === 'waiting';
}
