import type { CaptureService } from './captureService.js';
import { t } from '../../core/l10n.js';

/** What is received and recorded, in sentences without the last full stop; '' for nothing. */
export function stateWords({ receiving, recording }: CaptureService): string {
  const parts = [
    ...(receiving === undefined ? [] : [t`OpenTelemetry is received at ${receiving}`]),
    ...(recording === undefined ? [] : [t`Requests to models are recorded at ${recording}`]),
  ];
  return parts.join('. ');
}
