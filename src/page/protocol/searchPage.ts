import * as v from 'valibot';
import type { Cost } from '../../core/cost.js';
import { ROW_KINDS } from '../../query/language/syntax.js';
import type { Contract } from './protocol.js';
import { QUESTION_SCOPES, savedQuestion, type KnownQuestions } from './question.js';
import { count } from './row.js';
import {
  LOCATION_KINDS,
  type NearRecord,
  type SearchGroup,
  type SearchUpdate,
  type SessionLocation,
} from './search.js';

/** A longer question is refused: nobody writes one, and each is read again with every key. */
const MAX_QUESTION = 100_000;

/** More sessions than any list holds are refused. */
const MAX_EXPORTED = 100_000;

const question = v.object({
  text: v.pipe(v.string(), v.maxLength(MAX_QUESTION)),
  rows: v.picklist(ROW_KINDS),
});
const path = v.pipe(v.string(), v.maxLength(10_000));
const place = v.object({ kind: v.picklist(LOCATION_KINDS), root: path, conversation: path });
const nothing = v.object({});

/** A question as it stands in the bar: its text, and the rows that it is asked for. */
export type BarQuery = v.InferOutput<typeof question>;

/** What the page of a search may request, each with its parameters. Anything else is refused. */
export const searchRequests = {
  /** The first request of a page. */
  ready: nothing,
  /**
   * Asks a question in place of the one before. `number` comes back with everything that is found; with `archive`, the archive of
   * the team is asked too.
   */
  ask: v.object({ number: count, question, archive: v.exactOptional(v.boolean()) }),
  /** Ends the search that is in progress; nothing is asked any more where it `forgets`. */
  cancel: v.object({ forgets: v.exactOptional(v.boolean()) }),
  /** All hits in one session, as far as any list may hold them. */
  more: v.object({ question, place }),
  /** The records around a position. */
  near: v.object({ place, position: count }),
  /** The values of a field or an argument that occur in all conversations, for completion, see `completeAt`. */
  values: v.object({ name: v.pipe(v.string(), v.maxLength(100)) }),
  /** Opens a transcript at a record, with what was found marked in it. */
  open: v.object({
    place,
    position: v.exactOptional(count),
    found: v.exactOptional(v.pipe(v.string(), v.maxLength(10_000))),
    /** Whether the keyboard's focus stays in the search. */
    staysHere: v.boolean(),
  }),
  /** Begins or ends to follow what is live; on the page that tells it alone. */
  follow: v.object({ isWanted: v.boolean() }),
  /** Exports the sessions in which something was found. */
  exportFound: v.object({ places: v.pipe(v.array(place), v.maxLength(MAX_EXPORTED)) }),
  /** Opens the search in an editor. */
  openInEditor: question,
  /** Notes a question that the person has made use of, for the history. */
  noteQuestion: v.object({ question }),
  saveQuestion: savedQuestion,
  removeQuestion: v.object({ name: v.string(), scope: v.picklist(QUESTION_SCOPES) }),
  /** Copies a link that opens the search with a question. */
  copyQuestionLink: v.object({ question }),
} as const;

/** What all sessions had cost at a time, in milliseconds since 1970. */
export interface KeptSpending {
  readonly at: number;
  readonly update: SearchUpdate;
}

/** A session that works, waits or has just ended. */
export interface LiveRow {
  readonly place: SessionLocation;
  /** '' where it has none. */
  readonly title: string;
  /** The tool that records it, or the agents that run here. */
  readonly source: string;
  readonly project: string;
  /** What it does, as a name and in words. */
  readonly state: string;
  readonly doing: string;
  /** What is asked, or what it is at; '' where that is not told. */
  readonly words: string;
  /** Since when it does so, in milliseconds since 1970. */
  readonly since: number;
  /** What its last request filled of its context, in tokens. */
  readonly context?: { readonly used: number; readonly window?: number };
  readonly cost?: Cost;
}

type SearchRequestName = keyof typeof searchRequests;

interface NamedAnswers {
  readonly ready: {
    /** How many conversations there are. */
    readonly conversations: number;
    /** Whether the archive is asked too, as the person has last chosen; absent where none is set. */
    readonly archive?: boolean;
    /** What the page is to ask first, in place of what its predecessor left; absent where nothing is. */
    readonly question?: BarQuery;
    readonly isEditor: boolean;
    /** What everything had cost when it was last read to its end, and when that was; for the page of spending alone. */
    readonly spent?: KeptSpending;
    readonly questions: KnownQuestions;
  };
  readonly noteQuestion: KnownQuestions;
  readonly saveQuestion: KnownQuestions;
  readonly removeQuestion: KnownQuestions;
  readonly more: { readonly group?: SearchGroup };
  readonly near: { readonly records: readonly NearRecord[] };
  readonly values: { readonly values: readonly string[] };
}

/** What the page of a search and its host say to each other. */
export interface SearchContract extends Contract {
  readonly params: { readonly [N in SearchRequestName]: v.InferOutput<(typeof searchRequests)[N]> };
  readonly answers: Record<Exclude<SearchRequestName, keyof NamedAnswers>, Record<string, never>> &
    NamedAnswers;
  readonly events: {
    readonly update: { readonly number: number; readonly update: SearchUpdate };
    /** All that is live, who needs somebody first. */
    readonly live: { readonly rows: readonly LiveRow[] };
    /** The search ended without an answer, for this reason. */
    readonly failed: { readonly number: number; readonly message: string };
    /** A question from elsewhere; without one, the bar gets the focus. */
    readonly show: { readonly question?: BarQuery };
    /** Goes to the next hit, or to the previous one (`by` -1), and opens it. */
    readonly step: { readonly by: 1 | -1 };
  };
}
