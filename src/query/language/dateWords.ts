import { t } from '../../core/l10n.js';
import { readDate } from './amounts.js';

/** What a date asks for behind `since:` or `before:`. */
export function dateWords(field: string, text: string): string {
  const date = readDate(text);
  if (date?.kind === 'ago')
    return field === 'since' ? t`it happened within the last ${text}` : t`it happened more than ${text} ago`;
  if (field !== 'since') return t`it happened before ${text}`;
  if (date?.kind !== 'moment') return t`it happened ${text} or later`;
  if (text.includes('T')) return t`it happened at ${text} or later`;
  return text.length > 'yyyy-mm'.length
    ? t`it happened on ${text} or later`
    : t`it happened in ${text} or later`;
}
