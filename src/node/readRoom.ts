/** How many bytes are read into the memory that is kept. */
export const ROOM_BYTES = 4 * 1024 * 1024;

let kept = Buffer.alloc(0);

/**
 * So many bytes of memory to read into, which is the same for all who ask on a thread, so that what is in it is valid only
 * until the next asks: memory that is new each time takes as long as what is read. More than `ROOM_BYTES` are not kept.
 */
export function readRoom(bytes: number): Buffer {
  if (bytes > ROOM_BYTES) return Buffer.allocUnsafe(bytes);
  if (kept.length === 0) kept = Buffer.allocUnsafeSlow(ROOM_BYTES);
  return kept.subarray(0, bytes);
}
