import { access, constants, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { FileLooks, FollowedSession } from '../../app/sources/followedSession.js';
import { fileSessions } from '../../app/sources/fileSessions.js';
import type { NamedSession } from '../../app/stores/namedSessions.js';
import { formatCount } from '../../app/text/format.js';
import { whyUnread } from '../../app/sources/whyUnread.js';
import { UserError } from '../../app/userError.js';
import { delay, systemTimers } from '../../core/timers.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { Call } from './call.js';
import { MessageWriter } from './messageWriter.js';
import { ShownRecords } from './shownRecords.js';

/** How much longer than it took to read a file nothing is read of it again, at least. */
const REST_FACTOR = 3;

/** From which size on a file is read on from where it was read to, in bytes; a smaller one is soon read again. */
export const LONG_BYTES = 1024 * 1024;

/** A session that is read on, and how many of its records were shown. */
interface ReadOn {
  readonly session: FollowedSession;
  shown: number;
}

/**
 * A file of another tool: whenever it has changed, what is new is shown. A small one is read again each time, a long one is read
 * on, where its format allows that.
 */
export class FileTail {
  readonly #call: Call;
  readonly #writer: MessageWriter;
  #looks: FileLooks | undefined;
  #name = '';
  #id = '';
  #shown = new ShownRecords();
  /** Whether another file has taken its place of which nothing was shown yet, or it was cut off. */
  #isReplaced = false;
  /** A long file that is read on. */
  #followed: ReadOn | undefined;
  /** Whether it is read as a whole each time: it cannot be read on, or a line changed what was said before, as others may again. */
  #isReadWhole = false;

  constructor(call: Call) {
    this.#call = call;
    this.#writer = new MessageWriter(call.out, call.has('full'));
  }

  /** To be called before it is read first: what is written from then on comes. */
  async lookAt(path: string): Promise<void> {
    this.#looks = new FileLooks(path);
    await this.#looks.look();
  }

  /** Shows the last messages that there are. */
  async begin(session: NamedSession, last: number): Promise<void> {
    this.#name = session.where;
    this.#id = session.id;
    await this.#show(session, await startOf(await session.open(), last));
  }

  /** Shows what comes; ends only by an error or an interruption. */
  async follow(): Promise<never> {
    try {
      return await this.#follow();
    } finally {
      this.#followed?.session.close();
    }
  }

  async #follow(): Promise<never> {
    const { signal, out } = this.#call;
    let [rest, told] = [0, ''];
    for (;;) {
      await delay(systemTimers, Math.max(TAIL_POLL_MS, rest), signal);
      signal.throwIfAborted();
      const change = (await this.#looks?.look()) ?? 'none';
      const why = change === 'gone' ? await this.#whyGone() : '';
      if (why !== '' && why !== told) await out.note(`${this.#name} ${why}.`);
      told = why;
      if (this.#followed && (await this.#readOn(this.#followed))) continue;
      if (change === 'none' || change === 'gone') continue;
      this.#isReplaced ||= change === 'replaced';
      const begun = performance.now();
      await this.#readAgain();
      rest = (performance.now() - begun) * REST_FACTOR;
    }
  }

  /** Why there is nothing to be read now: it may pass, and then goes on where it was. */
  async #whyGone(): Promise<string> {
    const path = resolve(this.#call.terminal.cwd, this.#name);
    const about = await stat(path).catch(() => undefined);
    if (!about) return 'is not there any more';
    const error: unknown = await access(path, constants.R_OK).then(
      () => undefined,
      (why: unknown) => why,
    );
    const why = about.isDirectory() ? 'it is a folder' : error === undefined ? '' : whyUnread(error);
    return why === ''
      ? 'is not there any more'
      : `cannot be read now: ${why}; it is looked at again and again`;
  }

  /** Shows what came to a long file; false where it must be read again. */
  async #readOn(followed: ReadOn): Promise<boolean> {
    const { records, isOver } = await followed.session.look();
    for (const record of records) {
      await this.#tell(this.#shown.add(this.#id, record, followed.shown++), record);
    }
    await this.#call.out.flush();
    if (!isOver) return true;
    followed.session.close();
    this.#followed = undefined;
    this.#isReadWhole = true;
    return false;
  }

  /** Reads a long file so that it can be read on, and shows what is new in it; false where that cannot be. */
  async #readToFollow(path: string): Promise<boolean> {
    const { size } = await stat(path).catch(() => ({ size: 0 }));
    if (this.#isReadWhole || this.#isReplaced || size < LONG_BYTES) return false;
    const session = await FollowedSession.open(path, this.#call.signal);
    if (session?.id !== this.#id) {
      session?.close();
      this.#isReadWhole = true;
      return false;
    }
    this.#followed = { session, shown: session.records.length };
    await this.#showNew(() => inTurn(session.records), 0);
    return true;
  }

  async #readAgain(): Promise<void> {
    const { signal, terminal } = this.#call;
    const path = resolve(terminal.cwd, this.#name);
    if (await this.#readToFollow(path)) return;
    // What is wrong with it is told by whoever shows it later.
    const reading = { signal, onProblem: () => undefined, isGrowing: true };
    try {
      for await (const session of fileSessions(path, this.#name, reading)) {
        // Another file has other sessions.
        const isMeant = session.id === this.#id || (this.#isReplaced && session.others === 0);
        if (isMeant) await this.#show(session, 0);
      }
    } catch (error) {
      // It may be empty for a moment, as where it is written anew.
      if (!(error instanceof UserError)) throw error;
    }
  }

  /** Shows what is new in a session from a position on. */
  async #show(session: NamedSession, start: number): Promise<void> {
    const transcript = await session.open();
    this.#id = session.id;
    await this.#showNew(() => restoredRecords(transcript, undefined, this.#call.signal), start);
  }

  async #showNew(records: () => AsyncIterable<ReadRecord>, start: number): Promise<void> {
    const { out, signal } = this.#call;
    const isReplaced = this.#isReplaced;
    this.#isReplaced = false;
    let isTold = false;
    for await (const { at, position, record, shown, goesOn } of this.#shown.newIn(
      this.#id,
      records,
      !isReplaced,
    )) {
      if (this.#shown.isAnother && !isTold) {
        await out.note(`${this.#name} is another file now; it follows from its beginning.`);
        isTold = true;
      }
      if (at >= start) await this.#tell(position, record, shown, goesOn);
    }
    signal.throwIfAborted();
    await out.flush();
    const { lost } = this.#shown;
    if (lost > 0 && isReplaced && !isTold)
      await out.note(`${this.#name} was written anew: ${lostWords(lost)}.`);
  }

  /** Tells of a record: what a person has not seen of it, and programs all of it. */
  async #tell(
    position: number,
    record: ReadRecord,
    shown: ReadRecord | 'nothing' = record,
    goesOn = false,
  ): Promise<void> {
    const { out } = this.#call;
    if (out.isJson) await out.tell('record', { session: this.#id, position, record });
    else if (shown !== 'nothing') await this.#writer.write(shown, goesOn);
  }
}

/** Values that are there, as they are asked for where they may have to be waited for. */
// oxlint-disable-next-line typescript/require-await -- It is what the reader of such records expects.
async function* inTurn<T>(values: Iterable<T>): AsyncGenerator<T, void, undefined> {
  yield* values;
}

function lostWords(lost: number): string {
  return lost === 1
    ? 'a message that was in it is not any more'
    : `${formatCount(lost, 'message')} that were in it are not any more`;
}

/** How often a session that is followed is looked at, in milliseconds. */
export const TAIL_POLL_MS = 500;

/** How many records are read at once. */
export const PAGE = 200;

/** The position from which on a transcript has so many messages. */
export async function startOf(transcript: Transcript, last: number): Promise<number> {
  let left = last;
  for (let end = transcript.length; end > 0; end -= PAGE) {
    const from = Math.max(0, end - PAGE);
    const records = await transcript.read(from, end);
    for (let at = records.length - 1; at >= 0; at--) {
      if (left === 0) return from + at + 1;
      if (records[at]?.type === 'message') left--;
    }
  }
  return 0;
}
