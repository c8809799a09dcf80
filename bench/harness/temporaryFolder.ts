import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** An empty folder for the measurements of this process; it goes with the process. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'agent-logbook-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
