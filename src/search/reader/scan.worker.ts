import { MovedAnswer } from '../../node/portCalls.js';
import { serveThread } from '../../node/serveThread.js';
import { pathsOf, type ConversationPaths } from '../../store/files/storePaths.js';
import { memoryOf } from '../../store/read/scannedPart.js';
import { PartScanner, type PartRange } from '../../store/read/partScanner.js';

/** The latest conversation that was asked for: parts of one follow each other. */
let latest: { readonly folder: string; readonly scanner: PartScanner } | undefined;

function scannerOf(paths: ConversationPaths): PartScanner {
  if (latest?.folder !== paths.folder) latest = { folder: paths.folder, scanner: new PartScanner(paths) };
  return latest.scanner;
}

const calls = {
  part: async (root: string, id: string, name: string, range: PartRange) => {
    const part = await scannerOf(pathsOf(root, id, name)).scan(range);
    return new MovedAnswer(part, memoryOf(part));
  },
};

serveThread(calls);
