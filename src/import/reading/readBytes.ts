/** A transcript's bytes, text, or stream of bytes. */
export type TranscriptSource = Uint8Array | string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** A little less than the longest string in V8 has UTF-16 code units. */
export const MAX_TRANSCRIPT_BYTES = 512 * 1024 * 1024 - 1024;

/** Collects a source's bytes, at most `limit` of them, as UTF-8 without a byte order mark. */
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
  return cut(Buffer.concat(chunks), limit);
}

function cut(bytes: Uint8Array, limit: number): { bytes: Uint8Array; isCut: boolean } {
  return { bytes: asUtf8(bytes.subarray(0, limit)), isCut: bytes.length > limit };
}

/** Windows shells write UTF-16 with a byte order mark. */
function asUtf8(bytes: Uint8Array): Uint8Array {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return bytes.subarray(3);
  if (first === 0xff && second === 0xfe) return Buffer.from(new TextDecoder('utf-16le').decode(bytes));
  if (first === 0xfe && second === 0xff) return Buffer.from(new TextDecoder('utf-16be').decode(bytes));
  return bytes;
}
