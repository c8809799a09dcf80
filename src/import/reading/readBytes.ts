/** A transcript's bytes, text, or stream of bytes. */
export type TranscriptSource = Uint8Array | string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A little less than the longest string in V8 has UTF-16 code units. */
export const MAX_TRANSCRIPT_BYTES = 512 * 1024 * 1024 - 1024;

/** Collects a source's bytes, at most `limit` of them. */
export async function readBytes(
  source: TranscriptSource,
  limit: number,
): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  if (typeof source === 'string') return cut(Buffer.from(source), limit);
  if (source instanceof Uint8Array) return cut(source, limit);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > limit) break;
  }
  const [only] = chunks;
  return cut(chunks.length === 1 && only ? only : Buffer.concat(chunks), limit);
}

function cut(bytes: Uint8Array, limit: number): { bytes: Uint8Array; isCut: boolean } {
  return { bytes: bytes.subarray(0, limit), isCut: bytes.length > limit };
}
