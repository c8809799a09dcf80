import type { Dialogs } from './dialogs.js';
import type { Settings } from './settings.js';
import type { Workspace } from './workspace.js';

/** What every part of the application may ask of the window that it runs in. */
export interface Host {
  readonly settings: Settings;
  readonly workspace: Workspace;
  readonly dialogs: Dialogs;
}
