import type { ArchiveConnection } from '../../archive/archiveConnection.js';
import { ArchivedSession } from '../../archive/archivedSession.js';
import { ArchiveReader, type ArchivedConversation } from '../../archive/archiveReader.js';
import { t } from '../../core/l10n.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { QueryPlan } from '../../query/language/plan.js';
import { archiveProblem } from '../archive/openArchive.js';
import { UserError } from '../userError.js';
import { foundByName, LATEST } from './nameMatch.js';
import type { NamedSession } from '../stores/namedSessions.js';

/** The conversations of a team's archive, which are only read. */
export class ArchiveSessions {
  readonly #connect: () => Promise<ArchiveConnection>;
  readonly #reader: ArchiveReader;
  #connection: Promise<ArchiveConnection> | undefined;
  #plan: QueryPlan | undefined;

  /** `connect` is called when something is asked, and again where the connection broke off; rejects with errors for a person. */
  constructor(connect: () => Promise<ArchiveConnection>) {
    this.#connect = connect;
    this.#reader = new ArchiveReader(() => this.#connected());
  }

  /** From now on, only sessions that may answer a question are wanted. */
  narrowTo(plan: QueryPlan): void {
    this.#plan = plan;
  }

  /** What is listed of all of them, the newest first. Rejects with a UserError. */
  async listed(): Promise<readonly CatalogEntry[]> {
    return (await this.#conversations()).map(({ entry }) => entry);
  }

  /** Those with some ids, with the beginnings of ids, or `latest`; without a name, all, the newest first. Throws a UserError. */
  async *named(names: readonly string[]): AsyncGenerator<NamedSession, void, undefined> {
    const all = await this.#conversations(names.length === 0 ? this.#plan : undefined);
    const wanted = names.length === 0 ? all : names.map((name) => find(all, name));
    for (const each of wanted) yield await this.#named(each, names.length === 0 ? all.length - 1 : 0);
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }

  /** One connection for whoever asks, also at the same moment. */
  #connected(): Promise<ArchiveConnection> {
    const before = this.#connection;
    this.#connection = before
      ? before.then(
          (known) => (known.isBroken ? this.#connect() : known),
          () => this.#connect(),
        )
      : this.#connect();
    return this.#connection;
  }

  async #conversations(plan?: QueryPlan): Promise<readonly ArchivedConversation[]> {
    try {
      return await this.#reader.conversations(plan);
    } catch (error) {
      throw archiveProblem(error);
    }
  }

  async #named(conversation: ArchivedConversation, others: number): Promise<NamedSession> {
    const { id, entry, records, source, project } = conversation;
    const root = t`the archive ${(await this.#connected()).place}`;
    const about = { session: id, title: entry.title, source, project, live: false };
    return {
      id,
      where: root,
      kind: 'stored',
      others,
      ...(source !== undefined && { origin: { tool: source, session: entry.origin?.session ?? id } }),
      session: new ArchivedSession(root, conversation, this.#reader),
      stamp: () => Promise.resolve(`${records}`),
      entry: () => Promise.resolve(entry),
      info: () => Promise.resolve(about),
      open: () => Promise.resolve(this.#reader.transcript(conversation)),
    };
  }
}

function find(all: readonly ArchivedConversation[], name: string): ArchivedConversation {
  const { found, begun } = foundByName(all, name, ({ id }) => id);
  if (found) return found;
  const [one, other] = begun;
  if (one && other)
    throw new UserError(
      t`${begun.length} conversations begin with ${name}, such as ${one.id} and ${other.id}; write more of the id.`,
    );
  throw new UserError(
    name === LATEST
      ? t`The archive holds no conversation yet.`
      : t`The archive has no conversation called ${name}; agent-logbook list --from archive shows those that it has.`,
  );
}
