import { readDate } from './amounts.js';

/** What a date asks for behind `since:` or `before:`. */
export function dateWords(field: string, text: string): string {
  const date = readDate(text);
  if (date?.kind === 'ago')
    return field === 'since' ? `it happened within the last ${text}` : `it happened more than ${text} ago`;
  if (field !== 'since') return `it happened before ${text}`;
  if (date?.kind !== 'moment') return `it happened ${text} or later`;
  const preposition = text.includes('T') ? 'at ' : text.length > 'yyyy-mm'.length ? 'on ' : 'in ';
  return `it happened ${preposition}${text} or later`;
}
