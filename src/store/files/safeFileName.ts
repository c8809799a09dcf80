import { createHash } from 'node:crypto';

const PLAIN = /^[a-z0-9_][a-z0-9_.-]{0,99}$/;
/** Names that Windows reserves for devices, with any extension. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * A file name for an id: the id itself where it is valid on every system, else its readable characters and a hash.
 * Two ids never share a name, even where the file system ignores letter case.
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

/** Whether an untrusted name is that of an entry in a folder, and not a path to somewhere else. */
export function isEntryName(name: string): boolean {
  return name.length > 0 && name.length <= 255 && !name.startsWith('.') && !/[/\\\0]/.test(name);
}
