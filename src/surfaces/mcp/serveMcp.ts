import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { onAbort } from '../../core/abort.js';
import { checkedFrames } from './checkedFrames.js';
import type { McpLibrary } from './library.js';
import { mcpServer } from './mcpServer.js';

/** Serves models on the standard streams of this process, in either era of the protocol, until these are closed. */
export async function serveMcp(library: McpLibrary, version: string): Promise<void> {
  const frames = checkedFrames((refusal) => process.stdout.write(`${JSON.stringify(refusal)}\n`));
  const transport = new StdioServerTransport(process.stdin.pipe(frames), process.stdout);
  const handle = serveStdio(() => mcpServer(library, version), { transport });
  await new Promise<void>((resolve) => {
    process.stdin.once('close', resolve);
    frames.once('end', resolve);
    onAbort(library.signal, resolve);
  });
  await handle.close();
}
