import type { QuotaReading } from '../../query/numbers/quotas.js';
import type { Cost } from '../../core/cost.js';
import type { QueryProblem, RowKind } from '../../query/language/syntax.js';

/** Where sessions may be: in a store, in a file of another tool that is read in place, or in the archive of a team. */
export const LOCATION_KINDS = ['stored', 'file', 'archive'] as const;

/**
 * Where a session is found: a conversation of the store in the folder `root`; or in the file at the path `root`, with the
 * number of the conversation among those of the file, from 0, as a text; or in the archive that is called `root`.
 */
export interface SessionLocation {
  readonly kind: (typeof LOCATION_KINDS)[number];
  readonly root: string;
  readonly conversation: string;
}

/** In which order sessions are looked at and told: by when they began. */
export type SearchOrder = 'newest' | 'oldest';

/** How much of what is found is told; everything is counted. */
export interface SearchLimits {
  /** The most sessions that are told with hits. */
  readonly sessions: number;
  /** The most hits of one session. */
  readonly hitsOfSession: number;
  /** So many values of each facet, those that cost the most first; absent: some, those that most rows have. */
  readonly costliest?: number;
}

/** A question in the language of `docs/query.md`, asked of all sessions. Plain data. */
export interface SearchQuestion {
  readonly text: string;
  /** What is asked for. */
  readonly rows: RowKind;
  /** What `7d` and `today` refer to, in milliseconds since 1970. */
  readonly now: number;
  /** In which days are days, such as `Europe/Berlin`. */
  readonly timeZone: string;
  readonly order: SearchOrder;
  readonly limits: SearchLimits;
  /** Absent: all sessions. */
  readonly only?: readonly SessionLocation[];
  /** Whether the archive of the team is asked too. */
  readonly archive?: boolean;
}

/** A stretch of an excerpt, in UTF-16 code units. */
export interface Mark {
  readonly start: number;
  readonly end: number;
}

/** Some text of a hit on one line, around the first thing that matches, with what matches in it. */
export interface Excerpt {
  readonly text: string;
  readonly marks: readonly Mark[];
  /** Whether there is more text before it and after it. */
  readonly isCutBefore: boolean;
  readonly isCutAfter: boolean;
}

/** A row as it stands in another session, too. */
export interface ToldElsewhere {
  readonly place: SessionLocation;
  readonly position: number;
  /** Of that session. */
  readonly title: string;
}

/** A row that matches. */
export interface SearchHit {
  readonly rows: RowKind;
  /** The position of the record to be shown: of a tool call its call, else its result; of a larger row its first. */
  readonly position: number;
  /** The number of that record; absent where it has none. */
  readonly seq?: number;
  /** The id of a tool call, a call of an agent, a run or a session; absent for messages and records. */
  readonly id?: string;
  /** When it began, in milliseconds since 1970; absent where that is not known. */
  readonly time?: number;
  readonly agent?: string;
  readonly role?: string;
  /** The tools that it concerns. */
  readonly tools: readonly string[];
  readonly model?: string;
  readonly isError: boolean;
  readonly durationMs?: number;
  /** What it cost, as it adds to `totals`; absent where it asked nothing of a model. */
  readonly cost?: Cost;
  readonly excerpt: Excerpt;
  /** What a person has noted on it, each on one line, where the question asks for notes; absent where that is nothing. */
  readonly notes?: readonly string[];
  /** Where else it stands, of many some; absent where that is nowhere, and for what is larger than a message or a call. */
  readonly alsoIn?: readonly ToldElsewhere[];
  /** The terms of the question that hold for it, as they are written in it; none is negated. */
  readonly why: readonly string[];
}

/** The hits in one session. */
export interface SearchGroup {
  readonly place: SessionLocation;
  readonly title: string;
  /** The tool that recorded it; absent where it was recorded here. */
  readonly source?: string;
  /** What a person calls that tool. */
  readonly sourceName?: string;
  readonly project?: string;
  readonly agents: readonly string[];
  /** In milliseconds since 1970; absent where no record has a time. */
  readonly beganAt?: number;
  readonly endedAt?: number;
  /** Whether an agent is at work in it now. */
  readonly isLive: boolean;
  /** How many of its rows match. */
  readonly count: number;
  /** What these cost, as in `totals`. */
  readonly cost?: Cost;
  /** How much of its tool's limits was used, where it tells it. */
  readonly quotas?: readonly QuotaReading[];
  /** The first of them, in the order of the session. */
  readonly hits: readonly SearchHit[];
}

/** A value that matching rows have, and how many do. */
export interface FacetValue {
  readonly value: string;
  /** What a person calls it; absent where that is the value. */
  readonly name?: string;
  readonly count: number;
  /** What these rows cost, as in `totals`; absent where none asked anything of a model. */
  readonly cost?: Cost;
  /** What to add to the question to be left with these rows. */
  readonly refine: string;
}

/** What all matching rows have in one respect, those that are not told included. A row may have several values, or none. */
export interface Facet {
  readonly field: 'agent' | 'tool' | 'model' | 'source' | 'project' | 'day';
  /** The most frequent first; days from the latest to the earliest. */
  readonly values: readonly FacetValue[];
  /** How many further values there are. */
  readonly more: number;
}

/** How many matching rows began in a stretch of time. */
export interface HistogramBar {
  /** In milliseconds since 1970; `to` is not part of it. */
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** When matching rows began. */
export interface Histogram {
  readonly unit: 'hour' | 'day' | 'month';
  /** In the order of time; stretches in which none began are left out, and of very many bars the earliest. */
  readonly bars: readonly HistogramBar[];
  /** How many rows are in no bar: their time is not known, or in a bar that was left out. */
  readonly inNoBar: number;
}

/** A session that could not be looked through. */
export interface UnreadSession {
  readonly place: SessionLocation;
  /** For a person. */
  readonly why: string;
}

/** A session that was looked through as far as it is whole. */
export interface IncompleteSession {
  readonly place: SessionLocation;
  /** How many places of it are damaged. */
  readonly damaged: number;
  /** How many large texts were looked for and are not there any more; of them only the beginning was looked through. */
  readonly missingTexts: number;
}

/** How many there are, and the first of them. */
export interface Counted<T> {
  readonly count: number;
  readonly first: readonly T[];
}

/** How a search stands. Everything but `groups` is of all that was found so far. */
export interface SearchUpdate {
  /** `refused`: the question, or one of its patterns, has `problems`. The last update has another state than `searching`. */
  readonly state: 'searching' | 'done' | 'cancelled' | 'refused';
  readonly problems: readonly QueryProblem[];
  /** What has come since the update before, in the order that was asked for; what is in an archive, when it has come. */
  readonly groups: readonly SearchGroup[];
  /**
   * How many rows match, in how many sessions, and what they cost: each without calls below it, and each request once, at
   * the message that answers it, else at its own record. Without a cost where no row asked anything of a model.
   */
  readonly totals: { readonly rows: number; readonly sessions: number; readonly cost?: Cost };
  readonly facets: readonly Facet[];
  readonly histogram: Histogram;
  /** How many sessions were looked at, of how many. */
  readonly progress: { readonly looked: number; readonly of: number };
  /** Sessions that could not be read, or in which a pattern took too long: nothing of them is counted. */
  readonly unread: Counted<UnreadSession>;
  /** Sessions of which a part could not be read; the rest of them is counted. */
  readonly incomplete: Counted<IncompleteSession>;
  /** Why the archive was not asked, or not to its end, in a sentence; absent where it was, and where nobody wants it. */
  readonly archiveProblem?: string;
}

/** A record near a hit. */
export interface NearRecord {
  readonly position: number;
  readonly time?: number;
  readonly agent?: string;
  /** The role of a message, else the type of the record. */
  readonly role: string;
  /** What is shown of it, cut where it is long. */
  readonly text: string;
  readonly isCut: boolean;
}
