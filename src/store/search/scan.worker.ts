import { parentPort } from 'node:worker_threads';
import { yieldToEventLoop } from '../../core/yieldToEventLoop.js';
import { messageOf } from '../../core/text.js';
import { calledTools } from './calledTools.js';
import { IndexCache } from './indexed/indexCache.js';
import type { IndexedLines } from './indexed/indexedLines.js';
import { scanIndexed } from './scanIndexed.js';
import { searchTargets } from './searchTargets.js';
import { pathsOf } from '../files/storePaths.js';
import {
  TELL_MS,
  type ScanAnswer,
  type ScanOrder,
  type ScanQuestion,
  type ScanTarget,
} from './scanQuestion.js';

/** The memory limit for all indexes, in bytes: about 1,300,000 messages of 240 characters. */
const INDEX_BYTES = 400 * 1024 * 1024;

const kept = new IndexCache(INDEX_BYTES);
/** The number of open orders. */
let waiting = 0;
let last: Promise<void> = Promise.resolve();

type Tell = (answer: ScanAnswer) => void;

async function scan(question: ScanQuestion, target: ScanTarget, tell: Tell): Promise<void> {
  const { id, criteria, from, control } = question;
  const indexed = await kept.of(pathsOf(target.root, target.id, target.name));
  const hasRoom = () => question.indexed === true && kept.hasRoomFor(indexed);
  let parts: Uint32Array[] = [];
  let scanned = from;
  let told = 0;
  for await (const step of scanIndexed(indexed, criteria, from, control, hasRoom)) {
    parts.push(step.positions);
    ({ scanned } = step);
    if (performance.now() - told < TELL_MS) continue;
    tell({ id, batch: { positions: joined(parts), scanned } });
    parts = [];
    told = performance.now();
  }
  tell({ id, batch: { positions: joined(parts), scanned } });
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

async function answer(question: ScanQuestion, tell: Tell): Promise<void> {
  const { id, targets, hits, tools, control } = question;
  const [target] = targets;
  try {
    let limited = false;
    if (hits !== undefined) limited = await searchTargets(question, hits, kept, tell);
    else if (target && tools === undefined) await scan(question, target, tell);
    else if (target) {
      const { lines } = await kept.of(pathsOf(target.root, target.id, target.name));
      tell({ id, tools: await calledTools(lines, tools ?? 0, control) });
    }
    tell({ id, done: true, limited });
  } catch (error) {
    tell({ id, problem: messageOf(error) });
  }
}

/** Indexes a conversation while there is no question. */
async function grow(indexed: IndexedLines): Promise<void> {
  const growth = indexed.grow();
  while (!(await growth.next()).done) {
    await yieldToEventLoop();
    if (waiting > 0 || !kept.hasRoomFor(indexed)) break;
  }
  await growth.return();
}

async function obey(order: ScanOrder): Promise<void> {
  if (!('prepare' in order)) await answer(order, (told) => parentPort?.postMessage(told));
  waiting--;
  const target = 'prepare' in order ? order.prepare : order.indexed ? order.targets[0] : undefined;
  if (!target) return;
  // A conversation that cannot be read is reported when it is asked about.
  await kept
    .of(pathsOf(target.root, target.id, target.name))
    .then(grow)
    .catch(() => undefined);
}

parentPort?.on('message', (order: ScanOrder) => {
  waiting++;
  last = last.then(() => obey(order));
});
