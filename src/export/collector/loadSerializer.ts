import type { TraceSerializer } from './encodeSpans.js';

/** OpenTelemetry's serializer, loaded with the first spans that are sent. */
export async function loadSerializer(): Promise<TraceSerializer> {
  const { ProtobufTraceSerializer } = await import('./otlpPackage.js');
  return ProtobufTraceSerializer;
}
