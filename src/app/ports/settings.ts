import type { settingDefaults, SettingId } from '../manifest.js';

/** The value of a setting. */
export type SettingValue<K extends SettingId> = (typeof settingDefaults)[K];

/** The person's settings. */
export interface Settings {
  /** The value at this moment; the default where the person's has another type. */
  get<K extends SettingId>(id: K): SettingValue<K>;
  /** Changes a setting for this person. */
  change<K extends SettingId>(id: K, value: SettingValue<K>): Promise<void>;
}
