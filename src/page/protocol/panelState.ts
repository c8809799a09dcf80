import * as v from 'valibot';
import type { Cost } from '../../core/cost.js';
import type { FirstTrouble } from '../../query/numbers/whereItWentWrong.js';
import type { FailureWay } from '../../core/ports/failureWays.js';
import type { DamagedLine } from '../../core/ports/transcript.js';
import type { QueryProblem, RowKind } from '../../query/language/syntax.js';
import type { KnownQuestions } from './question.js';
import type { TokenCount } from './row.js';

/** The state of the conversation, and what a person can do about it. */
export interface LiveState {
  readonly state:
    | 'running'
    | 'waiting'
    | 'done'
    | 'failed'
    | 'cancelled'
    | 'limited'
    | 'interrupted'
    | 'unknown';
  readonly canStop: boolean;
  readonly canContinue: boolean;
  /** Why it cannot be continued, for a person. */
  readonly whyNot?: string;
  /** How many messages wait until the run has ended. */
  readonly queued?: number;
  /** Why the last run failed, and what can be done about it. */
  readonly failure?: { readonly reason: string; readonly ways: readonly FailureWay[] };
}

/** A secret that a prompt carries and its answer must repeat. */
export const nonce = v.pipe(v.string(), v.maxLength(100));

/** An approval that waits for a person. Only an answer with this nonce counts, and only once. */
export interface ApprovalCard {
  readonly id: string;
  readonly nonce: string;
  readonly agent: string;
  readonly tool: string;
  readonly title: string;
  /** Exactly what will be done, in full; absent where it is too large to be shown here. */
  readonly subject?: string;
  readonly characters: number;
  readonly askReason?: string;
  /** Whether it is about the run, which goes on or ends. */
  readonly isOfRun?: boolean;
}

/** The sizes of the row list, whose rows change with the generation. */
export interface ListState {
  readonly generation: number;
  /** The number of rows in the list. */
  readonly rows: number;
  /** The number of rows read so far, with every dispatch expanded and without a filter. */
  readonly allRows: number;
  /** How many rows there are of raw events, and whether they are part of the list. */
  readonly rawRows: number;
  readonly showsRaw: boolean;
  /** The number of messages read so far. */
  readonly messages: number;
  /** The number of records read so far. */
  readonly read: number;
  /** The number of records in the transcript. */
  readonly records: number;
}

/** How far a question is answered. */
export interface MatchState {
  /** The number of the `ask` request that this belongs to. */
  readonly number: number;
  readonly rows: RowKind;
  /** How many were found of what was asked for, and of how many; of everything, rows of the list. */
  readonly found: number;
  readonly total: number;
  /** The number of rows in the list that show them. */
  readonly matches: number;
  readonly scanned: number;
  readonly of: number;
  readonly done: boolean;
  /** Why the question cannot be answered, in the order of the places; the answer before it stays. */
  readonly problems: readonly QueryProblem[];
}

/** The names that a filter can choose from. */
export interface Facets {
  readonly agents: readonly {
    readonly name: string;
    readonly hue: number;
  }[];
  readonly tools: readonly string[];
}

/** What a transcript is as a whole. */
export interface TranscriptFacts {
  /** When it began, in milliseconds since 1970; 0 where no time is known. */
  readonly startedAt: number;
  /** The time that all runs took together, in milliseconds; 0 where it is unknown. */
  readonly durationMs: number;
  readonly tokens: TokenCount;
  /** What all requests cost. */
  readonly cost: Cost;
  readonly errors: number;
  /** Why the last run ended as it did, where it failed or reached a limit. */
  readonly reason?: string;
  /** The first thing that went wrong in the last run, where that failed. */
  readonly trouble?: FirstTrouble;
}

/** A conversation of an archive. */
export interface ArchiveLocation {
  /** The archive, as `host:port/database`. */
  readonly place: string;
  /** Its id there. */
  readonly id: string;
}

/** Where a transcript comes from, and what its source says of it as a whole. */
export interface Provenance {
  /** The tool that it was imported from. */
  readonly tool?: string;
  /** The file that it was imported from. */
  readonly path?: string;
  /** The folder of the workspace that its store belongs to. */
  readonly folder?: string;
  /** What it is in the archive that it was read from. */
  readonly archived?: ArchiveLocation;
  /** How many places of its file could not be understood, or should be known of; the report of its import names them. */
  readonly problems?: number;
  /** What the source tells of the whole, such as a score. */
  readonly details: readonly {
    readonly name: string;
    readonly value: string;
  }[];
}

/** What is damaged in a journal: the first places, and how many there are. */
export interface Damages {
  readonly damaged: readonly DamagedLine[];
  readonly damagedTotal: number;
}

/** Everything that a page needs to start, except rows. */
export interface Snapshot extends Damages {
  readonly title: string;
  readonly conversation: string;
  readonly live: LiveState;
  readonly list: ListState;
  readonly facts: TranscriptFacts;
  readonly provenance: Provenance;
  readonly facets: Facets;
  readonly approvals: readonly ApprovalCard[];
  readonly questions: KnownQuestions;
  /** The text in the chat box. */
  readonly draft: string;
  readonly expandedAll: boolean;
  /** How far the person had looked before, and when: what came since is new. */
  readonly seen?: { readonly at: number; readonly records: number };
  /** Where to scroll to: the row to be shown, or the one that the page had at its top. */
  readonly at?: {
    readonly index: number;
    readonly id: number;
  };
}

/** How many agents that write at once are shown; the others are counted. */
export const MAX_WRITERS = 4;

/** What agents are writing at this moment. */
export interface Writing {
  readonly texts: readonly {
    /** The id of the call that writes. */
    readonly call: string;
    readonly agent: string;
    readonly hue: number;
    readonly depth: number;
    /** The end of what was said so far, and of what was thought. */
    readonly text: string;
    readonly reasoning: string;
    /** Whether more was said before the beginning of `text`. */
    readonly isCut: boolean;
  }[];
  /** How many agents more are writing. */
  readonly more: number;
}
