import { t } from '../../core/l10n.js';
import { formatCount } from '../text/format.js';
import type { SendOutcome } from './openTelemetry.js';
import type { Sent } from '../../export/collector/spanSender.js';

/** What came of sending, for a person: what was taken, what went out shorter, what was lost, and what is sent later and why. */
export function sendWords({ sent, redacted, missing, dropped }: SendOutcome): string {
  return [
    ...takenWords(sent),
    ...(missing > 0 ? [t`${formatCount(missing, 'text')} cut or left out.`] : []),
    ...(redacted > 0 ? [t`${formatCount(redacted, 'secret')} replaced.`] : []),
    ...(dropped > 0 ? [t`${formatCount(dropped, 'span')} dropped, because too much waits already.`] : []),
  ].join(' ');
}

/** What came of sending what waited, for a person. */
export function takenWords({ taken, lost, why, stopped }: Sent): readonly string[] {
  return [
    ...(taken > 0 || !stopped ? [t`Sent ${formatCount(taken, 'span')}.`] : []),
    ...(lost > 0 ? [t`The collector did not take ${formatCount(lost, 'span')}. ${why}`.trim()] : []),
    ...(stopped ? [stopped.words, later(taken > 0)] : []),
  ];
}

const later = (isRest: boolean): string =>
  isRest
    ? t`The rest waits on this machine and is sent later.`
    : t`All of it waits on this machine and is sent later.`;
