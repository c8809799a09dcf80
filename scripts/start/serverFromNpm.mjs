import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workbenchQuery } from '../../test/vscode/host/host.mjs';
import { startServer } from '../../test/vscode/host/server.mjs';
import { hasDesktop } from './launcher.mjs';

/** @import { Launcher } from './launcher.mjs' */

/** The same at every start, because a browser keeps what VS Code remembers under the address. */
const PORT = 41_044;

/**
 * Starts a VS Code server on loopback and prints its address.
 * @type {Launcher}
 */
export async function startServerFromNpm({ extension, workspace }) {
  let server;
  try {
    server = await startServer({
      extensions: [extension],
      dataDir: join(extension, 'out/start'),
      port: PORT,
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const address = server.address(workbenchQuery(server, { folder: workspace }));
  console.log(`\nVS Code is at\n\n  ${address}\n\nOpen it in a browser; press Ctrl+C here to end.`);
  if (hasDesktop()) openInBrowser(address);
  const ending = await Promise.race([
    once(process, 'SIGINT').then(() => 'asked'),
    once(process, 'SIGTERM').then(() => 'asked'),
    server.ended.then(() => 'died'),
  ]);
  if (ending === 'died') {
    const wrote = server.log().trim();
    throw new Error(
      `The VS Code server has ended by itself.${wrote && ` The last that it wrote:\n\n${wrote}\n`}\nRun \`npm start\` again.`,
    );
  }
  console.log('Ending VS Code …');
  await server.stop();
  return undefined;
}

/** @param {string} address */
function openInBrowser(address) {
  const opener = spawn('xdg-open', [address], { stdio: 'ignore', detached: true });
  opener.on('error', () => console.log('No browser could be opened from here.'));
  opener.unref();
}
