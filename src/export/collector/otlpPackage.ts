/**
 * What of OpenTelemetry's packages is used: a bundle of its own, which is loaded with the first spans that are sent. The package's own entry
 * would bring metrics, logs and what looks a machine over, 20 times as much.
 */
export { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer/build/src/trace/protobuf/trace.js';
