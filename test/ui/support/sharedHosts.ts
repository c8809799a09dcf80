import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../../vscode/host/browser.mjs';
import { newScratch, startServer, writeSettings, type Server } from '../../vscode/host/server.mjs';

/** What a VS Code server is started with; everything else can be changed from one window to the next. */
export interface ServerNeeds {
  /** Folders and .vsix files. */
  readonly extensions: readonly string[];
  /** Whether every workspace is trusted without asking. */
  readonly trusted: boolean;
}

/** What a window finds, and nothing that another one has left behind. */
export interface WindowNeeds {
  readonly settings?: Record<string, unknown>;
  /** Settings of machine scope: VS Code reads those from the server. */
  readonly machineSettings?: Record<string, unknown>;
}

/** A VS Code server, with the folders that are its own. */
interface SharedServer {
  readonly server: Server;
  /** Where VS Code keeps settings and logs. */
  readonly dataDir: string;
  /** Where other tools keep their sessions, as the extension is told: Claude Code, Codex and those of XDG_DATA_HOME. */
  readonly home: string;
}

/** A server and a browser, ready for a window. */
export interface SharedHost extends SharedServer {
  readonly browser: Browser;
  /** A folder for copies of workspaces that no other window has had. */
  readonly workspaces: string;
}

let browser: Promise<Browser> | undefined;
const servers = new Map<string, Promise<SharedServer>>();
let windows = 0;

/** The Chromium of this worker, for one file after the other; it ends with the worker. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= startBrowser();
  return browser;
}

async function startBrowser(): Promise<Browser> {
  const started = await launchBrowser();
  endsOfWorker.push(() => started.close());
  return started;
}

/**
 * The server of this worker that has what is needed, as if it had just been started: windows of one file after the other are
 * opened on it. It ends with the worker.
 */
export async function sharedHost(needs: ServerNeeds, window: WindowNeeds): Promise<SharedHost> {
  const key = JSON.stringify(needs);
  const started = servers.get(key) ?? startShared(needs);
  servers.set(key, started);
  const [shared, shown] = await Promise.all([started, sharedBrowser()]);
  await reset(shared);
  await writeSettings(shared.dataDir, { trusted: needs.trusted, ...window });
  return {
    ...shared,
    browser: shown,
    workspaces: join(shared.server.scratch, 'workspaces', String(++windows)),
  };
}

/** Removes what earlier windows have left behind on the server: settings, what extensions kept, their logs and sessions. */
async function reset({ dataDir, home }: SharedServer): Promise<void> {
  const data = join(dataDir, 'data');
  const hosts = (await readdir(join(data, 'logs'), { recursive: true })).filter((path) =>
    /^[^/]*\/exthost\d*$/.test(path),
  );
  const folders = ['User', 'Machine', ...hosts.map((path) => join('logs', path))].map((path) =>
    join(data, path),
  );
  for (const folder of [...folders, home]) await removeFolder(folder);
  await mkdir(home);
}

/** Removes a folder into which an extension host that is just ending may still write. */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

async function startShared({ extensions, trusted }: ServerNeeds): Promise<SharedServer> {
  const scratch = await newScratch();
  const home = join(scratch, 'home');
  const dataDir = join(scratch, 'server');
  const server = await startServer({
    scratch,
    extensions: [...extensions],
    trusted,
    dataDir,
    env: {
      CLAUDE_CONFIG_DIR: join(home, '.claude'),
      CODEX_HOME: join(home, '.codex'),
      XDG_DATA_HOME: home,
    },
  });
  endsOfWorker.push(() => server.stop());
  return { server, dataDir, home };
}

/**
 * Closes all windows and pages; what they kept in the browser goes with them. Each is left first, as by a person: a window that
 * only vanishes is waited for by its server, extensions and all, for hours.
 */
export async function closePages(): Promise<void> {
  if (!browser) return;
  for (const context of (await browser).contexts()) {
    for (const page of context.pages()) await page.goto('about:blank');
    await context.close();
  }
}
