import type { Log } from '../ports/log.js';
import type { SessionPlace } from '../protocol/search.js';
import { listConversations, locate } from '../store/catalog/conversationFolders.js';
import { titleOf } from '../store/catalog/conversationSummary.js';
import type { ConversationPaths } from '../store/files/storePaths.js';
import { firstHeader, isBeingWritten } from '../store/read/journalLines.js';
import { SharedSource } from '../store/read/sharedSource.js';
import { readSource } from '../store/read/sourceTable.js';
import { StoredTranscript } from '../store/read/storedTranscript.js';
import type { OpenSession, Session, SessionSource } from './session.js';

/** The conversations of the store in a folder. */
export class StoreSource implements SessionSource {
  readonly #root: string;
  readonly #readOnly: boolean;
  readonly #log: Log;

  /** `readOnly`: not even caches are written. */
  constructor(root: string, readOnly: boolean, log: Log) {
    this.#root = root;
    this.#readOnly = readOnly;
    this.#log = log;
  }

  async sessions(): Promise<readonly Session[]> {
    const found = await listConversations(this.#root);
    return found.map((paths) => ({
      place: placeOf(paths),
      // The names of our own begin with the time.
      order: paths.name,
      open: () => this.#open(paths),
    }));
  }

  async open({ conversation }: SessionPlace): Promise<OpenSession> {
    return this.#open(await locate(this.#root, conversation));
  }

  async #open(paths: ConversationPaths): Promise<OpenSession> {
    const shared = new SharedSource(await readSource(paths, this.#log, this.#readOnly), this.#log);
    const source = (await firstHeader(paths))?.source;
    const live = await isBeingWritten(paths);
    return {
      transcript: new StoredTranscript(paths, shared, () => shared.dispose()),
      info: ({ title, isOpen }) => ({
        session: paths.id,
        title: titleOf(title, source),
        source: source?.tool,
        project: source?.project,
        live: live && isOpen,
      }),
    };
  }
}

function placeOf({ root, id }: ConversationPaths): SessionPlace {
  return { kind: 'stored', root, conversation: id };
}
