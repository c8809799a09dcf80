import { messageOf } from '../../core/text.js';
import type { CachedFacts } from '../../page/panel/filter/sessionAnswers.js';
import type { Log } from '../../core/ports/log.js';
import type { SessionFacts, SessionInfo } from '../../query/language/sessionFacts.js';
import { ColumnCache } from '../columns/columnCache.js';
import type { MarkedPrices } from '../columns/readSession.js';
import { StoredSession } from '../sessions/storedSession.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';

/** What the columns of a conversation are taken with. */
export interface CachedColumnsOptions {
  readonly prices: MarkedPrices;
  /** Whether nothing may be written, not even a cache. */
  readonly readOnly: boolean;
  readonly log: Log;
  /** Whether this program writes the conversation now, so that it knows more records than the files have. */
  readonly isWrittenHere: () => boolean;
}

/**
 * The facts of a conversation from the columns beside its journal, which are those that the search asks: what it has read once,
 * no panel reads again. None where there are no columns of the journal as it is.
 */
export class CachedColumns implements CachedFacts {
  readonly #paths: ConversationPaths;
  readonly #options: CachedColumnsOptions;
  #session: StoredSession | undefined;

  constructor(paths: ConversationPaths, options: CachedColumnsOptions) {
    this.#paths = paths;
    this.#options = options;
  }

  async of(info: SessionInfo, needsCosts: boolean): Promise<SessionFacts | undefined> {
    const { prices, readOnly, log, isWrittenHere } = this.#options;
    if (isWrittenHere()) return undefined;
    this.#session ??= new StoredSession(this.#paths, { readOnly, log, cache: new ColumnCache() });
    try {
      return (await this.#session.known(prices, needsCosts))?.about(info);
    } catch (error) {
      // Whoever reads the journal instead meets the same error, and says it.
      log.debug(`What ${this.#paths.id} is searched by cannot be used: ${messageOf(error)}`);
      return undefined;
    }
  }

  forget(): void {
    this.#session = undefined;
  }
}
