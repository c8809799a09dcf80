import type { RegisteredSession, ToolHome } from '../../import/tools/home.js';
import type { AskedFor, ContextFill, Life } from '../../import/tools/life.js';

/** What a session does. */
export const STATES = [
  'waiting',
  'working',
  'limited',
  'finished',
  'broken',
  'idle',
  'gone',
  'unknown',
] as const;

/** What a session does; `waiting`: for what a person answers. */
export type StateName = (typeof STATES)[number];

/** What says so: a list that its tool keeps, its file, a hook, or nothing but that nothing comes. */
export type StateSource = 'registry' | 'record' | 'hook' | 'silence';

/** Why a session is in its state, where that is more than the state says. */
export type StateReason =
  | AskedFor
  | 'children'
  | 'retrying'
  | 'interrupted'
  | 'failed'
  | 'silent'
  | 'shell'
  | 'ended';

/** What is to be seen in a session besides its state. */
export interface StateMark {
  readonly kind: 'stalled' | 'looping' | 'context';
  readonly source: StateSource;
}

/** What a session does at a time, why, since when and how that is known. */
export interface SessionState {
  readonly state: StateName;
  readonly reason?: StateReason;
  /** In milliseconds since 1970. */
  readonly since: number;
  readonly source: StateSource;
  /** What is asked, or why it broke off, in its own words. */
  readonly words?: string;
  /** The tool that it is at, and what that does. */
  readonly tool?: string;
  readonly command?: string;
  /** Until when it is limited, in milliseconds since 1970. */
  readonly until?: number;
  /** How long nothing has come of one that works, in milliseconds. */
  readonly quiet?: number;
  readonly marks: readonly StateMark[];
  /** Whether it is live: it does something, waits, or its process is there. The one definition of the word. */
  readonly isLive: boolean;
  /** The process, where it is known and there. */
  readonly pid?: number;
  /** Whether another session started it: nobody is told of it. */
  readonly isChild: boolean;
}

/** What a hook said last of a session. */
export interface HookSaid {
  /** Undefined where it says only that somebody works again. */
  readonly state: 'waiting' | 'working' | 'finished' | 'broken' | 'gone';
  readonly waitsFor?: AskedFor;
  readonly words?: string;
  readonly at: number;
}

/** What is known of a session. */
export interface StateFacts {
  /** When its file was last written to, in milliseconds since 1970. */
  readonly changed: number;
  /** Undefined where its end tells nothing. */
  readonly life: Life | undefined;
  readonly context?: ContextFill | undefined;
  readonly registered?: RegisteredSession | undefined;
  /** Whether the process of what is registered is there. */
  readonly process?: 'alive' | 'dead' | 'unknown';
  readonly hook?: HookSaid | undefined;
  /** When an agent that it started last wrote something. */
  readonly childrenAt?: number | undefined;
  readonly approvals?: ToolHome['approvals'];
}

/** How long agents that a session started count as working after they last wrote something, in milliseconds. */
const CHILDREN_MS = 3 * 60_000;
/** After how long words of which nothing says whether more follow were the answer, in milliseconds. */
const SAID_MS = 30_000;
/** After how long nothing is to be seen of a session that works, unless a call of its is open, in milliseconds. */
const SILENT_MS = 10 * 60_000;
const SILENT_IN_CALL_MS = 60 * 60_000;
/** How long one that waits is live where nothing says that its process is there, in milliseconds. */
const WAITS_MS = 12 * 60 * 60_000;
/** From when on silence is told, and is called stalled, in milliseconds. */
const QUIET_MS = 60_000;
const STALLED_MS = 5 * 60_000;
/** After how many failed requests in a row a session is stalled. */
const STALLED_ATTEMPTS = 3;
/** From which part of its window on a context is nearly full. */
export const FULL_CONTEXT = 0.8;
/** How much newer a file may be than the end of a process, in milliseconds. */
const SLACK_MS = 10_000;

/** Sessions that were left alone for so long are live only where a list of their tool says so, in milliseconds. */
export const LOOKED_AT_MS = WAITS_MS;

type Told = Omit<SessionState, 'marks' | 'isLive' | 'isChild' | 'pid'>;

/** What a session does at a time, in milliseconds since 1970. */
export function stateOf(facts: StateFacts, now: number): SessionState {
  const { life, registered, changed } = facts;
  const isThere = isThereAt(facts, now);
  // Whoever writes is there, whatever the list of another machine says.
  const isOver = registered !== undefined && facts.process === 'dead' && now - changed > SLACK_MS;
  const told = notLater(
    facts.hook && isNewest(facts.hook, facts) ? ofHook(facts.hook) : ofFile(facts, isThere, now),
    changed,
  );
  const state: Told =
    isOver && told.state !== 'finished'
      ? { state: 'gone', reason: 'ended', since: changed, source: 'registry' }
      : told;
  const isRecent = now - state.since < WAITS_MS;
  const isHeld = (state.state === 'waiting' || state.state === 'limited') && isRecent;
  const quiet =
    state.state === 'working' ? now - Math.max(changed, life?.childAt ?? 0, facts.childrenAt ?? 0) : 0;
  return {
    ...state,
    ...(quiet >= QUIET_MS && { quiet }),
    marks: marksOf(facts, state, quiet),
    isLive: state.state === 'working' || isHeld || (isThere && state.state !== 'gone'),
    ...(isThere && registered && { pid: registered.pid }),
    isChild: life?.parent !== undefined,
  };
}

/** What a file says was so when it was written, whatever the clock said of whoever wrote it. */
function notLater(told: Told, changed: number): Told {
  return told.source === 'record' && told.since > changed ? { ...told, since: changed } : told;
}

/** Whether the process of a session is there, as far as that can be known; what nobody can look up is believed for a while. */
function isThereAt({ registered, process }: StateFacts, now: number): boolean {
  if (!registered || process === 'dead') return false;
  return process === 'alive' || now - registered.since < WAITS_MS;
}

function isNewest({ at }: HookSaid, { life, changed, registered }: StateFacts): boolean {
  return at >= (life?.at ?? changed) && at >= (registered?.status === undefined ? 0 : registered.since);
}

function ofHook({ state, waitsFor, words, at }: HookSaid): Told {
  return {
    state,
    since: at,
    source: 'hook',
    ...(waitsFor && { reason: waitsFor }),
    ...(words !== undefined && { words }),
  };
}

/** What the list of a tool and the file say together: whichever is newer. */
function ofFile(facts: StateFacts, isThere: boolean, now: number): Told {
  const { life, registered, changed } = facts;
  const record = ofRecord(facts, isThere, now);
  const status = isThere ? registered?.status : undefined;
  if (!registered || status === undefined) return record;
  const since = registered.since === 0 ? changed : registered.since;
  const [ask] = life?.asks ?? [];
  switch (status) {
    case 'waiting':
      return {
        state: 'waiting',
        reason: ask?.for ?? registered.waitsFor ?? 'dialog',
        since,
        source: 'registry',
        ...(ask?.words !== undefined && { words: ask.words }),
        ...atWork(life),
      };
    case 'busy':
      // An open question that is older was answered: the line that says so is still to come.
      if (record.state === 'waiting' && (ask?.since ?? changed) > since) return record;
      if (record.state === 'limited') return record;
      return { state: 'working', since, source: 'registry', ...atWork(life) };
    case 'shell':
      return { state: 'idle', reason: 'shell', since, source: 'registry' };
    case 'idle':
      if (record.state === 'waiting' || record.reason === 'children') return record;
      if (life?.phase === 'finished' || life?.phase === 'said')
        return { state: 'finished', since, source: 'registry' };
      if (life && since >= (life.at ?? changed) && ['working', 'retrying'].includes(life.phase))
        return { state: 'broken', reason: 'interrupted', since, source: 'registry' };
      return record.state === 'broken' || record.state === 'limited'
        ? record
        : { state: 'idle', since, source: 'registry' };
  }
}

/** What its file says. */
function ofRecord(facts: StateFacts, isThere: boolean, now: number): Told {
  const { life, changed, childrenAt = Number.NEGATIVE_INFINITY } = facts;
  if (!life) return { state: isThere ? 'idle' : 'unknown', since: changed, source: 'silence' };
  const { phase, asks, since = changed, words } = life;
  const [ask] = asks;
  if (ask)
    return {
      state: 'waiting',
      reason: ask.for,
      since: ask.since ?? changed,
      source: 'record',
      ...(ask.words !== undefined && ask.words !== '' && { words: ask.words }),
      ...atWork(life),
    };
  const lastChild = Math.max(childrenAt, life.childAt ?? Number.NEGATIVE_INFINITY);
  const areAtWork = now - lastChild < CHILDREN_MS && lastChild > since;
  const quiet = now - Math.max(changed, lastChild);
  switch (phase) {
    case 'finished':
    case 'said':
      if (areAtWork) return { state: 'working', reason: 'children', since, source: 'record' };
      if (phase === 'finished') return { state: 'finished', since, source: 'record' };
      return quiet < SAID_MS
        ? { state: 'working', since, source: 'record' }
        : { state: 'finished', since, source: 'silence' };
    case 'broken': {
      const reason = life.by === 'person' ? 'interrupted' : 'failed';
      return { state: 'broken', reason, since, source: 'record', ...(words && { words }) };
    }
    case 'ended':
      return { state: 'broken', reason: 'ended', since, source: 'record' };
    case 'limited':
      return { state: 'limited', since, source: 'record', ...(words && { words }) };
    case 'working':
    case 'retrying': {
      const most = life.calls.length > 0 ? SILENT_IN_CALL_MS : SILENT_MS;
      if (!isThere && quiet > most)
        return { state: 'broken', reason: 'silent', since: changed, source: 'silence' };
      if (phase === 'working') return { state: 'working', since, source: 'record', ...atWork(life) };
      const { until } = life;
      return {
        state: 'limited',
        reason: 'retrying',
        since,
        source: 'record',
        ...(until !== undefined && { until }),
      };
    }
  }
}

/** The call that it is at. */
function atWork(life: Life | undefined): Pick<SessionState, 'tool' | 'command'> {
  const call = life?.calls.at(-1);
  return {
    ...(call?.tool !== undefined && { tool: call.tool }),
    ...(call?.text !== undefined && { command: call.text }),
  };
}

function marksOf({ life, context }: StateFacts, { state }: Told, quiet: number): readonly StateMark[] {
  const isAtIt = state === 'working' || state === 'limited' || state === 'waiting';
  const isRefused = life?.phase === 'retrying' && life.attempts >= STALLED_ATTEMPTS;
  const isFull = context?.window !== undefined && context.used >= FULL_CONTEXT * context.window;
  return [
    ...(isAtIt && isRefused ? [{ kind: 'stalled', source: 'record' } as const] : []),
    ...(!isRefused && quiet >= STALLED_MS ? [{ kind: 'stalled', source: 'silence' } as const] : []),
    ...(isAtIt && life?.loop !== undefined ? [{ kind: 'looping', source: 'record' } as const] : []),
    ...(isFull ? [{ kind: 'context', source: 'record' } as const] : []),
  ];
}

/** Who needs a person first: those who wait, the longest first; then by what they do, and the latest first. */
export function byNeed(one: SessionState, other: SessionState): number {
  const rank = STATES.indexOf(one.state) - STATES.indexOf(other.state);
  if (rank !== 0) return rank;
  return one.state === 'waiting' ? one.since - other.since : other.since - one.since;
}
