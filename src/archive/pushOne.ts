import { messageOf } from '../core/text.js';
import type { Transcript } from '../core/ports/transcript.js';
import type { ArchiveConnection } from './archiveConnection.js';
import { ArchiveError } from './archiveError.js';
import type { ReportedFacts } from './conversationFold.js';
import {
  ConversationPush,
  knownConversations,
  pushedKey,
  unchanged,
  type ArchivedState,
  type PushOptions,
  type PushOutcome,
} from './conversationPush.js';

/** A conversation that is opened when it is its turn to be pushed. */
export interface ToPush {
  readonly id: string;
  /** How many records it has, where that is known without opening it, and nothing of it is damaged. */
  readonly records?: number | undefined;
  readonly about: () => ReportedFacts | Promise<ReportedFacts>;
  /** What it gives is closed when it was pushed. */
  readonly open: () => Promise<Transcript>;
}

/** What came of one conversation: an outcome, or why it could not be pushed. */
export interface Pushed {
  readonly outcome?: PushOutcome;
  readonly problem?: string;
}

/**
 * Pushes a conversation. One that cannot be read, or of which the archive has another by the same id, hides no other: why is
 * told. Where the archive itself fails, so would the others: rejects with an ArchiveError, and with the signal's reason.
 * `asked`: as for `ConversationPush.push`.
 */
export async function pushOne(
  connection: ArchiveConnection,
  { id, records, about, open }: ToPush,
  options: PushOptions,
  asked?: ArchivedState | null,
): Promise<Pushed> {
  if (asked && asked.records === records && asked.summed === records)
    return { outcome: unchanged(asked, options) };
  try {
    const told = await about();
    const transcript = await open();
    try {
      return {
        outcome: await new ConversationPush({ id, about: told, transcript }, options).push(connection, asked),
      };
    } finally {
      await transcript.close();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ArchiveError && error.kind !== 'differs') throw error;
    return { problem: messageOf(error) };
  }
}

/** So many conversations are asked about at once: what is known of them is some seconds old when their turn comes. */
const ASKED_AT_ONCE = 250;

/** Asks the archive what it knows of conversations that are to be pushed in their order, of many at once. */
export class ArchivePrefetch {
  readonly #ids: readonly string[];
  readonly #options: PushOptions;
  readonly #asked = new Map<number, Promise<ReadonlyMap<string, ArchivedState>>>();

  constructor(ids: readonly string[], options: PushOptions) {
    this.#ids = ids;
    this.#options = options;
  }

  /** What it knows of one of them, by its place in their order; null for nothing. Rejects with an ArchiveError. */
  async of(at: number, connection: ArchiveConnection): Promise<ArchivedState | null> {
    const from = at - (at % ASKED_AT_ONCE);
    const key = (id: string) => pushedKey(id, this.#options);
    const asking =
      this.#asked.get(from) ??
      knownConversations(connection, this.#ids.slice(from, from + ASKED_AT_ONCE).map(key));
    this.#asked.set(from, asking);
    return (await asking).get(key(this.#ids[at] ?? '')) ?? null;
  }
}
