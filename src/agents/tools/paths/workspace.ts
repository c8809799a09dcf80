import type { PatternMatcher } from '../../../core/ports/patternMatcher.js';
import type { WorkspaceFiles } from '../../../core/ports/workspaceFiles.js';
import type { PathGuard } from './pathGuard.js';
import type { SeenFiles } from '../files/seenFiles.js';

/** What the file tools of one conversation share. */
export interface Workspace {
  readonly guard: PathGuard;
  readonly files: WorkspaceFiles;
  readonly seen: SeenFiles;
  /** Looks for the patterns of models; absent: on the thread that asks, which then waits. */
  readonly patterns?: PatternMatcher | undefined;
}
