import { parentPort } from 'node:worker_threads';
import type { PatternQuestion } from '../../core/ports/patternMatcher.js';
import { matchPattern } from './matchPattern.js';

parentPort?.on('message', (question: PatternQuestion) => parentPort?.postMessage(matchPattern(question)));
