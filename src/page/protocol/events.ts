import type { Question } from '../../query/language/question.js';
import type {
  ApprovalCard,
  Damages,
  Facets,
  ListState,
  LiveState,
  MatchState,
  TranscriptFacts,
  Writing,
} from './panelState.js';
import type { Row } from './row.js';

/** A change of the list: at `at`, `removed` rows went, then `inserted` rows came. */
export interface ListChange {
  readonly at: number;
  readonly removed: number;
  readonly inserted: number;
}

/** The list has grown or changed; the changes are to be applied in order. */
export interface ListEvent extends ListState {
  readonly changes: readonly ListChange[];
  /** True where the list is a new one and everything known of the old one must be discarded. */
  readonly replaced: boolean;
  /** The rows that came at the end of the list, from the index `start` on, so that nobody has to ask for them. */
  readonly tail?: { readonly start: number; readonly rows: readonly Row[] };
}

/** Asks the page to show a record, a tab, or what a question finds. */
export interface ShowEvent {
  readonly position?: number;
  readonly tab?: 'messages' | 'timeline' | 'statistics' | 'tools' | 'approvals' | 'context';
  /** What is to be done with the question: to go there, to choose or save one, or to copy a link to it. */
  readonly bar?: 'focus' | 'choose' | 'save' | 'copyLink';
  readonly question?: Question;
  /** The id of a note that is to be shown at its message. */
  readonly note?: string;
  /** A message that is to be shown, by its own id, and where it stood when somebody made a link to it. */
  readonly message?: { readonly id: string; readonly near?: number };
  /** What is to be done with the note of the row that is selected, or with the last change of one. */
  readonly noting?: 'write' | 'bookmark' | 'undo';
  /** What was searched for and found in the record at `position`, to be unfolded and marked there. */
  readonly found?: { readonly text: string; readonly matchCase: boolean; readonly wholeWord: boolean };
}

/** What the host sends without a request, in batches, while the page is visible. */
export interface Events {
  readonly list: ListEvent;
  /** Rows that have changed, of those the page was given recently. */
  readonly changed: { readonly rows: readonly Row[] };
  readonly matches: MatchState;
  readonly live: LiveState;
  readonly approvals: { readonly approvals: readonly ApprovalCard[] };
  readonly facets: Facets;
  readonly damaged: Damages;
  readonly facts: TranscriptFacts;
  /** What agents are writing at this moment: all of it each time, because a retry makes it void. */
  readonly writing: Writing;
  /** A text that could not be sent and belongs back in the chat box. */
  readonly returned: { readonly text: string; readonly problem?: string };
  readonly title: { readonly title: string };
  /** How many of the lines that its edits put into files still stand there. */
  readonly kept: { readonly put: number; readonly kept: number };
  readonly show: ShowEvent;
}

/** The name of an event from the host. */
export type EventName = keyof Events;
/** The data of an event. */
export type EventData<N extends EventName> = Events[N];
/** An event with its data. */
export type PanelEvent = {
  readonly [N in EventName]: { readonly name: N; readonly data: Events[N] };
}[EventName];
