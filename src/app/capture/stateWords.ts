import { t } from '../../core/l10n.js';

/** What listens, and what went wrong. */
export interface CaptureState {
  /** The address at which OpenTelemetry is received; undefined where it is not. */
  readonly receiving: string | undefined;
  /** The address at which requests to models are recorded; undefined where they are not. */
  readonly recording: string | undefined;
  /** What was refused or went wrong, in words. */
  readonly problems: readonly string[];
}

/** What is received and recorded, in sentences without the last full stop; '' for nothing. */
export function stateWords({ receiving, recording }: Pick<CaptureState, 'receiving' | 'recording'>): string {
  const parts = [
    ...(receiving === undefined ? [] : [t`OpenTelemetry is received at ${receiving}`]),
    ...(recording === undefined ? [] : [t`Requests to models are recorded at ${recording}`]),
  ];
  return parts.join('. ');
}
