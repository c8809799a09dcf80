import { t } from '../../core/l10n.js';
import { isObject } from '../../core/message.js';
import { features } from '../features/features.js';
import type { Settings } from '../ports/settings.js';
import { UserError } from '../userError.js';
import type { EndpointKeys } from './endpointOptions.js';

/** An entry of the endpoints in the settings. */
export interface EndpointEntry {
  readonly entry: unknown;
  /** Its name, or which one it is. */
  readonly name: string;
  /** Why it cannot be used; '' where it can. */
  readonly problem: string;
}

/** The endpoints of the settings as a person manages them, those that are not valid included. */
export class EndpointEntries {
  readonly #settings: Settings;
  readonly #keys: EndpointKeys;

  constructor({ settings, keys }: { readonly settings: Settings; readonly keys: EndpointKeys }) {
    this.#settings = settings;
    this.#keys = keys;
  }

  /** Every entry of the endpoints in the settings, those that are not valid included. */
  async all(): Promise<readonly EndpointEntry[]> {
    // What a person wrote by hand may be anything.
    const entries: unknown = this.#settings.get('endpoints');
    if (!Array.isArray(entries)) return [];
    const { checkEndpoints } = await features.run();
    return checkEndpoints(entries).map(({ problems }, index) => {
      const entry: unknown = entries[index];
      const name = isObject(entry) && typeof entry.name === 'string' ? entry.name : '';
      return { entry, name: name === '' ? t`Endpoint ${index + 1}` : name, problem: problems.join('; ') };
    });
  }

  /** Removes an entry from the settings; its key too, unless another entry has its name. */
  async remove({ entry, name }: EndpointEntry): Promise<void> {
    const entries = this.#settings.get('endpoints');
    const at = entries.findIndex((each) => JSON.stringify(each) === JSON.stringify(entry));
    if (at < 0) throw new UserError(t`There is no endpoint named ${name} any more.`);
    const kept = entries.toSpliced(at, 1);
    if (
      !isObject(entry) ||
      entry.name !== name ||
      kept.some((each: unknown) => isObject(each) && each.name === name)
    )
      return this.#settings.change('endpoints', kept);
    return this.removeNamed(name);
  }

  /** Removes all endpoints of this name from the settings, and their key. */
  async removeNamed(name: string): Promise<void> {
    const isOther = (entry: unknown) => !isObject(entry) || entry.name !== name;
    await this.#settings.change('endpoints', this.#settings.get('endpoints').filter(isOther));
    await this.#keys.remove(name);
    if (this.#settings.get('model').startsWith(`${name}/`)) await this.#settings.change('model', '');
  }
}
