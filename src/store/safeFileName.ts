import { createHash } from 'node:crypto';

const PLAIN = /^[a-z0-9_][a-z0-9_.-]{0,99}$/;
/** Names that Windows keeps for devices, whatever their ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * A file name for an id: the id itself where it is safe on every system, else its readable characters and a hash.
 * Two ids never share a name, also not where the file system ignores letter case.
 */
export function safeFileName(id: string): string {
  if (PLAIN.test(id) && !id.endsWith('.') && !DEVICE.test(id)) return id;
  const readable = id
    .slice(0, 40)
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-');
  const hash = createHash('sha256').update(Buffer.from(id, 'utf16le')).digest('hex');
  return `${readable}~${hash.slice(0, 16)}`;
}

/** Whether a name read from somewhere names an entry of one folder, and no path to elsewhere. */
export function isEntryName(name: string): boolean {
  return name.length > 0 && name.length <= 255 && !name.startsWith('.') && !/[/\\\0]/.test(name);
}
