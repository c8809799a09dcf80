import type { PushTarget, StoredToPush } from '../../archive/archiveCalls.js';
import type { ArchiveConnection } from '../../archive/archiveConnection.js';
import { ArchiveError } from '../../archive/archiveError.js';
import { MIN_FOR_A_THREAD, type ArchiveThreads } from '../../archive/archiveThreads.js';
import { ConversationPush, type PushOptions, type PushOutcome } from '../../archive/conversationPush.js';
import { UserError } from '../userError.js';
import type { NamedSession } from '../sources/namedSessions.js';

/** What came of one session: an outcome, or why it could not be pushed. */
export interface PushedSession {
  readonly session: NamedSession;
  readonly outcome?: PushOutcome;
  readonly problem?: string;
}

/**
 * Pushes sessions over some connections, stored ones as many at a time as there are connections; what came of each is told
 * in their order. One that cannot be read, or of which the archive has another by the same id, is told and hides no other; where
 * the archive itself fails, it ends: what was pushed stays, and the next push goes on from there. Rejects with an ArchiveError
 * and with the signal's reason.
 */
export async function* pushSessions(
  connections: readonly [ArchiveConnection, ...ArchiveConnection[]],
  sessions: Iterable<NamedSession> | AsyncIterable<NamedSession>,
  optionsOf: (session: NamedSession) => PushOptions,
): AsyncGenerator<PushedSession, void, undefined> {
  const pushing: Promise<PushedSession>[] = [];
  let at = 0;
  try {
    for await (const session of sessions) {
      const connection = connections[at++ % connections.length] ?? connections[0];
      const pushed = pushOne(connection, session, optionsOf(session));
      pushed.catch(() => undefined);
      pushing.push(pushed);
      // A file can be read until the next session is asked for.
      const most = session.kind === 'file' ? 0 : connections.length - 1;
      while (pushing.length > most) yield* shifted(pushing);
    }
    while (pushing.length > 0) yield* shifted(pushing);
  } finally {
    await Promise.allSettled(pushing);
  }
}

async function* shifted(pushing: Promise<PushedSession>[]): AsyncGenerator<PushedSession, void, undefined> {
  const first = pushing.shift();
  if (first) yield await first;
}

async function pushOne(
  connection: ArchiveConnection,
  session: NamedSession,
  options: PushOptions,
): Promise<PushedSession> {
  try {
    const { title, source, project } = await session.info();
    const transcript = await session.open();
    try {
      const push = new ConversationPush(
        { id: session.id, about: { title, source, project }, transcript },
        options,
      );
      return { session, outcome: await push.push(connection) };
    } finally {
      await transcript.close();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    const isOfSession =
      error instanceof UserError || (error instanceof ArchiveError && error.kind === 'differs');
    if (!isOfSession) throw error;
    return { session, problem: error.message };
  }
}

/** How sessions are pushed on threads, where there are enough of them. */
export interface Beside extends PushTarget {
  readonly threads: Pick<ArchiveThreads, 'push'>;
  readonly signal: AbortSignal;
}

/**
 * Pushes sessions as `pushSessions` does; stored ones come last, and where there are many on threads, which tell what came
 * of each when it is known.
 */
export async function* pushManySessions(
  connections: readonly [ArchiveConnection, ...ArchiveConnection[]],
  sessions: AsyncIterable<NamedSession>,
  optionsOf: (session: NamedSession) => PushOptions,
  beside: Beside,
): AsyncGenerator<PushedSession, void, undefined> {
  const stored: NamedSession[] = [];
  yield* pushSessions(connections, withoutStored(sessions, stored), optionsOf);
  yield* stored.length < MANY ? pushSessions(connections, stored, optionsOf) : pushBeside(stored, beside);
}

/** Fewer sessions are pushed before a second thread has begun. */
const MANY = 2 * MIN_FOR_A_THREAD;

async function* withoutStored(sessions: AsyncIterable<NamedSession>, stored: NamedSession[]) {
  for await (const session of sessions)
    if (session.kind === 'stored') stored.push(session);
    else yield session;
}

async function* pushBeside(
  sessions: readonly NamedSession[],
  { threads, signal, ...how }: Beside,
): AsyncGenerator<PushedSession, void, undefined> {
  const byId = new Map(sessions.map((session) => [session.id, session]));
  const conversations: StoredToPush[] = [];
  for (const session of sessions) {
    const { title, source, project } = await session.info();
    conversations.push({ root: session.where, id: session.id, about: { title, source, project } });
  }
  const arrived: PushedSession[] = [];
  const left = new AbortController();
  const state = { isOver: false, wake: () => {} };
  const pushing = threads
    .push({ ...how, conversations }, AbortSignal.any([signal, left.signal]), ({ id, ...what }) => {
      const session = byId.get(id);
      if (session) arrived.push({ session, ...what });
      state.wake();
    })
    .finally(() => {
      state.isOver = true;
      state.wake();
    });
  pushing.catch(() => undefined);
  try {
    while (!state.isOver || arrived.length > 0) {
      if (arrived.length === 0) await new Promise<void>((resolve) => (state.wake = resolve));
      yield* arrived.splice(0);
    }
    await pushing;
  } finally {
    left.abort();
    await pushing.catch(() => undefined);
  }
}
