import { basename, join, resolve } from 'node:path';
import { copyWorkspace } from '../../vscode/host/host.mjs';
import { closePages, removeFolder, sharedHost, type WindowNeeds } from './sharedHosts.js';
import { STARTUP_MS, Workbench } from './workbench.js';

const root = join(import.meta.dirname, '../../..');

/** How a window is opened. */
export interface OpenOptions extends WindowNeeds {
  /** The workspace that is copied and opened; the sample workspace when left out. */
  workspace?: string;
  /** Extensions to install beside the one that is tested. */
  extensions?: string[];
  /** Whether every workspace is trusted without asking; true when left out. */
  trusted?: boolean;
  /** In CSS pixels; 1400 x 900 when left out. */
  viewport?: { width: number; height: number };
  /** Changes the copy of the workspace, and the home of other tools, before the window is opened. */
  prepare?: (folder: string, home: string) => Promise<void>;
}

/** Opens a copy of a workspace in a VS Code that has the extension installed. */
export async function openWorkbench(options: OpenOptions = {}): Promise<Workbench> {
  const { workspace = join(root, 'samples/team'), extensions = [], trusted = true } = options;
  const host = await sharedHost({ extensions: [root, ...extensions], trusted }, options);
  const folder = join(host.workspaces, basename(resolve(workspace)));
  await copyWorkspace(workspace, folder);
  await options.prepare?.(folder, host.home);
  const page = await host.browser.newPage({
    viewport: options.viewport ?? { width: 1400, height: 900 },
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(STARTUP_MS);
  const workbench = new Workbench(page, {
    ...host,
    folder,
    async stop() {
      await closePages();
      await removeFolder(host.workspaces);
    },
  });
  try {
    await workbench.openWindow();
  } catch (error) {
    await workbench.close();
    throw error;
  }
  return workbench;
}
