import { t } from '../../core/l10n.js';
import { formatCount } from '../text/format.js';
import type { SendOutcome } from '../telemetry/openTelemetry.js';
import type { Sent } from '../../export/collector/spanSender.js';
import type { TraceSerializer } from '../../export/collector/encodeSpans.js';

/** Sending transcripts to a collector of OpenTelemetry. The package that writes protobuf comes with the first spans. */
export { OpenTelemetry } from '../telemetry/openTelemetry.js';
export { keepHeaders } from '../telemetry/telemetrySettings.js';
export { collectorAddress } from '../../export/collector/collectorAddress.js';

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

/** OpenTelemetry's serializer, loaded with the first spans that are sent. */
export async function loadSerializer(): Promise<TraceSerializer> {
  const { ProtobufTraceSerializer } = await import('../../export/collector/otlpPackage.js');
  return ProtobufTraceSerializer;
}
