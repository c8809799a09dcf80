import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** How much of the beginning, and of the end, of a file is looked at, in bytes. */
const LOOK_BYTES = 64 * 1024;

/** A shorter file is read, whatever stands in it, in bytes. */
const SHORT_BYTES = 1024 * 1024;

/** From which share on characters that no text has make a file none, in its first look. */
const MAX_BROKEN = 0.2;
const MAX_CONTROLS = 0.03;

/** What packed files, databases and texts in other encodings than UTF-8 begin with. */
const MARKS = ['1f8b', '28b52ffd', '504b', '53514c697465', 'fffe', 'feff'];

/** What a long file is told that holds no text. */
export const NO_TEXT = 'It is no text, as far as its first 64 KiB tell; nothing else of it was read.';

/**
 * Whether a long file is none that a reader takes, by a look at its first 64 KiB: bytes of anything, or nothing but zeros at both ends,
 * as of a file whose writing was cut off by a crash. Throws errors of the file system.
 */
export function isNoText(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const about = fstatSync(file);
    if (!about.isFile() || about.size < SHORT_BYTES) return false;
    const head = lookAt(file, 0);
    if (MARKS.some((mark) => head.toString('hex', 0, 8).startsWith(mark))) return false;
    if (head.every((byte) => byte === 0))
      return lookAt(file, about.size - LOOK_BYTES).every((byte) => byte === 0);
    const text = head.toString('utf8');
    const broken = text.split('\ufffd').length - 1;
    const controls = head.filter(
      (byte) => byte > 0 && byte < 32 && (byte < 9 || byte > 13) && byte !== 0x1e && byte !== 0x1b,
    );
    return broken / text.length > MAX_BROKEN && controls.length / head.length > MAX_CONTROLS;
  } finally {
    closeSync(file);
  }
}

function lookAt(file: number, position: number): Buffer {
  const bytes = Buffer.alloc(LOOK_BYTES);
  return bytes.subarray(0, readSync(file, bytes, 0, LOOK_BYTES, position));
}
