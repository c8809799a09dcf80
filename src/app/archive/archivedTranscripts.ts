import type { ArchivePage, OpenedConversation } from '../../archive/archiveReadingCalls.js';
import type { ArchiveReadingThread } from '../../archive/archiveReadingThread.js';
import type { ArchiveLogin } from '../../archive/cachedConnection.js';
import type { PassingStore } from '../../capture/passingStore.js';
import { Emitter, type Disposable } from '../../core/event.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import type { Log } from '../../core/ports/log.js';
import type { Provenance } from '../../page/protocol/panelState.js';
import { keyOfConversation } from '../../core/sessionKey.js';
import type { SessionRecords } from '../../store/write/importSession.js';
import { UserError } from '../userError.js';
import type { ArchiveLogins } from './archiveLogin.js';

/** What reading the archive needs of the window. */
export interface ArchivedTranscriptsOptions {
  readonly logins: Pick<ArchiveLogins, 'now'>;
  /** Where what is read lies while it is looked at. */
  readonly passing: PassingStore;
  /** Where the conversation with this id comes from, where the window has it, too: what is kept about its session is shown. */
  readonly originOf?: (id: string) => ConversationSource | undefined;
  readonly newThread: (events: {
    onFilled: (reading: number, records: number) => void;
    onEnd: () => void;
  }) => ArchiveReadingThread;
  readonly log: Log;
}

/** A transcript of the archive that is being looked at. */
export interface ShownTranscript {
  /** Its id here, and in the archive. */
  readonly conversation: string;
  readonly id: string;
  /** `host:port/database`. */
  readonly place: string;
  readonly title: string;
  /** How many of its records have come, and what share of them, from 0 to 1. */
  readonly records: number;
  readonly done: number;
  /** Why no more of it comes, for a person; undefined where nothing is wrong. */
  readonly failure: string | undefined;
}

interface Shown {
  readonly reading: number;
  readonly key: string;
  readonly length: number;
  told: ShownTranscript;
  filling: Promise<void>;
}

/** Lists the archive for a window, and reads its transcripts page by page while they are looked at. */
export class ArchivedTranscripts implements Disposable {
  readonly #options: ArchivedTranscriptsOptions;
  readonly #changed: Emitter<ShownTranscript>;
  readonly #shown = new Map<string, Shown>();
  /** What is being opened, by place and id. */
  readonly #opening = new Map<string, Promise<string>>();
  #thread: ArchiveReadingThread | undefined;
  #lastReading = 0;

  constructor(options: ArchivedTranscriptsOptions) {
    this.#options = options;
    this.#changed = new Emitter((error) => options.log.error('A view could not follow the archive', error));
  }

  /** Fires when more of a transcript has come, or no more comes. */
  get onDidChange() {
    return this.#changed.event;
  }

  /** So many conversations behind others, the newest first. Rejects with a UserError. */
  async page(from: number, count: number): Promise<ArchivePage> {
    return await inWords(async () => {
      const login = await this.#options.logins.now();
      return await this.#calls().call('page', login, from, count);
    });
  }

  /**
   * Opens a conversation by its id and gives its id here, once its first page is there; the rest follows. Rejects with a
   * UserError, also where the archive of the settings is another than `from`.
   */
  async open(id: string, from?: string): Promise<string> {
    const { place, ...login } = await this.#options.logins.now();
    if (from !== undefined && from !== place)
      throw new UserError(
        t`It is in the archive ${from}, and the setting ${'agentLogbook.archive.address'} names ${place}.`,
      );
    const key = JSON.stringify([place, id]);
    const shown = [...this.#shown.values()].find((each) => each.key === key && !each.told.failure);
    if (shown) return shown.told.conversation;
    const opening =
      this.#opening.get(key) ??
      inWords(() => this.#open(key, id, { place, login })).finally(() => this.#opening.delete(key));
    this.#opening.set(key, opening);
    return await opening;
  }

  /** Resolves once the record at a position has come, or no more comes. */
  async reached(conversation: string, position: number): Promise<void> {
    const isThere = (told = this.shown(conversation)) =>
      !told || told.records > position || told.done >= 1 || told.failure !== undefined;
    if (isThere()) return;
    await new Promise<void>((resolve) => {
      const following = this.onDidChange(() => {
        if (!isThere()) return;
        following.dispose();
        resolve();
      });
    });
  }

  /** What is known of a transcript that is looked at, by its id here; undefined for any other. */
  shown(conversation: string): ShownTranscript | undefined {
    return this.#shown.get(conversation)?.told;
  }

  /** What the header of such a transcript says of where it comes from. */
  provenance(conversation: string): Provenance | undefined {
    const shown = this.shown(conversation);
    return (
      shown && {
        archived: { place: shown.place, id: shown.id },
        details: [
          { name: t`Shown`, value: t`from the archive, not kept here` },
          { name: t`Archive`, value: shown.place },
          { name: t`Conversation`, value: shown.id },
        ],
      }
    );
  }

  /** Nobody looks at a conversation any more: what was read of it goes. */
  async closed(conversation: string): Promise<void> {
    const shown = this.#shown.get(conversation);
    if (!shown || !this.#shown.delete(conversation)) return;
    this.#changed.fire(shown.told);
    this.#thread?.calls.call('close', shown.reading).catch(() => undefined);
    await this.#options.passing.forget(conversation, shown.filling);
  }

  /** Ends all reading, and removes what was read. */
  async close(): Promise<void> {
    this.#thread?.dispose();
    const filling = Array.from(this.#shown.values(), (each) => each.filling);
    this.#shown.clear();
    await Promise.all(filling);
    await this.#options.passing.close();
  }

  dispose(): void {
    this.#thread?.dispose();
    this.#changed.dispose();
  }

  async #open(
    key: string,
    id: string,
    { place, login }: { readonly place: string; readonly login: ArchiveLogin },
  ): Promise<string> {
    const calls = this.#calls();
    const reading = ++this.#lastReading;
    try {
      const about = await calls.call('open', reading, login, id);
      const store = await this.#options.passing.opened();
      const { title, project } = about;
      const origin = this.#options.originOf?.(id);
      const source = {
        ...keyOfConversation(
          id,
          origin ?? (about.source === undefined ? undefined : { tool: about.source, session: id }),
        ),
        title,
        ...(project !== undefined && { project }),
      };
      const { conversation } = await store.importRecords(source, this.#records(reading, about));
      const records = Math.min(about.length, about.first);
      const told = { conversation, id, place, title, records, done: 0, failure: undefined };
      const shown: Shown = { reading, key, length: about.length, told, filling: Promise.resolve() };
      this.#shown.set(conversation, shown);
      shown.filling = this.#fill(shown);
      return conversation;
    } catch (error) {
      calls.call('close', reading).catch(() => undefined);
      throw error;
    }
  }

  /** Reads the rest of it. Never rejects. */
  async #fill(shown: Shown): Promise<void> {
    const { conversation } = shown.told;
    try {
      const target = await (await this.#options.passing.opened()).target(conversation);
      await this.#calls().call('fill', shown.reading, target);
      this.#tell(shown, { done: 1, records: shown.length });
    } catch (error) {
      // Whoever closes it does not want the rest.
      if (this.#shown.get(conversation) !== shown) return;
      this.#options.log.warn(`${shown.told.id} cannot be read on from the archive: ${messageOf(error)}`);
      this.#tell(shown, { failure: messageOf(error) });
    }
  }

  #tell(shown: Shown, change: Partial<ShownTranscript>): void {
    shown.told = { ...shown.told, ...change };
    this.#changed.fire(shown.told);
  }

  /** The first page, which lies on the thread that read it; it is written there too. */
  #records(reading: number, { length, begins }: OpenedConversation): SessionRecords {
    const calls = this.#calls();
    return {
      length,
      begins,
      // Each opening is read anew, and stands by itself.
      compare: () => Promise.resolve({ same: 0, isAll: false }),
      write: ({ root, id, name }, { created, source, seals }) =>
        calls.call('write', reading, { root, id, name, readOnly: false }, { created, source, seals }),
      behind: () => [],
    };
  }

  #calls(): ArchiveReadingThread['calls'] {
    const thread = (this.#thread ??= this.#options.newThread({
      onFilled: (reading, records) => {
        const shown = [...this.#shown.values()].find((each) => each.reading === reading);
        if (shown) this.#tell(shown, { records, done: Math.min(1, records / Math.max(1, shown.length)) });
      },
      onEnd: () => (this.#thread = undefined),
    }));
    return thread.calls;
  }
}

/** What fails is told as it is, because the archive's failures say what to do. */
async function inWords<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UserError ? error : new UserError(messageOf(error));
  }
}
