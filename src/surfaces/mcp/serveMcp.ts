import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { onAbort } from '../../core/abort.js';
import type { McpLibrary } from './library.js';
import { mcpServer } from './mcpServer.js';

/** Serves models on the standard streams of this process, in either era of the protocol, until these are closed. */
export async function serveMcp(library: McpLibrary, version: string): Promise<void> {
  const handle = serveStdio(() => mcpServer(library, version));
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    process.stdin.once('end', resolve);
    onAbort(library.signal, resolve);
  });
  await handle.close();
}
