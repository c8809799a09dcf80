import type { Transcript } from '../core/ports/transcript.js';
import type { SessionLocation } from '../page/protocol/search.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { Session, SessionSource } from '../search/sessions/session.js';
import { ArchivedSession } from './archivedSession.js';
import type { ArchivedConversation, ArchiveReader } from './archiveReader.js';

/** The conversations of an archive as a source of a search. Rejects with an ArchiveError. */
export class ArchiveSource implements SessionSource {
  readonly #root: string;
  readonly #reader: ArchiveReader;
  readonly #plan: QueryPlan | undefined;

  /** `root`: what the places of its conversations are called. With a plan, only those that may hold an answer are given. */
  constructor(root: string, reader: ArchiveReader, plan?: QueryPlan) {
    this.#root = root;
    this.#reader = reader;
    this.#plan = plan;
  }

  async sessions(only?: readonly SessionLocation[]): Promise<readonly Session[]> {
    const found = only
      ? await Promise.all(only.flatMap((location) => (this.#isHere(location) ? [this.#found(location)] : [])))
      : [await this.#reader.conversations(this.#plan)];
    return found.flat().map((conversation) => new ArchivedSession(this.#root, conversation, this.#reader));
  }

  async transcript({ conversation }: SessionLocation): Promise<Transcript> {
    return this.#reader.transcript(await this.#reader.find(conversation));
  }

  #isHere({ kind, root }: SessionLocation): boolean {
    return kind === 'archive' && root === this.#root;
  }

  /** One that is there; none where it was deleted meanwhile. */
  async #found({ conversation }: SessionLocation): Promise<readonly ArchivedConversation[]> {
    const found = await this.#reader.lookFor(conversation);
    return found ? [found] : [];
  }
}
