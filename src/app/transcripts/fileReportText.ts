import { t } from '../../core/l10n.js';
import { singleLine } from '../../core/text.js';
import { toolWords } from '../../import/toolWords.js';
import type { ImportReport } from '../../store/files/importReport.js';
import { formatCount } from '../text/format.js';

/** How many problems a report lists; further ones are only counted. */
const MAX_LISTED = 1_000;

/** What is told of a file that was read. */
export interface ReadFileFacts extends ImportReport {
  readonly replacedAt?: number | undefined;
  readonly failure?: string | undefined;
}

/** The report of what was read of a file and what was not understood, as plain text. */
export function fileReportText(facts: ReadFileFacts): string {
  const { path, format, readWith, records, conversations } = facts;
  const { replacedAt, failure, readAt } = facts;
  return [
    t`What was read of a file`,
    '',
    t`File: ${path}`,
    t`Written by: ${toolWords(format)} (format ${format})`,
    t`Read: ${formatCount(conversations, 'conversation')}, ${formatCount(records, 'record')}, ${when(readAt)}`,
    ...readWith.map((each) => t`Read with it: ${each}`),
    ...(replacedAt === undefined ? [] : [t`Replaced or cut off, and read anew: ${when(replacedAt)}`]),
    ...(failure === undefined ? [] : [t`It cannot be read again: ${failure}`]),
    '',
    ...foundIn(facts),
    '',
  ].join('\n');
}

function foundIn({ problems, problemCount }: ImportReport): readonly string[] {
  if (problemCount === 0) return [t`All of it was understood.`];
  const listed = problems.slice(0, MAX_LISTED).map(({ severity, message, line }) => {
    const place = line === undefined ? '' : t`line ${line.toLocaleString('en-US')}, `;
    return `- ${place}${severity === 'error' ? t`error` : t`warning`}: ${singleLine(message)}`;
  });
  const more = problemCount - listed.length;
  return [
    t`${formatCount(problemCount, 'place')} could not be understood, or should be known of. What no reader understands is kept as it was written, unless a line says otherwise.`,
    '',
    ...listed,
    ...(more > 0 ? [t`${more.toLocaleString('en-US')} more are not listed.`] : []),
  ];
}

function when(time: number): string {
  return new Date(time).toLocaleString('en-GB');
}
