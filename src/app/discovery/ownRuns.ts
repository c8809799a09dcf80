import type { SessionState } from '../../capture/discovery/sessionState.js';
import type { Disposable } from '../../core/event.js';
import type { CatalogEntry, ConversationState } from '../../core/ports/transcript.js';
import { OWN, type Watched } from './watch.js';

/** What runs in this window and in others of its stores. */
export interface OwnRuns {
  /** Those of the stores that are open. */
  entries(): readonly CatalogEntry[];
  /** Calls `look` again and again while anything runs in this window, and some time after, until what is given is disposed. */
  follow(look: () => void): Disposable;
  /** What a conversation does, as it is said of the sessions of tools. */
  stateOf(entry: CatalogEntry): SessionState;
  /** Holds what runs, in a conversation or in all, before its next step: a person is asked, with these words, whether it goes on. */
  hold(conversation: string | undefined, why: string): void;
  /** The folder of its store. */
  rootOf(conversation: string): Promise<string>;
}

/** What of the application tells what runs. */
export interface RunsAtHand {
  readonly stores: {
    readonly knownEntries: readonly CatalogEntry[];
    find(conversation: string): Promise<{ readonly root: string }>;
  };
  readonly runs: { readonly running: readonly string[]; readonly held: Map<string, string> };
  readonly approvals: {
    pending(
      conversation: string,
    ): readonly { readonly id: string; readonly request: { readonly title: string } }[];
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

/** How often what runs is looked at, in milliseconds. */
const LOOK_MS = 1_000;
/** How long after the last run what ran is looked at, in milliseconds. */
const AFTER_MS = 30_000;

/** What runs in this window, and in others of its stores. */
export function ownRuns({ stores, runs, approvals }: RunsAtHand, now: () => number): OwnRuns {
  /** Since when each conversation does what it does: other agents of it record meanwhile. */
  const began = new Map<string, { readonly what: string; readonly at: number }>();
  const sinceOf = (conversation: string, what: string, at: number) => {
    const known = began.get(conversation);
    if (known?.what === what) return known.at;
    began.set(conversation, { what, at });
    return at;
  };
  return {
    entries: () => stores.knownEntries,
    follow: (look) => {
      let busyAt = Number.NEGATIVE_INFINITY;
      const ticking = setInterval(() => {
        if (runs.running.length > 0) busyAt = now();
        if (now() - busyAt < AFTER_MS) look();
      }, LOOK_MS).unref();
      return { dispose: () => clearInterval(ticking) };
    },
    stateOf: ({ conversation, state, endedAt }) => {
      const [asked] = approvals.pending(conversation);
      const name = asked === undefined ? STATES[state] : 'waiting';
      const isLive = name === 'waiting' || name === 'working';
      if (!isLive) began.delete(conversation);
      return {
        state: name,
        ...(name === 'waiting' && { reason: 'approval' }),
        since: isLive ? sinceOf(conversation, `${name} ${asked?.id ?? ''}`, endedAt) : endedAt,
        source: 'record',
        ...(asked && { words: asked.request.title }),
        marks: [],
        isLive,
        isChild: false,
      };
    },
    hold: (conversation, why) => {
      for (const each of runs.running)
        if (each === (conversation ?? each) && !runs.held.has(each)) runs.held.set(each, why);
    },
    rootOf: async (conversation) => (await stores.find(conversation)).root,
  };
}

/** A conversation as it is watched. */
export function ownSession(entry: CatalogEntry, state: SessionState): Watched {
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
    state,
  };
}
