import { expect, test } from 'vitest';
import { captureReport } from '../../../src/app/features/capturing.js';

const capture = (problems: readonly string[], receiving?: string) => ({
  receiving,
  recording: undefined,
  serving: undefined,
  problems,
});
const counts = {
  requests: 3,
  spans: 1_204,
  logRecords: 1,
  refused: 2,
  refusedRequests: 1,
  droppedMetrics: 4,
  unknownFields: 0,
};

test('what was received, refused, dropped and not known is counted, with the reasons on a line each', () => {
  const report = captureReport(
    capture(['POST /v1/traces: two\nlines'], 'http://127.0.0.1:4318'),
    counts,
    undefined,
  );
  expect(report).toBe(`What was received and recorded

OpenTelemetry is received at http://127.0.0.1:4318.

Requests: 3; refused as a whole: 1
Recorded: 1,204 spans, 1 log record
Spans and log records refused one by one: 2
Requests of metrics, which were dropped: 4
Fields that are not known here, and were left out: 0

What was refused or went wrong, the newest last:

- POST /v1/traces: two lines
`);
});

test('where nothing is received it says so', () => {
  expect(captureReport(capture([]), undefined, undefined)).toBe(`What was received and recorded

Nothing is received or recorded now.

Nothing was refused, and nothing went wrong.
`);
});
