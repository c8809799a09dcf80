import type { Limits } from '../../runtime/limits/limits.js';
import { DEFAULT_LIMITS } from '../../runtime/limits/limits.js';
import { settingDefaults, type SettingId } from '../../app/manifest.js';
import { setting } from '../settings.js';

type LimitSetting = Extract<SettingId, `limits.${string}`>;

/** The limits of a run by the current settings; those without a setting are the runtime's defaults. */
export function runLimits(): Limits {
  return {
    ...DEFAULT_LIMITS,
    steps: limitSetting('limits.maxSteps'),
    calls: limitSetting('limits.maxCalls'),
    fanOut: limitSetting('limits.maxFanOut'),
    tokens: limitSetting('limits.maxTokens'),
    runMs: limitSetting('limits.maxMinutes') * 60_000,
    toolMs: limitSetting('limits.maxToolMinutes') * 60_000,
    repetitions: limitSetting('limits.maxRepetitions'),
  };
}

/** One limit; its default where the user's value is invalid. */
export function limitSetting(id: LimitSetting): number {
  const value = setting(id);
  const least = id === 'limits.maxDepth' ? 0 : 1;
  return Number.isFinite(value) && value >= least ? Math.floor(value) : settingDefaults[id];
}
