import { parentPort, workerData } from 'node:worker_threads';
import { PortCalls } from '../../node/portCalls.js';
import type { DiscoveryCalls } from './discoveryThread.js';
import { SessionFinder } from './sessionFinder.js';
import type { Machine } from '../../import/tools/home.js';

if (!parentPort) throw new Error('This looks for sessions: it is started as a thread.');

const finder = new SessionFinder(workerData as Machine);
const calls: DiscoveryCalls = {
  changes: (requests, since) => finder.changes(requests, since),
  workspaces: (id, paths) => finder.workspaces(id, paths),
  about: (id, paths) => finder.about(id, paths),
};
new PortCalls<object>(parentPort, calls);
