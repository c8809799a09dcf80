import type { Host } from '../../app/ports/host.js';
import { editorSettings } from './settings.js';
import { dialogs } from './ui/dialogs.js';
import { editorWorkspace } from './workspaceFolders.js';

/** This window of VS Code, as the application sees it. */
export const editorHost: Host = { settings: editorSettings, workspace: editorWorkspace, dialogs };
