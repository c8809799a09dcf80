import { inLanguage, message, t, type Message } from '../../core/l10n.js';
import type { ExportReport } from '../../export/exportFormat.js';
import { formatCount } from '../text/format.js';
import type { SavedFormat } from '../../core/ports/exportFormats.js';

/** How many of the things that an export left out a notice names; a list of all is offered for more. */
export const NAMED_IN_NOTICE = 5;

/**
 * The sentences, with a space before, that say what an export does not hold, of the commonest `most` things; '' where that is
 * nothing.
 */
export function leftOutWords(
  leftOut: ExportReport['leftOut'],
  format: SavedFormat,
  most = Number.POSITIVE_INFINITY,
): string {
  const what = leftOutLines(leftOut);
  if (what.length === 0) return '';
  const instead = format === 'json' ? '' : t` An export as JSON holds everything.`;
  const named = what.slice(0, most).join(', ');
  const rest = what.length - most;
  return rest > 0
    ? t` Left out: ${named} and ${formatCount(rest, 'other field')}.${instead}`
    : t` Left out: ${named}.${instead}`;
}

/** What the fields of a record are for people, each with how it begins; where none begins so, it is a further detail. */
const FIELDS: readonly (readonly [field: RegExp, words: Message])[] = [
  [/^(?:message\.)?reasoning/, message`reasoning`],
  [/^(?:message\.)?refusal/, message`refusals`],
  [/^notes$/, message`notes`],
  [/^message\.tool_calls\[\]\.function\.arguments/, message`arguments of tool calls`],
  [/^message\.tool_calls/, message`details of tool calls`],
  [/^message\.(?:tool_call_ids?|is_error)\b|^toolName$/, message`details of results`],
  [/^message\.content.*image/, message`pictures`],
  [/^message\.content/, message`parts of messages`],
  [/^message\.(?:name|role)\b|^agent$/, message`who speaks`],
  [/^(?:parentCall|dispatch)\b/, message`which agent began which`],
  [/^(?:model|provider)$/, message`models`],
  [/^usage\b/, message`tokens`],
  [/^cost\b/, message`costs`],
  [/^(?:time|durationMs)\b/, message`times`],
  [/^source\b/, message`details of the imported file`],
  [/^imported records$/, message`raw events`],
  [/^[a-z]+ records$|^boundaries of /, message`events and boundaries`],
  [/^\S+$/, message`further details`],
];

function nameFor(field: string): string {
  const known = FIELDS.find(([pattern]) => pattern.test(field));
  return known ? inLanguage(known[1]) : field;
}

/** What an export does not hold, in words, the commonest first, each with how often. */
export function leftOutLines(leftOut: ExportReport['leftOut']): readonly string[] {
  const sums = new Map<string, number>();
  for (const [field, count] of Object.entries(leftOut ?? {}))
    sums.set(nameFor(field), (sums.get(nameFor(field)) ?? 0) + count);
  return [...sums]
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} (${count.toLocaleString('en')})`);
}

/** What an export made of secrets, behind what it exported; '' where it found none. */
export function sharedWords({ redacted, leftIn = 0 }: Pick<ExportReport, 'redacted' | 'leftIn'>): string {
  const out = redacted > 0 ? t`; ${formatCount(redacted, 'secret')} left out` : '';
  return out + (leftIn > 0 ? t`; ${formatCount(leftIn, 'secret')} left in` : '');
}

/** What several exports made of secrets together. */
export function sharedTogether(reports: readonly ExportReport[]): { redacted: number; leftIn: number } {
  const sum = { redacted: 0, leftIn: 0 };
  for (const { redacted, leftIn = 0 } of reports) {
    sum.redacted += redacted;
    sum.leftIn += leftIn;
  }
  return sum;
}

/** What several exports left out together. */
export function addedUp(reports: readonly ExportReport[]): ExportReport['leftOut'] {
  const sums = new Map<string, number>();
  for (const { leftOut = {} } of reports)
    for (const [name, count] of Object.entries(leftOut)) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums.size === 0 ? undefined : Object.fromEntries(sums);
}
