import { constants } from 'node:fs';
import { access } from 'node:fs/promises';

/** Where systems keep bash, the usual place first; nothing that a workspace or its environment could name. */
const places = [
  '/bin/bash',
  '/usr/bin/bash',
  '/usr/local/bin/bash',
  '/opt/homebrew/bin/bash',
  '/run/current-system/sw/bin/bash',
];

/** The path of bash, or one sentence for the model about why commands cannot be run here. */
export async function findShell(
  platform: NodeJS.Platform = process.platform,
  candidates: readonly string[] = places,
): Promise<{ readonly path: string } | { readonly problem: string }> {
  if (platform === 'win32') {
    return {
      problem:
        'Commands are not run on Windows itself, because their rules are those of bash. They are run where the ' +
        'folder is opened in WSL, in a container or over SSH.',
    };
  }
  for (const path of candidates) if (await isProgram(path)) return { path };
  return { problem: `Commands cannot be run: there is no bash at ${candidates.join(', ')}.` };
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    // Not there, or not to be run: the next place is tried.
    return false;
  }
}
