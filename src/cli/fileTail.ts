import { resolve } from 'node:path';
import { FileLooks } from '../app/sources/fileLooks.js';
import { fileSessions } from '../app/sources/fileSessions.js';
import type { NamedSession } from '../app/sources/namedSessions.js';
import { formatCount } from '../app/text/format.js';
import { UserError } from '../app/userError.js';
import { delay, systemTimers } from '../core/timers.js';
import { wholeRecords } from '../store/read/wholeRecords.js';
import type { Call } from './call.js';
import { TAIL_POLL_MS, startOf } from './tailStart.js';
import { MessageWriter } from './messageWriter.js';
import { ShownRecords } from './shownRecords.js';

/** How much longer than it took to read a file nothing is read of it again, at least. */
const REST_FACTOR = 1;

/** A file of another tool: whenever it has changed it is read again, and what is new is shown. */
export class FileTail {
  readonly #call: Call;
  readonly #writer: MessageWriter;
  #looks: FileLooks | undefined;
  #name = '';
  #id = '';
  #shown = new ShownRecords();
  /** Whether another file has taken its place of which nothing was shown yet, or it was cut off. */
  #isReplaced = false;

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
    const { signal, out } = this.#call;
    let [rest, isThere] = [0, true];
    for (;;) {
      await delay(systemTimers, Math.max(TAIL_POLL_MS, rest), signal);
      signal.throwIfAborted();
      const change = (await this.#looks?.look()) ?? 'none';
      if (change === 'gone' && isThere) await out.note(`${this.#name} is not there any more.`);
      isThere = change !== 'gone';
      if (change === 'none' || change === 'gone') continue;
      this.#isReplaced ||= change === 'replaced';
      const begun = performance.now();
      await this.#readAgain();
      rest = (performance.now() - begun) * REST_FACTOR;
    }
  }

  async #readAgain(): Promise<void> {
    const { signal, terminal } = this.#call;
    const path = resolve(terminal.cwd, this.#name);
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
    const { out, signal } = this.#call;
    const transcript = await session.open();
    const isReplaced = this.#isReplaced;
    this.#isReplaced = false;
    this.#id = session.id;
    let isTold = false;
    const records = () => wholeRecords(transcript, undefined, signal);
    for await (const { position, record, shown, goesOn } of this.#shown.newIn(records)) {
      if (this.#shown.isAnother && !isTold) {
        await out.note(`${this.#name} is another file now; it follows from its beginning.`);
        isTold = true;
      }
      if (position < start) continue;
      if (out.isJson) await out.tell('record', { session: session.id, position, record });
      else if (shown !== 'nothing') await this.#writer.write(shown, goesOn);
    }
    signal.throwIfAborted();
    await out.flush();
    const { lost } = this.#shown;
    if (lost > 0 && isReplaced && !isTold)
      await out.note(`${this.#name} was written anew: ${lostWords(lost)}.`);
  }
}

function lostWords(lost: number): string {
  return lost === 1
    ? 'a message that was in it is not any more'
    : `${formatCount(lost, 'message')} that were in it are not any more`;
}
