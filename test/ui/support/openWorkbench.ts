import { join } from 'node:path';
import { startHost, workbenchQuery, type HostOptions } from '../../vscode/host/host.mjs';
import { Workbench } from './workbench.js';

const root = join(import.meta.dirname, '../../..');

/** How a window is opened; `extensions` are installed beside the one that is tested. */
export interface OpenOptions extends HostOptions {
  /** In CSS pixels; 1400 x 900 when left out. */
  viewport?: { width: number; height: number };
  /** The extension that is tested: a folder or a .vsix; the folder of this repository when left out. */
  extension?: string;
  /** How long one action on the page may take, in milliseconds; 40 s when left out. */
  actionTimeoutMs?: number;
  /** Changes the copy of the workspace before it is opened. */
  prepare?: (folder: string) => Promise<void>;
}

/** Opens a copy of the sample workspace, or of another one, in a VS Code that has the extension installed. */
export async function openWorkbench(options: OpenOptions = {}): Promise<Workbench> {
  const { viewport, extension = root, extensions = [], actionTimeoutMs = 40_000, prepare, ...rest } = options;
  const host = await startHost({
    workspace: join(root, 'samples/team'),
    ...rest,
    extensions: [extension, ...extensions],
  });
  const page = await host.browser.newPage({
    viewport: viewport ?? { width: 1400, height: 900 },
    reducedMotion: 'reduce',
  });
  page.setDefaultTimeout(actionTimeoutMs);
  const workbench = new Workbench(page, host);
  try {
    await prepare?.(workbench.folder);
    const query = workbenchQuery(host.server, { folder: host.folder });
    await page.goto(host.server.address(query), { waitUntil: 'commit' });
    await workbench.ready();
  } catch (error) {
    await workbench.close();
    throw error;
  }
  return workbench;
}
