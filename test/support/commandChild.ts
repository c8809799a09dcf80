import { commandEnvironment } from '../../src/agents/tools/process/environment.js';
import { runShell } from '../../src/agents/tools/process/runShell.js';

/** A process that runs a command and ends in the middle of it, as a window that is closed: `node commandChild.mjs COMMAND`. */
const [command = ''] = process.argv.slice(2);
const mark = crypto.randomUUID();

await runShell({
  command,
  shell: '/bin/bash',
  folder: process.cwd(),
  environment: commandEnvironment({ host: process.env, folders: [], mark, onlyLooks: false }),
  mark,
  timeoutMs: 60_000,
  signal: new AbortController().signal,
  onOutput: () => process.exit(0),
});
