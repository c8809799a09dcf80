import * as v from 'valibot';
import type { CacheReason } from '../../query/numbers/context/cacheUse.js';
import type { ContextKind, WholeProvenance } from '../../query/numbers/context/contextKinds.js';
import { count } from './row.js';

export type { CacheReason } from '../../query/numbers/context/cacheUse.js';
export { CONTEXT_KINDS, type ContextKind } from '../../query/numbers/context/contextKinds.js';

/** By what the parts of a request are listed: each by its kind, tool and file, or only by one of these. */
export const CONTEXT_GROUPS = ['each', 'role', 'tool', 'file', 'server'] as const;
/** See `CONTEXT_GROUPS`. */
export type ContextGroup = (typeof CONTEXT_GROUPS)[number];

/** The most columns of a chart. */
export const MAX_CONTEXT_COLUMNS = 400;
/** The most messages whose texts are asked for at once. */
export const MAX_QUOTED = 500;
/** The most dropped messages in one answer. */
export const PAGE_DROPPED = 100;

/** The requests of a page about contexts. */
export const contextRequests = {
  /**
   * What filled the window of each request of one agent's call, and of one request more closely: the last one where none
   * is named. Windows and requests count from 0.
   */
  context: v.object({
    window: v.exactOptional(count),
    request: v.exactOptional(count),
    by: v.picklist(CONTEXT_GROUPS),
    columns: v.pipe(count, v.minValue(1), v.maxValue(MAX_CONTEXT_COLUMNS)),
  }),
  /** The messages that a compaction took out of a window, from one on. */
  dropped: v.object({ window: count, compaction: count, start: count }),
  /** The texts of messages, to be said again. */
  quote: v.object({ positions: v.pipe(v.array(count), v.minLength(1), v.maxLength(MAX_QUOTED)) }),
} as const;

/** The window of one agent's call, of which the entry agent's goes on through all runs. */
export interface ContextWindowInfo {
  /** Its number among all windows. */
  readonly window: number;
  readonly agent: string;
  readonly hue: number;
  readonly depth: number;
  readonly requests: number;
  /** The tokens of its largest request. */
  readonly most: number;
  readonly compactions: number;
}

/** One request of a chart; of several that share a column, the largest. */
export interface ContextColumn {
  readonly request: number;
  readonly position: number;
  /** How many requests the column stands for. */
  readonly requests: number;
  readonly total: number;
  readonly provenance: WholeProvenance;
  /** The tokens of each of `CONTEXT_KINDS`; they add up to `total`. */
  readonly parts: readonly number[];
  readonly read?: number;
  readonly written?: number;
  /** Whether there was a compaction just before one of them, and whether one of them found its cached prefix broken. */
  readonly isCompacted: boolean;
  readonly isBroken: boolean;
}

/** A part of a request: what is from the same tool and file, or what else it is listed by. */
export interface ContextShare {
  readonly kind?: ContextKind;
  readonly role?: string;
  readonly tool?: string;
  readonly server?: string;
  readonly path?: string;
  readonly tokens: number;
  /** How many messages it stands in, and the position of the one with most of it; absent where no record holds it. */
  readonly messages: number;
  readonly position?: number;
}

/** One request, more closely. */
export interface ContextDetail {
  readonly request: number;
  readonly position: number;
  readonly model: string;
  /** In milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
  readonly total: number;
  readonly provenance: WholeProvenance;
  readonly parts: readonly number[];
  readonly read?: number;
  readonly written?: number;
  /** The largest parts, the largest first; together with `more` they are all of it. */
  readonly shares: readonly ContextShare[];
  readonly more: { readonly shares: number; readonly tokens: number };
}

/** A cached prefix that a request found broken. */
export interface ContextBreak {
  readonly request: number;
  readonly position: number;
  /** The tokens that were cached, and those that were read of them. */
  readonly held: number;
  readonly read: number;
  /** The position of the message at which the read prefix ends; absent where that is before the first message. */
  readonly at?: number;
  readonly reasons: readonly CacheReason[];
  readonly idleMs?: number;
}

/** A compaction of a window. */
export interface ContextCompaction {
  /** Its number among those of its window. */
  readonly compaction: number;
  readonly position: number;
  readonly time: number;
  /** The number of the first request after it. */
  readonly request: number;
  readonly trigger?: 'auto' | 'manual';
  /** Tokens, as the source counts them. */
  readonly before?: number;
  readonly after?: number;
  /** How many messages are not sent any more, and about how many tokens they are. */
  readonly messages: number;
  readonly tokens: number;
  /** False where the source does not tell which messages it took out. */
  readonly isKnown: boolean;
}

/** What all requests of a window together did with a cache, in tokens. */
export interface ContextCache {
  readonly sent: number;
  readonly read: number;
  readonly written: number;
  /** How many requests found their prefix broken, and how much of it was sent anew. */
  readonly broken: number;
  readonly lost: number;
}

/** What filled the window of each request. */
export interface ContextAnswer {
  /** How many records have been looked at, of how many: there is more to come while these differ. */
  readonly looked: number;
  readonly records: number;
  readonly windows: readonly ContextWindowInfo[];
  readonly moreWindows: number;
  /** The window that the rest is of; absent where nothing was asked yet. */
  readonly window?: number;
  readonly columns: readonly ContextColumn[];
  readonly detail?: ContextDetail;
  readonly compactions: readonly ContextCompaction[];
  readonly moreCompactions: number;
  readonly breaks: readonly ContextBreak[];
  readonly moreBreaks: number;
  /** What all requests of the window did with a cache; absent where none of them tells. */
  readonly cache?: ContextCache;
}

/** A message that a compaction took out of a window. */
export interface DroppedMessage {
  readonly position: number;
  readonly role: string;
  readonly agent: string;
  /** What it calls or answers; '' for a message of words. */
  readonly tool: string;
  /** Its beginning, on one line. */
  readonly preview: string;
  readonly tokens: number;
}

/** A page of the messages that a compaction took out. */
export interface DroppedPage {
  readonly total: number;
  readonly tokens: number;
  readonly messages: readonly DroppedMessage[];
}

/** What the requests are answered with. */
export interface ContextAnswers {
  readonly context: ContextAnswer;
  readonly dropped: DroppedPage;
  /** `rest`: how many messages did not fit. */
  readonly quote: { readonly text: string; readonly rest: number };
}
