import { parentPort } from 'node:worker_threads';
import { MovedAnswer, PortCalls } from '../node/portCalls.js';
import { pathsOf } from '../store/files/storePaths.js';
import { memoryOf } from '../store/read/scannedPart.js';
import { scanPart, type PartRange } from '../store/read/scanPart.js';

if (!parentPort) throw new Error('This reads parts of journals: it is started as a thread.');

const calls = {
  part: async (root: string, id: string, name: string, range: PartRange) => {
    const part = await scanPart(pathsOf(root, id, name), range);
    return new MovedAnswer(part, memoryOf(part));
  },
};

new PortCalls(parentPort, calls);
