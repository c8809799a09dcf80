import type { SearchQuestion } from '../page/protocol/search.js';
import type { OwnerIndex } from './owners.js';
import type { Session } from './sessions/session.js';
import type { ShardStep } from './shardSearch.js';
import type { CountedRows } from './tallies.js';

/** A step of a share on another thread, with what it counts. Plain data. */
export interface RemoteStep {
  readonly step: ShardStep;
  readonly counted: CountedRows;
  /** Why an archive could not be asked, or not to its end, for a person; absent where it could. */
  readonly archiveProblem?: string;
}

/** A share of a search on another thread. */
export interface RemoteShard {
  /** Whether nothing of the other shares waits for what it finds, because it may take its time. */
  readonly isApart: boolean;
  /** Resolves once there is a step that was not taken; rejects where the thread ends. Not to be called behind the last. */
  arrived(): Promise<void>;
  /** The steps that have come; throws where the thread has ended. */
  taken(): readonly RemoteStep[];
  /** The step that is worked on, or the next one, is the last. */
  cancel(): void;
  /** To be called when no more is asked of it. */
  end(): void;
}

/** How the sessions of a question are shared out among threads. */
export interface Shards {
  /** `here`: those that are looked at here in any case, by their keys. */
  of(
    sessions: readonly Session[],
    here: ReadonlyMap<string, Session>,
  ): {
    /** Those that are looked at here. */
    readonly own: readonly Session[];
    /** Begins to look at the others. */
    others(question: SearchQuestion, owners: Pick<OwnerIndex, 'told'>): readonly RemoteShard[];
  };
}

/** All on one thread. */
export const SoleShard: Shards = { of: (own) => ({ own, others: () => [] }) };

/** Which of some shares a session is in: always the same, so that what is known of it is in the memory of one thread. */
export function shardOf({ place: location }: Session, shards: number): number {
  // Files of other tools are read by the thread that the question is put to.
  if (location.kind === 'file') return 0;
  let hash = 0;
  for (let at = 0; at < location.conversation.length; at++)
    hash = (Math.imul(hash, 31) + location.conversation.charCodeAt(at)) | 0;
  return ((hash ^ (hash >>> 16)) >>> 0) % shards;
}
