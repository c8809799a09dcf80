import { t } from '../../../core/l10n.js';
import type { PlainText } from '../../../app/text/plainText.js';
import { leftOutLines, NAMED_IN_NOTICE } from '../../../app/transcripts/leftOutWords.js';
import type { ExportReport } from '../../../export/exportFormat.js';
import { showInformation } from '../ui/notices.js';
import { showText } from '../ui/showText.js';

/**
 * Tells what came of an export; where more was left out than the notice names, a last button shows all of it. Resolves with
 * the other button that was pressed.
 */
export async function tellExported(
  told: PlainText,
  leftOut: ExportReport['leftOut'],
  [first, second]: readonly [string?, string?] = [],
): Promise<string | undefined> {
  const all = leftOutLines(leftOut);
  const showAll = t`Show All`;
  const last = all.length > NAMED_IN_NOTICE ? showAll : undefined;
  const pressed = await showInformation(told, ...[first, second, last].filter((each) => each !== undefined));
  if (pressed !== showAll) return pressed;
  await showText(`${all.join('\n')}\n`, 'plaintext');
  return undefined;
}
