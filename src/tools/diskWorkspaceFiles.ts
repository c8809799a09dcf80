import type { FileOutcome, GuardedPath, WorkspaceFiles } from '../ports/workspaceFiles.js';
import { readDiskText } from './diskFiles.js';

/** The files of the workspace as they are on the disk, editors not asked. */
export class DiskWorkspaceFiles implements WorkspaceFiles {
  read(place: GuardedPath, maxBytes: number) {
    return readDiskText(place, maxBytes);
  }

  write(place: GuardedPath): Promise<FileOutcome<{ readonly version: string }>> {
    return Promise.resolve({ ok: false, why: 'failed', message: `'${place.relative}' cannot be written.` });
  }
}
