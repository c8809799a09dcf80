import { features } from '../../../app/features/features.js';
import { sharingPolicyOf } from '../../../app/sharing/sharingSettings.js';
import { formatCount } from '../../../app/text/format.js';
import { words } from '../../../app/text/plainText.js';
import { t } from '../../../core/l10n.js';
import type { Delivered } from '../../../page/protocol/requests.js';
import { editorSettings, setting } from '../settings.js';
import { copyText } from '../ui/clipboard.js';
import { showInformation } from '../ui/notices.js';

/**
 * Copies a text of a transcript without what is left out of every export. Nobody is asked before a single text; where something was left
 * out, a notice says so and copies it as it is, if the person wants that.
 */
export async function copyShared(text: string): Promise<Delivered> {
  if (!setting('export.redactSecrets')) {
    await copyText(text);
    return { isTold: false };
  }
  const { sharedText, sharingRules } = await features.redaction();
  const shared = sharedText(text, await sharingRules(sharingPolicyOf(editorSettings)));
  await copyText(shared.text);
  const isTold = shared.redacted > 0;
  if (isTold) void offerWhole(text, shared.redacted);
  return { isTold };
}

async function offerWhole(text: string, redacted: number): Promise<void> {
  const whole = t`Copy As It Is`;
  const told = words`Copied; ${formatCount(redacted, 'secret')} left out.`;
  if ((await showInformation(told, whole)) === whole) await copyText(text);
}
