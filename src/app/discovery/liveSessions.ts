import { basename } from 'node:path';
import { byNeed, type SessionState } from '../../capture/discovery/sessionState.js';
import type { StatedSession } from '../../capture/discovery/stateFinder.js';
import type { Cost } from '../../core/cost.js';
import type { Disposable } from '../../core/event.js';
import type { Log } from '../../core/ports/log.js';
import { messageOf, preview } from '../../core/text.js';
import { toolHome } from '../../import/toolHomes.js';
import type { SearchEngine } from '../../page/panel/search/searchSession.js';
import type { SessionLocation } from '../../page/protocol/search.js';
import type { LiveRow } from '../../page/protocol/searchPage.js';
import { answerOf } from './openWatch.js';
import type { OwnRuns } from './ownRuns.js';
import type { SessionDiscovery } from './sessionDiscovery.js';
import { stateText } from './stateWords.js';

/** How long one that has ended stands there, in milliseconds. */
const ENDED_MS = 60 * 60_000;
/** How much of what is asked or done is told, in code points. */
const MAX_WORDS = 300;
/** How often it is asked what they cost, in milliseconds. */
const COSTS_MS = 15_000;

/** What following all that is live needs. */
export interface LiveSessionsOptions {
  readonly discovery: () => Promise<Pick<SessionDiscovery, 'watch' | 'onDidLook' | 'states'>>;
  readonly own: OwnRuns;
  readonly engine: () => Promise<SearchEngine>;
  readonly log: Log;
  readonly now: () => number;
}

/** A session with what it does, wherever it is. */
interface Live {
  readonly place: SessionLocation;
  readonly title: string;
  readonly source: string;
  readonly project: string;
  readonly state: SessionState;
  readonly context?: LiveRow['context'];
}

/**
 * Gives all sessions that are live, or have ended within the hour, who needs somebody first: at once, and whenever it was
 * looked at them, until what is given is disposed. Never rejects: what goes wrong is logged.
 */
export function followLive(
  options: LiveSessionsOptions,
  show: (rows: readonly LiveRow[]) => void,
): Disposable {
  const { log, now, own } = options;
  const costs = new Map<string, Cost>();
  let costsAt = Number.NEGATIVE_INFINITY;
  let isDisposed = false;
  let parts: readonly Disposable[] = [];
  const draw = async (states: ReadonlyMap<string, StatedSession>) => {
    const all = [...foundIn(states, now()), ...(await ownIn(options))];
    if (!isDisposed)
      show(all.sort((a, b) => byNeed(a.state, b.state)).map((live) => rowOf(live, costs, now())));
    return all;
  };
  const look = async (states: ReadonlyMap<string, StatedSession>) => {
    const all = await draw(states);
    if (isDisposed || now() - costsAt < COSTS_MS || all.length === 0) return;
    costsAt = now();
    const places = all.map(({ place }) => place);
    const answer = await answerOf(await options.engine(), '', places);
    for (const { place, cost } of answer?.groups ?? []) if (cost) costs.set(keyOf(place), cost);
    await draw(states);
  };
  const lookNow = (states: ReadonlyMap<string, StatedSession>) => {
    look(states).catch((error: unknown) => log.warn(`What is live is not known: ${messageOf(error)}`));
  };
  options
    .discovery()
    .then((discovery) => {
      if (isDisposed) return;
      lookNow(discovery.states);
      // Where no tool was chosen, nobody looks at any.
      const lookAtOwn = () => lookNow(discovery.states);
      parts = [discovery.onDidLook(lookNow), own.follow(lookAtOwn), discovery.watch()];
    })
    .catch((error: unknown) => log.error('What is live cannot be followed', error));
  return {
    dispose() {
      isDisposed = true;
      for (const part of parts) part.dispose();
    },
  };
}

/** The sessions of tools; those that others started are part of these. */
function foundIn(states: ReadonlyMap<string, StatedSession>, now: number): Live[] {
  return [...states.values()]
    .filter(({ state }) => !state.isChild && (state.isLive || now - state.since < ENDED_MS))
    .map(({ path, tool, about, state }) => ({
      place: { kind: 'file', root: path, conversation: '0' },
      title: about.title,
      source: toolHome(tool).name,
      project: about.workspace === undefined ? '' : basename(about.workspace),
      state,
      ...(about.context && { context: about.context }),
    }));
}

/** What the agents do that run here, or in another window, and what ended within the hour. */
async function ownIn({ own, log, now }: LiveSessionsOptions): Promise<Live[]> {
  const live = own
    .entries()
    .filter(
      ({ recordedHere, state, endedAt }) =>
        recordedHere && (state === 'running' || state === 'waiting' || now() - endedAt < ENDED_MS),
    )
    .map((entry) => ({ entry, ...own.session(entry) }))
    .filter(({ state }) => state.isLive || state.state !== 'idle');
  const rows = await Promise.all(
    live.map(async ({ entry, state, about: { context } }): Promise<Live | undefined> => {
      const { conversation, title, agents, project = '' } = entry;
      try {
        const root = await own.rootOf(conversation);
        const place: SessionLocation = { kind: 'stored', root, conversation };
        return { place, title, source: agents.join(', '), project, state, ...(context && { context }) };
      } catch (error) {
        // It was deleted meanwhile.
        log.info(`${conversation} is not listed as live: ${messageOf(error)}`);
        return undefined;
      }
    }),
  );
  return rows.filter((row) => row !== undefined);
}

function rowOf(
  { place, title, source, project, state, context }: Live,
  costs: ReadonlyMap<string, Cost>,
  now: number,
): LiveRow {
  const cost = costs.get(keyOf(place));
  return {
    place,
    title,
    source,
    project,
    state: state.state,
    doing: stateText({ ...state, since: now }, now),
    words: preview(state.words ?? state.command ?? '', MAX_WORDS),
    since: state.since,
    ...(context && { context }),
    ...(cost && { cost }),
  };
}

function keyOf({ kind, root, conversation }: SessionLocation): string {
  return `${kind} ${root} ${conversation}`;
}
