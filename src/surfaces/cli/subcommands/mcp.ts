import { McpLibrary } from '../../mcp/library.js';
import { serveMcp } from '../../mcp/serveMcp.js';
import type { Call } from '../call.js';
import { WrongUse } from '../terminal.js';

/** Serves the Model Context Protocol on standard input and output until that is closed. */
export async function mcp(call: Call): Promise<void> {
  const { terminal, signal, words } = call;
  if (words.includes('-'))
    throw new WrongUse('Standard input is what the server is asked on; name files instead.');
  const library = new McpLibrary(
    { ...call.place, signal, asksGit: !call.has('no-git') },
    words,
    terminal.now,
    call.sharing,
  );
  // Standard error is read by nobody; whoever asks is told.
  call.takeProblems = (problem) => library.note(problem);
  try {
    await serveMcp(library, terminal.version);
  } finally {
    await library.close();
  }
}
