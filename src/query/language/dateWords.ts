import { t } from '../../core/l10n.js';
import { readDate } from './amounts.js';

/** What a date asks for behind `since:` or `before:`, of what happened or of what `began`. */
export function dateWords(field: string, text: string): string {
  const date = readDate(text);
  const verb = field.startsWith('began') ? t`it began` : t`it happened`;
  const isSince = field.endsWith('since');
  if (date?.kind === 'ago')
    return isSince ? t`${verb} within the last ${text}` : t`${verb} more than ${text} ago`;
  if (!isSince) return t`${verb} before ${text}`;
  if (date?.kind !== 'moment') return t`${verb} ${text} or later`;
  if (text.includes('T')) return t`${verb} at ${text} or later`;
  return text.length > 'yyyy-mm'.length ? t`${verb} on ${text} or later` : t`${verb} in ${text} or later`;
}
