/** Sending transcripts to a collector of OpenTelemetry. The package that writes protobuf comes with the first spans. */
export { OpenTelemetry } from '../telemetry/openTelemetry.js';
export { keepHeaders } from '../telemetry/telemetrySettings.js';
export { loadSerializer } from '../../export/collector/loadSerializer.js';
export { sendWords, takenWords } from '../telemetry/sendWords.js';
export { collectorAddress } from '../../export/collector/collectorAddress.js';
