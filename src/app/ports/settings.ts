import { isObject } from '../../core/message.js';
import { settingDefaults, settingParts, type SettingId } from '../manifest.js';

/** The value of a setting. */
export type SettingValue<K extends SettingId> = (typeof settingDefaults)[K];

/** The person's settings. */
export interface Settings {
  /** The value at this moment; the default where the person's has another type. */
  get<K extends SettingId>(id: K): SettingValue<K>;
  /** Changes a setting for this person. */
  change<K extends SettingId>(id: K, value: SettingValue<K>): Promise<void>;
}

/**
 * The value of a setting by what is set: of one that stands in another, what that says of it, else what is set under its own id;
 * the default where that has another type.
 * @param read what is set under an id
 */
export function settingIn<K extends SettingId>(read: (id: SettingId) => unknown, id: K): SettingValue<K> {
  const fallback = settingDefaults[id];
  const fits = (value: unknown): value is SettingValue<K> =>
    Array.isArray(fallback) || isObject(fallback)
      ? Array.isArray(value) === Array.isArray(fallback) && typeof value === 'object' && value !== null
      : typeof value === typeof fallback;
  const [around, name] = settingParts[id] ?? [];
  const whole = around && read(around);
  const part = isObject(whole) && name !== undefined ? whole[name] : undefined;
  if (fits(part)) return part;
  const own = read(id);
  return fits(own) ? own : fallback;
}

/** Values that are kept for this person across windows; the API of VS Code's `Memento`. */
export interface Memory {
  /** The value under a key, as it was stored; undefined where there is none. */
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** Secrets that are kept where the system keeps secrets, and nowhere else; the API of VS Code's `SecretStorage`. */
export interface Secrets {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
}
