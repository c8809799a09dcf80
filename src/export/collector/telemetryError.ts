/** Something that keeps spans from a collector, in words that say what to do. */
export class TelemetryError extends Error {
  override readonly name = 'TelemetryError';
}
