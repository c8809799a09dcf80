import type { DamagedLine, ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { UnknownRecord } from '../../core/record.js';
import { NO_USAGE } from '../../core/usage.js';
import type { Event } from '../../core/event.js';
import { VERDICTS, type Verdicts } from '../../query/numbers/ownership.js';
import { TOLD_ELSEWHERE } from '../../query/numbers/callTree.js';

/**
 * A transcript for sums over several sessions: in the place of what another of them owns stands a record that says nothing,
 * so that positions stay what they are. One of which nothing is its own is empty.
 */
export class OwnedTranscript implements Transcript {
  readonly onDidGrow: Event<void>;
  readonly length: number;
  readonly #transcript: Transcript;
  readonly #verdicts: Verdicts;
  /** The first record that is the session's own. */
  readonly #first: ReadRecord | undefined;

  private constructor(transcript: Transcript, verdicts: Verdicts, first: ReadRecord | undefined) {
    this.onDidGrow = transcript.onDidGrow;
    this.length = first ? transcript.length : 0;
    this.#transcript = transcript;
    this.#verdicts = verdicts;
    this.#first = first;
  }

  /** What has come since `verdicts` were found is the session's own. Closes the transcript where it cannot be read. */
  static async open(transcript: Transcript, verdicts: Verdicts): Promise<OwnedTranscript> {
    try {
      const own = verdicts.findIndex((verdict) => VERDICTS[verdict] !== 'elsewhere');
      const at = own < 0 ? verdicts.length : own;
      const [first] = at < transcript.length ? await transcript.read(at, at + 1) : [];
      return new OwnedTranscript(transcript, verdicts, first);
    } catch (error) {
      await transcript.close();
      throw error;
    }
  }

  get conversation(): string {
    return this.#transcript.conversation;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#transcript.damaged;
  }

  async read(start: number, end: number): Promise<readonly ReadRecord[]> {
    const first = this.#first;
    if (!first) return [];
    const from = Math.max(0, start);
    const records = await this.#transcript.read(from, Math.min(end, this.length));
    return records.map((record, at) => {
      const verdict = VERDICTS[this.#verdicts[from + at] ?? 0];
      if (verdict === 'elsewhere') return toldElsewhere(record, first);
      return verdict === 'unpaid' ? withoutUsage(record) : record;
    });
  }

  readSpill(path: string): Promise<string | undefined> {
    return this.#transcript.readSpill(path);
  }

  close(): Promise<void> {
    return this.#transcript.close();
  }
}

/** What says nothing, at the place of the first record that is the session's own: it makes no agent call of its own. */
function toldElsewhere(
  { seq, id, conversation }: ReadRecord,
  { run, call, agent, depth }: ReadRecord,
): UnknownRecord {
  return { seq, id, time: 0, conversation, run, call, agent, depth, type: TOLD_ELSEWHERE };
}

/** A usage of nothing, and not none: an answer of which nothing is told is one of unknown cost. */
function withoutUsage(record: ReadRecord): ReadRecord {
  const key = record.type === 'callEnd' ? 'ownUsage' : 'usage';
  return { ...record, [key]: NO_USAGE, inherited: true };
}
