import type { DamagedLine, ReadRecord, Transcript } from '../../core/ports/transcript.js';
import type { UnknownRecord } from '../../core/record.js';
import { NO_USAGE } from '../../core/usage.js';
import type { Event } from '../../core/event.js';
import { ownershipOf, type OwnedElsewhere, type SessionOrigin } from '../../query/numbers/ownership.js';
import { RecordIdentities } from '../../query/numbers/recordIdentity.js';
import { TOLD_ELSEWHERE } from '../../query/numbers/callTree.js';

/** How many records are read at once. */
const PAGE = 500;

/** What stands in the place of records, one number for each. */
const VERDICTS = ['own', 'elsewhere', 'unpaid'] as const;

/** What is told of the records of a transcript, one number for each, and the first that is its own. */
interface Judgement {
  readonly verdicts: Uint8Array;
  readonly first: ReadRecord | undefined;
}

/**
 * A transcript for sums over several sessions: in the place of what another of them owns stands a record that says nothing,
 * so that positions stay what they are. One of which nothing is its own is empty.
 */
export class OwnedTranscript implements Transcript {
  readonly onDidGrow: Event<void>;
  readonly length: number;
  readonly #transcript: Transcript;
  readonly #judgement: Judgement;

  private constructor(transcript: Transcript, judgement: Judgement) {
    this.onDidGrow = transcript.onDidGrow;
    this.length = judgement.first ? judgement.verdicts.length : 0;
    this.#transcript = transcript;
    this.#judgement = judgement;
  }

  /** Reads a transcript once to its end, and closes it where that fails. */
  static async open(
    transcript: Transcript,
    origin: SessionOrigin,
    elsewhere: OwnedElsewhere,
  ): Promise<OwnedTranscript> {
    try {
      return new OwnedTranscript(transcript, await judge(transcript, origin, elsewhere));
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
    const { verdicts, first } = this.#judgement;
    if (!first) return [];
    const from = Math.max(0, start);
    const records = await this.#transcript.read(from, Math.min(end, this.length));
    return records.map((record, at) => {
      const verdict = VERDICTS[verdicts[from + at] ?? 0];
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

async function judge(
  transcript: Transcript,
  origin: SessionOrigin,
  elsewhere: OwnedElsewhere,
): Promise<Judgement> {
  const identities = new RecordIdentities(origin);
  const verdicts = new Uint8Array(transcript.length);
  let first: ReadRecord | undefined;
  for (let from = 0; from < verdicts.length; from += PAGE) {
    const records = await transcript.read(from, Math.min(from + PAGE, verdicts.length));
    for (const [at, record] of records.entries()) {
      const verdict = ownershipOf(identities.of(record), elsewhere);
      verdicts[from + at] = VERDICTS.indexOf(verdict);
      if (verdict !== 'elsewhere') first ??= record;
    }
  }
  return { verdicts, first };
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
