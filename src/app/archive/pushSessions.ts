import {
  knownRecords,
  locationOf,
  toPush,
  type PushTarget,
  type StoredToPush,
} from '../../archive/archiveCalls.js';
import { MIN_FOR_A_THREAD, type ArchiveThreads } from '../../archive/archiveThreads.js';
import type { PushOptions } from '../../archive/conversationPush.js';
import { ArchivePrefetch, pushOne, type Pushed, type ToPush } from '../../archive/pushOne.js';
import type { NamedSession } from '../stores/namedSessions.js';
import type { OpenArchive } from './openArchive.js';

/** How sessions are pushed. */
export interface PushingOptions extends Omit<PushOptions, 'onProgress'> {
  /** Called with how many records of a session are there now, and how many there will be. */
  readonly onProgress?: ((session: NamedSession, done: number, all: number) => void) | undefined;
}

/** What came of one session: an outcome, or why it could not be pushed. */
export interface PushedSession extends Pushed {
  readonly session: NamedSession;
}

/**
 * Pushes sessions over some connections, stored ones as many at a time as there may be connections; what came of each is told
 * in their order. One that cannot be read, or of which the archive has another by the same id, is told and hides no other; where
 * the archive itself fails, it ends: what was pushed stays, and the next push goes on from there. Rejects with an ArchiveError
 * or a UserError, and with the signal's reason.
 */
export async function* pushSessions(
  archive: OpenArchive,
  sessions: Iterable<NamedSession> | AsyncIterable<NamedSession>,
  options: PushingOptions,
  known?: ArchivePrefetch,
): AsyncGenerator<PushedSession, void, undefined> {
  const pushing: Promise<PushedSession>[] = [];
  let at = 0;
  const push = async (session: NamedSession, own: number): Promise<PushedSession> => {
    const connection = await archive.connection(session.kind === 'file' ? 0 : own % archive.most);
    const conversation: ToPush = {
      id: session.id,
      records: session.kind === 'stored' ? knownRecords(await session.entry()) : undefined,
      about: async () => {
        const { title, source, project } = await session.info();
        return { title, source, project, session: session.origin?.session };
      },
      open: () => session.open(),
    };
    const told: PushOptions = {
      ...options,
      onProgress: (done, all) => options.onProgress?.(session, done, all),
    };
    return { session, ...(await pushOne(connection, conversation, told, await known?.of(own, connection))) };
  };
  try {
    for await (const session of sessions) {
      const isFile = session.kind === 'file';
      // Files share one connection, over which nothing else may be pushed meanwhile.
      yield* shifted(pushing, isFile ? 0 : archive.most - 1);
      const pushed = push(session, at++);
      pushed.catch(() => undefined);
      pushing.push(pushed);
      // A file can be read until the next session is asked for.
      if (isFile) yield* shifted(pushing, 0);
    }
    yield* shifted(pushing, 0);
  } finally {
    await Promise.allSettled(pushing);
  }
}

/** Waits for the first of some until so many are left. */
async function* shifted(
  pushing: Promise<PushedSession>[],
  left: number,
): AsyncGenerator<PushedSession, void, undefined> {
  while (pushing.length > left) {
    const first = pushing.shift();
    if (first) yield await first;
  }
}

/** How sessions are pushed on threads, where there are enough of them. */
export interface PushThreads extends PushTarget {
  readonly threads: Pick<ArchiveThreads, 'push'>;
  readonly signal: AbortSignal;
}

/**
 * Pushes sessions as `pushSessions` does; stored ones come last, and where there are many on threads with connections of their
 * own, which tell what came of each when it is known.
 */
export async function* pushManySessions(
  archive: OpenArchive,
  sessions: AsyncIterable<NamedSession>,
  options: PushingOptions,
  beside: PushThreads,
): AsyncGenerator<PushedSession, void, undefined> {
  const stored: NamedSession[] = [];
  yield* pushSessions(archive, withoutStored(sessions, stored), options);
  if (stored.length >= MANY) {
    await archive.close();
    yield* pushOnThreads(stored, beside);
    return;
  }
  const ids = stored.map(({ id }) => id);
  yield* pushSessions(
    archive,
    stored,
    options,
    new ArchivePrefetch(ids, { ...options, onProgress: undefined }),
  );
}

/** Fewer sessions are pushed before a second thread has begun. */
const MANY = 2 * MIN_FOR_A_THREAD;

async function* withoutStored(sessions: AsyncIterable<NamedSession>, stored: NamedSession[]) {
  for await (const session of sessions)
    if (session.kind === 'stored') stored.push(session);
    else yield session;
}

async function* pushOnThreads(
  sessions: readonly NamedSession[],
  { threads, signal, ...how }: PushThreads,
): AsyncGenerator<PushedSession, void, undefined> {
  const byPlace = new Map(
    sessions.map((session) => [locationOf({ root: session.where, id: session.id }), session]),
  );
  const conversations: StoredToPush[] = [];
  for (const session of sessions) {
    conversations.push(toPush(session.where, await session.entry()));
  }
  const arrived: PushedSession[] = [];
  const left = new AbortController();
  const state = { isOver: false, wake: () => {} };
  const pushing = threads
    .push({ ...how, conversations }, AbortSignal.any([signal, left.signal]), ({ root, id, ...what }) => {
      const session = byPlace.get(locationOf({ root, id }));
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
