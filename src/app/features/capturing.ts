import type { Served } from '../../capture/proxy/servedRecording.js';
import type { OtlpCounts } from '../../capture/otlp/otlpReceiver.js';
import { t } from '../../core/l10n.js';
import { singleLine } from '../../core/text.js';
import { formatCount } from '../text/format.js';
import { servedWords, stateWords, type CaptureState } from '../capture/stateWords.js';

/** Receiving traces and recording requests to models. */
export { CaptureThread } from '../../capture/captureThread.js';
export { servedWords } from '../capture/stateWords.js';
export { recordedEnvironment, recordingOptions, servedEnvironment } from '../capture/recordingOptions.js';
export { recordingsIn } from '../capture/recordings.js';

/** What was received and what was not, and what went wrong, as plain text; `counts` where OpenTelemetry is received. */
export function captureReport(
  capture: CaptureState,
  counts: OtlpCounts | undefined,
  served: Served | undefined,
): string {
  const state = stateWords(capture);
  const problems = capture.problems.map((words) => `- ${singleLine(words)}`);
  return [
    t`What was received and recorded`,
    '',
    state === '' ? t`Nothing is received or recorded now.` : `${state}.`,
    ...(counts ? ['', ...received(counts)] : []),
    ...(served ? ['', t`What was served:`, ...servedWords(served)] : []),
    '',
    ...(problems.length === 0
      ? [t`Nothing was refused, and nothing went wrong.`]
      : [t`What was refused or went wrong, the newest last:`, '', ...problems]),
    '',
  ].join('\n');
}

function count(of: number): string {
  return of.toLocaleString('en-US');
}

function received(counts: OtlpCounts): readonly string[] {
  const { requests, spans, logRecords, refused, refusedRequests, droppedMetrics, unknownFields } = counts;
  return [
    t`Requests: ${count(requests)}; refused as a whole: ${count(refusedRequests)}`,
    t`Recorded: ${formatCount(spans, 'span')}, ${formatCount(logRecords, 'log record')}`,
    t`Spans and log records refused one by one: ${count(refused)}`,
    t`Requests of metrics, which were dropped: ${count(droppedMetrics)}`,
    t`Fields that are not known here, and were left out: ${count(unknownFields)}`,
  ];
}
