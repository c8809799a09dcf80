import type { GuardedPath, WorkspaceFiles } from '../../../core/ports/workspaceFiles.js';
import { readDiskText } from './diskFiles.js';
import { writeDiskText } from './writeDiskText.js';

/** The files of the workspace on disk, without regard to editors. */
export class DiskWorkspaceFiles implements WorkspaceFiles {
  read(place: GuardedPath, maxBytes: number) {
    return readDiskText(place, maxBytes);
  }

  write(place: GuardedPath, text: string, expected: string) {
    return writeDiskText(place, text, expected);
  }
}
