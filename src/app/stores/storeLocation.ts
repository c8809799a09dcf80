import { t } from '../../core/l10n.js';
import { isAbsolute, join } from 'node:path';
import { UserError } from '../userError.js';

/** The part of a workspace folder that decides the place of its store. */
interface Folder {
  readonly name: string;
  readonly uri: { readonly scheme: string; readonly fsPath: string };
}

/** The place of a store, and what a person must know about it. */
export interface StoreLocation {
  /** Absolute. */
  readonly root: string;
  readonly notice?: string;
}

/**
 * The place of a workspace folder's store: in the folder, or where the person chose; in the extension's storage where no
 * folder is open, or the folder is on no file system of this machine. Throws a UserError where the chosen place is not
 * an absolute path.
 */
export function storeLocation(
  folder: Folder | undefined,
  { chosen, ownStorage }: { readonly chosen: string; readonly ownStorage: string },
): StoreLocation {
  if (chosen !== '') {
    if (!isAbsolute(chosen))
      throw new UserError(t`The setting agentLogbook.storePath must be an absolute path.`);
    return { root: chosen };
  }
  if (folder?.uri.scheme === 'file') return { root: join(folder.uri.fsPath, '.agent-logbook') };
  const root = join(ownStorage, 'logbook');
  if (!folder) return { root };
  const where = t`The folder "${folder.name}" is not on a disk of this machine`;
  return { root, notice: t`${where}: its transcripts are kept in the storage of the extension instead.` };
}
