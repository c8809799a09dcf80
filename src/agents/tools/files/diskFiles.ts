import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { messageOf } from '../../../core/text.js';
import type { FileOutcome, FileText, GuardedPath } from '../../../core/ports/workspaceFiles.js';
import { openGuarded } from '../paths/openGuarded.js';

/** A checked path; where `names` is given, a file that has more hard links by now is refused. */
type Named = Pick<GuardedPath, 'path' | 'relative'> & Partial<Pick<GuardedPath, 'names'>>;

/** The version of a content: its SHA-256 in hexadecimal. */
export function versionOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The text of a checked file on disk. */
export async function readDiskText(place: Named, maxBytes: number): Promise<FileOutcome<FileText>> {
  const opened = await openGuarded(place, 'file');
  if (!opened.ok) return opened;
  try {
    return await readHandle(opened.handle, place, maxBytes);
  } catch (error) {
    return { ok: false, why: 'failed', message: `'${place.relative}' cannot be read: ${messageOf(error)}` };
  } finally {
    await opened.handle.close();
  }
}

async function readHandle(
  handle: FileHandle,
  place: Named,
  maxBytes: number,
): Promise<FileOutcome<FileText>> {
  const { size, nlink } = await handle.stat();
  if (nlink > Math.max(place.names ?? nlink, 1)) {
    return { ok: false, why: 'refused', message: `'${place.relative}' has ${nlink} names (hard links).` };
  }
  if (size > maxBytes) {
    const message = `'${place.relative}' has ${size} bytes; more than ${maxBytes} are not read.`;
    return { ok: false, why: 'tooLarge', message };
  }
  const bytes = await readUpTo(handle, size);
  const text = decodeText(bytes);
  if (text === undefined) {
    const message = `'${place.relative}' is a binary file of ${bytes.length} bytes, not text.`;
    return { ok: false, why: 'binary', message };
  }
  return { ok: true, text, version: versionOf(bytes) };
}

/** All bytes of an open file, as many as it has at the start of the call. */
export async function readWhole(handle: FileHandle): Promise<Buffer> {
  return readUpTo(handle, (await handle.stat()).size);
}

/** Reads at most the size that was checked, even if the file grows meanwhile. */
async function readUpTo(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.alloc(size);
  let length = 0;
  while (length < size) {
    const { bytesRead } = await handle.read(bytes, length, size - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  return bytes.subarray(0, length);
}

/** Decodes UTF-8 and keeps a BOM; undefined for binary content, with a NUL or an invalid sequence. */
function decodeText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // The decoder throws for invalid UTF-8.
    return undefined;
  }
}
