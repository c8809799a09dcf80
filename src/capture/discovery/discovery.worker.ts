import { workerData } from 'node:worker_threads';
import { serveThread } from '../../node/serveThread.js';
import type { DiscoveryCalls } from './discoveryCalls.js';
import { SessionFinder } from './sessionFinder.js';
import type { Machine } from '../../import/tools/home.js';

const finder = new SessionFinder(workerData as Machine);
const calls: DiscoveryCalls = {
  changes: (requests, since) => finder.changes(requests, since),
  workspaces: (id, paths) => finder.workspaces(id, paths),
  states: (now) => finder.states(now),
  about: (id, paths) => finder.about(id, paths),
};
serveThread(calls);
