import type { Dialogs } from './dialogs.js';
import type { Settings } from './settings.js';
import type { Workspace } from './workspace.js';
import type { AgentDefinition } from '../../core/agent.js';

/** What every part of the application may ask of the window that it runs in. */
export interface Host {
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly dialogs: Dialogs;
}

/** The agents that can run here. */
export interface Agents {
  /** All of them, a workspace's before the person's own. */
  agents(): Promise<readonly AgentDefinition[]>;
  /** Those that a person may talk to. */
  invocable(): Promise<readonly AgentDefinition[]>;
}
