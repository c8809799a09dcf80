import { parseArchiveAddress, type ArchiveAddress } from '../../archive/archiveAddress.js';
import { ArchiveError } from '../../archive/archiveError.js';
import type { ArchiveLogin } from '../../archive/cachedConnection.js';
import { message, t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import type { Searched } from '../../search/searchCalls.js';
import { commandName } from '../manifest.js';
import type { Settings, Secrets } from '../ports/settings.js';
import { UserError } from '../userError.js';

/** Where the settings say that the archive is. */
export interface WantedArchive extends ArchiveLogin {
  /** `host:port/database`, to be shown. */
  readonly place: string;
}

/** How the archive of the settings is reached. */
export class ArchiveLogins {
  readonly #settings: Pick<Settings, 'get'>;
  readonly #secrets: Pick<Secrets, 'get'>;

  constructor(settings: Pick<Settings, 'get'>, secrets: Pick<Secrets, 'get'>) {
    this.#settings = settings;
    this.#secrets = secrets;
  }

  /** Where its password is kept. Throws a UserError where no address is set, or a wrong one. */
  passwordKey(): string {
    const { user, place } = this.#address();
    return ['archive.password', user, place].join(' ');
  }

  /** How it is reached now. Rejects with a UserError like `passwordKey`. */
  async now(): Promise<WantedArchive> {
    const { text, place } = this.#address();
    return { address: text, place, password: await this.#secrets.get(this.passwordKey()) };
  }

  #address(): ArchiveAddress & { readonly text: string } {
    const text = this.#settings.get('archive.address').trim();
    if (text === '')
      throw new UserError(
        t`Say where the archive is: the setting ${'agentLogbook.archive.address'} is empty. docs/archive.md says how one is set up.`,
      );
    try {
      const address = parseArchiveAddress(text);
      if (address.password === undefined) return { ...address, text };
    } catch (error) {
      if (error instanceof ArchiveError) throw new UserError(error.message);
      throw error;
    }
    throw new UserError(
      t`A password does not belong into settings, where others may read it: take it out of ${'agentLogbook.archive.address'} and use Set Archive Password.`,
      { label: message`Set Archive Password…`, command: commandName('setArchivePassword') },
    );
  }
}

/** The archive of the settings as a search asks it, or why it cannot. Never rejects. */
export async function searchedArchive(
  settings: Pick<Settings, 'get'>,
  secrets: Pick<Secrets, 'get'>,
): Promise<NonNullable<Searched['archive']>> {
  try {
    const { place: root, ...login } = await new ArchiveLogins(settings, secrets).now();
    return { root, ...login };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
