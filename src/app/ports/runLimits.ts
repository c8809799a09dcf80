import type { Settings } from './settings.js';
import type { Limits } from '../../agents/loop/limits/limits.js';
import { DEFAULT_LIMITS } from '../../agents/loop/limits/limits.js';
import { dollars } from '../../core/money.js';
import { settingDefaults, type SettingId } from '../manifest.js';

/** The limits in whole numbers; that of money is none of them. */
type LimitSetting = Exclude<Extract<SettingId, `limits.max${string}`>, 'limits.maxCost'>;

/** The limits of a run by the current settings; those without a setting are the runtime's defaults. */
export function runLimits(settings: Settings): Limits {
  const cost = dollars(settings.get('limits.maxCost'));
  return {
    ...DEFAULT_LIMITS,
    ...(cost && { cost }),
    steps: limitSetting(settings, 'limits.maxSteps'),
    calls: limitSetting(settings, 'limits.maxCalls'),
    fanOut: limitSetting(settings, 'limits.maxFanOut'),
    tokens: limitSetting(settings, 'limits.maxTokens'),
    runMs: limitSetting(settings, 'limits.maxMinutes') * 60_000,
    toolMs: limitSetting(settings, 'limits.maxToolMinutes') * 60_000,
    repetitions: limitSetting(settings, 'limits.maxRepetitions'),
  };
}

/** One limit; its default where the user's value is invalid. */
export function limitSetting(settings: Settings, id: LimitSetting): number {
  const value = settings.get(id);
  const least = id === 'limits.maxDepth' ? 0 : 1;
  return Number.isFinite(value) && value >= least ? Math.floor(value) : settingDefaults[id];
}
