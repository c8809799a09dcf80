import { isAbsolute, join } from 'node:path';
import { UserError } from './userError.js';

/** What of a workspace folder decides where its store lies. */
interface Folder {
  readonly name: string;
  readonly uri: { readonly scheme: string; readonly fsPath: string };
}

/** Where a store lies, and what a person must know of it. */
export interface StorePlace {
  /** Absolute. */
  readonly root: string;
  readonly notice?: string;
}

/**
 * Where the store for a workspace folder lies: in the folder, or where the person chose; in the storage of the
 * extension where no folder is open, or the folder is on no file system of this machine. Throws a UserError where
 * the chosen place is no absolute path.
 */
export function storePlace(
  folder: Folder | undefined,
  { chosen, ownStorage }: { readonly chosen: string; readonly ownStorage: string },
): StorePlace {
  if (chosen !== '') {
    if (!isAbsolute(chosen))
      throw new UserError('The setting agentLogbook.storePath must be an absolute path.');
    return { root: chosen };
  }
  if (folder?.uri.scheme === 'file') return { root: join(folder.uri.fsPath, '.agent-logbook') };
  const root = join(ownStorage, 'logbook');
  if (!folder) return { root };
  const where = `The folder "${folder.name}" is not on a disk of this machine`;
  return { root, notice: `${where}: its transcripts are kept in the storage of the extension instead.` };
}
