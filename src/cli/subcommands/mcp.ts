import { McpLibrary } from '../../mcp/library.js';
import { serveMcp } from '../../mcp/serveMcp.js';
import { silentLog } from '../../ports/log.js';
import type { Call } from '../call.js';
import { WrongUse } from '../terminal.js';

/** Serves the Model Context Protocol on standard input and output until that is closed. */
export async function mcp(call: Call): Promise<void> {
  const { terminal, signal, words } = call;
  if (words.includes('-'))
    throw new WrongUse('Standard input is what the server is asked on; name files instead.');
  const library = new McpLibrary(
    {
      ...{
        cwd: terminal.cwd,
        store: call.text('store'),
        stdin: terminal.stdin,
        log: silentLog,
        mayBlock: true,
        signal,
      },
      onProblem: () => undefined,
    },
    words,
    terminal.now,
    call.sharing,
  );
  await serveMcp(library, terminal.version);
}
