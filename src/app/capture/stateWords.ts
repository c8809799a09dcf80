import type { Served } from '../../capture/proxy/servedRecording.js';
import { t } from '../../core/l10n.js';
import { singleLine } from '../../core/text.js';
import { formatCount } from '../text/format.js';

/** What listens, and what went wrong. */
export interface CaptureState {
  /** The address at which OpenTelemetry is received; undefined where it is not. */
  readonly receiving: string | undefined;
  /** The address at which requests to models are recorded; undefined where they are not. */
  readonly recording: string | undefined;
  /** The address at which recordings are served; undefined where none is. */
  readonly serving: string | undefined;
  /** What was refused or went wrong, in words. */
  readonly problems: readonly string[];
}

/** What is received and recorded, in sentences without the last full stop; '' for nothing. */
export function stateWords({ receiving, recording, serving }: Omit<CaptureState, 'problems'>): string {
  const parts = [
    ...(receiving === undefined ? [] : [t`OpenTelemetry is received at ${receiving}`]),
    ...(recording === undefined ? [] : [t`Requests to models are recorded at ${recording}`]),
    ...(serving === undefined ? [] : [t`A recording is served at ${serving}`]),
  ];
  return parts.join('. ');
}

/** So many refusals are told; all of them count. */
const MAX_TOLD = 20;

/** What came of serving recordings: why requests were refused, and the sum as the last line. */
export function servedWords({ served, refused, unserved }: Served): readonly string[] {
  const more = refused.length - MAX_TOLD;
  return [
    ...refused.slice(0, MAX_TOLD).map((why) => t`Refused: ${singleLine(why)}`),
    ...(more > 0 ? [t`Refused besides: ${more}.`] : []),
    isServedExactly({ served, refused, unserved })
      ? t`Exact: ${formatCount(served, 'recorded answer')} given, none left over. The program ran its own tools.`
      : t`${formatCount(served, 'recorded answer')} given, ${formatCount(refused.length, 'request')} refused, ${formatCount(unserved.length, 'recorded answer')} never asked for. The program ran its own tools.`,
  ];
}

/** Whether each recorded answer was given, and nothing else was asked. */
export function isServedExactly({ served, refused, unserved }: Served): boolean {
  return refused.length === 0 && unserved.length === 0 && served > 0;
}
