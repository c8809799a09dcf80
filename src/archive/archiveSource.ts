import { t } from '../core/l10n.js';
import type { Transcript } from '../ports/transcript.js';
import type { SessionPlace } from '../protocol/search.js';
import type { QueryPlan } from '../query/language/plan.js';
import type { Session, SessionSource } from '../search/session.js';
import { ArchiveError } from './archiveError.js';
import { ArchivedSession } from './archivedSession.js';
import type { ArchiveReader } from './archiveReader.js';

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

  async sessions(only?: readonly SessionPlace[]): Promise<readonly Session[]> {
    const wanted =
      only && new Set(only.flatMap(({ root, conversation }) => (root === this.#root ? [conversation] : [])));
    const all = await this.#reader.conversations(this.#plan);
    return all
      .filter(({ id }) => wanted?.has(id) !== false)
      .map((conversation) => new ArchivedSession(this.#root, conversation, this.#reader));
  }

  async transcript({ conversation }: SessionPlace): Promise<Transcript> {
    const found = (await this.#reader.conversations()).find(({ id }) => id === conversation);
    if (!found) throw new ArchiveError(t`The archive has no conversation ${conversation}.`, 'refused');
    return this.#reader.transcript(found);
  }
}
