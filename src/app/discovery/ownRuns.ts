import type { SessionState } from '../../capture/discovery/sessionState.js';
import type { CatalogEntry, ConversationState } from '../../core/ports/transcript.js';
import { OWN, type Watched } from './watch.js';

/** What runs in this window and in others of its stores. */
export interface OwnRuns {
  /** Those of the stores that are open. */
  entries(): readonly CatalogEntry[];
  /** Whether anything runs in this window, or did a moment ago. */
  isBusy(): boolean;
  /** What is asked in a conversation of this window that waits for an answer. */
  asked(conversation: string): string | undefined;
  /** The folder of its store. */
  rootOf(conversation: string): Promise<string>;
}

/** What of the application tells what runs. */
export interface RunsAtHand {
  readonly stores: {
    readonly knownEntries: readonly CatalogEntry[];
    find(conversation: string): Promise<{ readonly root: string }>;
  };
  readonly runs: { readonly running: readonly string[] };
  readonly approvals: {
    pending(conversation: string): readonly { readonly request: { readonly title: string } }[];
  };
}

/** How long after the last run what ran is looked at, in milliseconds. */
const AFTER_MS = 30_000;

/** What runs in this window, and in others of its stores. */
export function ownRuns({ stores, runs, approvals }: RunsAtHand, now: () => number): OwnRuns {
  let busyAt = Number.NEGATIVE_INFINITY;
  return {
    entries: () => stores.knownEntries,
    isBusy: () => {
      if (runs.running.length > 0) busyAt = now();
      return now() - busyAt < AFTER_MS;
    },
    asked: (conversation) => approvals.pending(conversation)[0]?.request.title,
    rootOf: async (conversation) => (await stores.find(conversation)).root,
  };
}

const STATES: Readonly<Record<ConversationState, SessionState['state']>> = {
  running: 'working',
  waiting: 'waiting',
  done: 'finished',
  failed: 'broken',
  interrupted: 'broken',
  limited: 'limited',
  cancelled: 'idle',
};

/** What a conversation does, as it is said of the sessions of tools. `asked`: what it waits for, where that is known. */
export function ownState({ state, endedAt }: CatalogEntry, asked: string | undefined): SessionState {
  const name = asked === undefined ? STATES[state] : 'waiting';
  return {
    state: name,
    ...(name === 'waiting' && { reason: 'approval' }),
    since: endedAt,
    source: 'record',
    ...(asked !== undefined && { words: asked }),
    marks: [],
    isLive: name === 'waiting' || name === 'working',
    isChild: false,
  };
}

/** A conversation as it is watched. */
export function ownSession(entry: CatalogEntry, asked: string | undefined): Watched {
  const { conversation, title, agents, project, messages, endedAt } = entry;
  return {
    tool: OWN,
    path: conversation,
    id: conversation,
    about: {
      title,
      workspace: project,
      agent: agents[0],
      model: undefined,
      messages,
      isEstimated: false,
      end: undefined,
    },
    changed: endedAt,
    state: ownState(entry, asked),
  };
}
