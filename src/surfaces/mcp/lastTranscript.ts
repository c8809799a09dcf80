import type { NamedSession } from '../../app/stores/namedSessions.js';
import type { Transcript } from '../../core/ports/transcript.js';

interface Opened {
  readonly key: string;
  readonly opening: Promise<Transcript>;
  users: number;
}

/** Keeps the transcript open that was read last: whoever pages through it asks again and again. */
export class LastTranscript {
  #last: Opened | undefined;

  /** Does something with the transcript of a session, which is opened where it is not open as it is now. */
  async use<T>(session: NamedSession, work: (transcript: Transcript) => Promise<T>): Promise<T> {
    const key = await keyOf(session);
    const opened = this.#last?.key === key ? this.#last : this.#open(key, session);
    opened.users++;
    try {
      return await work(await opened.opening);
    } finally {
      opened.users--;
      await this.#closeUnused(opened);
    }
  }

  async close(): Promise<void> {
    const last = this.#last;
    this.#last = undefined;
    if (last) await this.#closeUnused(last);
  }

  #open(key: string, session: NamedSession): Opened {
    const before = this.#last;
    this.#last = undefined;
    const opening = (async () => {
      // Of one session, two that are open share what was read of it, which may be what it was before.
      if (before) await this.#closeUnused(before);
      return await session.open();
    })();
    const opened = { key, opening, users: 0 };
    if (before === undefined || before.users === 0) this.#last = opened;
    // What could not be opened may be the next time.
    opening.catch(() => {
      if (this.#last === opened) this.#last = undefined;
    });
    return opened;
  }

  /** Closes one that is neither the last nor in use; what could not be opened needs no closing. */
  async #closeUnused(opened: Opened): Promise<void> {
    if (opened === this.#last || opened.users > 0) return;
    const transcript = await opened.opening.catch(() => undefined);
    await transcript?.close();
  }
}

/** A session as it is now: another key when it has changed. */
export async function keyOf(session: NamedSession): Promise<string> {
  return [session.where, session.id, await session.stamp()].join('\n');
}
