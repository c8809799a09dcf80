/** Receiving traces and recording requests to models. */
export { captureReport } from '../capture/captureReport.js';
export { CaptureThread } from '../../capture/captureThread.js';
export { recordedEnvironment, recordingOptions } from '../capture/recordingOptions.js';
export { recordingsIn } from '../capture/recordings.js';
