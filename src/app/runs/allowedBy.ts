import type { AllowedBy } from '../../core/ports/approvals.js';
import type { Log } from '../../core/ports/log.js';
import type { allowedByRules, readAllowRules, ReadRules } from '../../agents/tools/rules/allowRules.js';
import type { Settings } from '../ports/settings.js';

/** What rules are read with and asked by; it is loaded with the first run. */
export interface RuleReader {
  readonly readAllowRules: typeof readAllowRules;
  readonly allowedByRules: typeof allowedByRules;
}

/** The allow rules of the settings, as they are when they are asked; what is wrong with an entry is logged once. */
export function allowedBy(settings: Pick<Settings, 'get'>, reader: RuleReader, log: Log): AllowedBy {
  let text = '';
  let read: ReadRules = { rules: [], problems: [] };
  return (toolName, action) => {
    const value: unknown = settings.get('allowRules');
    const now = JSON.stringify([value]);
    if (now !== text) {
      text = now;
      read = reader.readAllowRules(value);
      for (const problem of read.problems) log.warn(`The setting agentLogbook.allowRules: ${problem}`);
    }
    return reader.allowedByRules(read.rules, toolName, action);
  };
}
