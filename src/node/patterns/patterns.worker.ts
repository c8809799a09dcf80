import { serveThread } from '../serveThread.js';
import { matchPattern } from './matchPattern.js';
import type { PatternCalls } from './patternThread.js';

const calls: PatternCalls = { find: matchPattern };
serveThread(calls);
