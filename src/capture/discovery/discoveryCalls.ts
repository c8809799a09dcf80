import type { SessionAbout } from './sessionAbout.js';
import type { ToolChange, ToolRequest } from './sessionFinder.js';
import type { StatedSession } from './stateFinder.js';
import type { ToolId } from '../../import/toolHomes.js';

/** What the thread that looks for sessions answers; see `SessionFinder`. */
export interface DiscoveryCalls {
  changes(requests: readonly ToolRequest[], since: number): Promise<readonly ToolChange[]>;
  workspaces(id: ToolId, paths: readonly string[]): Promise<readonly (string | undefined)[]>;
  states(now: number): Promise<readonly StatedSession[]>;
  about(id: ToolId, paths: readonly string[]): Promise<readonly (SessionAbout | undefined)[]>;
}
