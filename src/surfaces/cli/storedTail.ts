import type { NamedSession } from '../../app/stores/namedSessions.js';
import { delay, systemTimers } from '../../core/timers.js';
import { DamageInTurn, positionsIn } from '../../export/damageInTurn.js';
import type { ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { restoreTexts } from '../../store/read/restoredRecords.js';
import type { Call } from './call.js';
import { PAGE, TAIL_POLL_MS, startOf } from './fileTail.js';
import { MessageWriter } from './messageWriter.js';
import { tellDamageHere } from './recordsByPosition.js';

/** A conversation of a store that another process may write: its records are only added to. */
export class StoredTail {
  readonly #call: Call;
  readonly #session: NamedSession;
  readonly #writer: MessageWriter;
  /** How many records were shown or left out, and the id of the last of them. */
  #shown = 0;
  #lastId: unknown;

  constructor(call: Call, session: NamedSession) {
    this.#call = call;
    this.#session = session;
    this.#writer = new MessageWriter(call.out, call.has('full'));
  }

  /** Shows the last messages that there are, and what comes; ends only by an error or an interruption. */
  async follow(last: number): Promise<never> {
    const { out, signal } = this.#call;
    const transcript = await this.#session.open();
    // Its journal is looked at as long as somebody listens.
    const grown = transcript.onDidGrow(() => undefined);
    try {
      this.#shown = await startOf(transcript, last);
      let damages = new DamageInTurn(positionsIn(transcript), this.#shown);
      for (;;) {
        if (!(await this.#continues(transcript))) {
          await out.note('The session was written anew; it follows from its beginning.');
          this.#shown = 0;
          damages = new DamageInTurn(positionsIn(transcript));
        }
        await this.#more(transcript, damages);
        await delay(systemTimers, TAIL_POLL_MS, signal);
        signal.throwIfAborted();
      }
    } finally {
      grown.dispose();
      await transcript.close();
    }
  }

  /** Shows what has come. */
  async #more(transcript: Transcript, damages: DamageInTurn): Promise<void> {
    const { out, signal } = this.#call;
    damages.places = positionsIn(transcript);
    while (this.#shown < transcript.length) {
      signal.throwIfAborted();
      const records = await transcript.read(this.#shown, Math.min(this.#shown + PAGE, transcript.length));
      if (records.length === 0) break;
      for (const record of records) {
        await this.#showDamage(damages, this.#shown);
        await this.#show((await restoreTexts(record, transcript)).record);
        this.#lastId = record.id;
        this.#shown++;
      }
    }
    await this.#showDamage(damages, transcript.length);
    await out.flush();
  }

  /** Shows what is wrong up to a position and was not shown yet. */
  async #showDamage(damages: DamageInTurn, upTo: number): Promise<void> {
    await tellDamageHere(this.#call.out, this.#writer, this.#session.id, damages.upTo(upTo));
  }

  /** Whether what was shown still stands there. */
  async #continues(transcript: Transcript): Promise<boolean> {
    if (this.#shown === 0 || this.#lastId === undefined) return true;
    const [last] = await transcript.read(this.#shown - 1, this.#shown);
    return last?.id === this.#lastId;
  }

  async #show(record: ReadRecord): Promise<void> {
    const { out } = this.#call;
    if (out.isJson) await out.tell('record', { session: this.#session.id, position: this.#shown, record });
    else await this.#writer.write(record);
  }
}
