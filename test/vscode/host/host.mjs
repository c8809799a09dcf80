import { cp, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { launchBrowser } from './browser.mjs';
import { newScratch, startServer } from './server.mjs';

/** @import { Browser } from 'playwright-core' */
/** @import { Server, ServerOptions } from './server.mjs' */

/**
 * @typedef {ServerOptions & { workspace?: string }} HostOptions `workspace` is copied: tests may write into the copy
 */

/**
 * A server and a browser; the copy of the workspace, if one was asked for.
 * @typedef {object} Host
 * @property {Server} server
 * @property {Browser} browser
 * @property {string | undefined} folder
 * @property {() => Promise<void>} stop
 */

/**
 * Starts server and browser side by side; when one fails, the other is ended too.
 * @param {HostOptions} options
 * @returns {Promise<Host>}
 */
export async function startHost({ workspace, ...options }) {
  const scratch = options.scratch ?? (await newScratch());
  const folder = workspace && join(scratch, 'workspaces', basename(resolve(workspace)));
  if (workspace && folder) await copyWorkspace(workspace, folder);
  const [server, browser] = await Promise.allSettled([startServer({ ...options, scratch }), launchBrowser()]);
  if (server.status === 'fulfilled' && browser.status === 'fulfilled') {
    const stop = async () => {
      await browser.value.close();
      await server.value.stop();
    };
    return { server: server.value, browser: browser.value, folder, stop };
  }
  if (server.status === 'fulfilled') await server.value.stop();
  if (browser.status === 'fulfilled') await browser.value.close();
  await rm(scratch, { recursive: true, force: true });
  throw server.status === 'rejected' ? server.reason : browser.status === 'rejected' && browser.reason;
}

/**
 * The files of a workspace without what earlier runs recorded in it.
 * @param {string} from
 * @param {string} to
 */
export async function copyWorkspace(from, to) {
  await cp(from, to, { recursive: true, filter: (path) => basename(path) !== '.agent-logbook' });
}

/**
 * The query that opens a folder, and optionally an extension under development and a suite to run in its host.
 * @param {Server} server
 * @param {{ folder?: string | undefined, extension?: string, suite?: string }} what
 * @returns {Record<string, string>}
 */
export function workbenchQuery(server, { folder, extension, suite }) {
  const uri = (/** @type {string} */ path) => `vscode-remote://${server.authority}${resolve(path)}`;
  const payload = [
    ...(extension ? [['extensionDevelopmentPath', uri(extension)]] : []),
    ...(suite ? [['extensionTestsPath', uri(suite)]] : []),
  ];
  return {
    ...(folder ? { folder } : { ew: 'true' }),
    ...(payload.length > 0 ? { payload: JSON.stringify(payload) } : {}),
  };
}
