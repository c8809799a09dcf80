import { join } from 'node:path';
import { CREATE, entryAt, makeFolder, openPlainFile, READ } from '../../node/plainFile.js';
import { errorCode } from '../../core/errorCode.js';
import { names } from './storePaths.js';

/** Keeps the store out of git, itself included. */
const IGNORE = '# Made by Agent Logbook: conversations may hold secrets.\n*\n';
/** Marks the folder as created by us, so that we may delete within it. */
const MARKER = '{"logbook":1}\n';

/** Creates the store's folder with its marker; existing files stay as they are. */
export async function makeRoot(root: string): Promise<void> {
  await makeFolder(root);
  await writeOnce(join(root, names.ignore), IGNORE);
  await writeOnce(join(root, names.marker), MARKER);
}

/** Whether a folder has the marker of a store. */
export async function isMarkedRoot(root: string): Promise<boolean> {
  const path = join(root, names.marker);
  if (!(await entryAt(path))?.isFile()) return false;
  const handle = await openPlainFile(path, READ);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MARKER.length), 0, MARKER.length, 0);
    return buffer.toString('latin1', 0, bytesRead).startsWith('{"logbook":');
  } finally {
    await handle.close();
  }
}

async function writeOnce(path: string, content: string): Promise<void> {
  if (await entryAt(path)) return;
  try {
    const handle = await openPlainFile(path, CREATE);
    try {
      await handle.writeFile(content);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}
