import type { WorkspaceFiles } from '../../ports/workspaceFiles.js';
import type { PathGuard } from './pathGuard.js';
import type { SeenFiles } from '../files/seenFiles.js';

/** What the file tools of one conversation share. */
export interface Workspace {
  readonly guard: PathGuard;
  readonly files: WorkspaceFiles;
  readonly seen: SeenFiles;
}
