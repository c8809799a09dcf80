/** What of OpenTelemetry's packages is used: a bundle of its own, which is loaded with the first spans that are sent. */
export { ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
