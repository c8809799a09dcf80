import { t } from '../../core/l10n.js';
import type { Decision, SharingPolicy } from '../../export/sharing/sharingPolicy.js';
import type { Settings } from '../ports/settings.js';
import { UserError } from '../userError.js';

/** What a person has settled about sharing. Throws a UserError that names the setting with something else in it. */
export function sharingPolicyOf(settings: Pick<Settings, 'get'>): SharingPolicy {
  const list = (id: 'names' | 'leaveIn' | 'leaveOut') => texts(id, settings.get(`sharing.${id}`));
  return {
    names: list('names'),
    leaveIn: list('leaveIn'),
    leaveOut: list('leaveOut'),
    homeFolders: settings.get('sharing.homeFolders'),
    patterns: entriesOf('patterns', settings.get('sharing.patterns')).map(([name, pattern]) => ({
      name,
      pattern,
    })),
    values: Object.fromEntries(entriesOf('values', settings.get('sharing.values')).map(decisionOf)),
  };
}

function texts(id: string, value: readonly unknown[]): readonly string[] {
  if (value.every((one) => typeof one === 'string')) return value;
  throw new UserError(t`The setting ${`agentLogbook.sharing.${id}`} may hold texts only.`);
}

function entriesOf(
  id: string,
  value: Readonly<Record<string, unknown>>,
): readonly (readonly [string, string])[] {
  const entries = Object.entries(value);
  texts(
    id,
    entries.map(([, one]) => one),
  );
  return entries as [string, string][];
}

function decisionOf([hash, decision]: readonly [string, string]): readonly [string, Decision] {
  if (decision === 'leaveIn' || decision === 'leaveOut') return [hash, decision];
  throw new UserError(t`The setting ${'agentLogbook.sharing.values'} may hold leaveIn and leaveOut only.`);
}
