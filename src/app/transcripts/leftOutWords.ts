import { t } from '../../core/l10n.js';
import type { ExportReport } from '../../export/exportFormat.js';
import type { ExportFormat } from '../../ports/exportFormats.js';

/** The sentences, with a space before, that say what an export does not hold; '' where that is nothing. */
export function leftOutWords(leftOut: ExportReport['leftOut'], format: ExportFormat): string {
  const what = Object.entries(leftOut ?? {}).map(
    ([name, count]) => `${name} (${count.toLocaleString('en')})`,
  );
  if (what.length === 0) return '';
  const instead = format === 'json' ? '' : t` An export as JSON holds everything.`;
  return t` Left out: ${what.join(', ')}.${instead}`;
}

/** What several exports left out together. */
export function addedUp(reports: readonly ExportReport[]): ExportReport['leftOut'] {
  const sums = new Map<string, number>();
  for (const { leftOut = {} } of reports)
    for (const [name, count] of Object.entries(leftOut)) sums.set(name, (sums.get(name) ?? 0) + count);
  return sums.size === 0 ? undefined : Object.fromEntries(sums);
}
