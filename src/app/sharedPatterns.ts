import { PatternThread } from '../node/patterns/patternThread.js';

/** The one thread of this window that looks for patterns of people and models; it starts with the first question. */
export const sharedPatterns = new PatternThread();
