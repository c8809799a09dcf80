import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../core/text.js';
import { silentLog } from '../../ports/log.js';
import type { JournalLines } from '../journal/journalLines.js';
import { openLines } from '../reading/openLines.js';
import { calledTools } from './calledTools.js';
import {
  MATCHING,
  STOP,
  type ScanAnswer,
  type ScanQuestion,
  type ScanTarget,
  type SearchHit,
} from './scanQuestion.js';
import { scanRecords } from './scanRecords.js';
import { hitOf } from './searchHit.js';
import { pathsOf } from '../storePaths.js';

/** While a person types, the same conversations are asked again and again: so many indexes are kept. */
const KEPT = 4;
const kept = new Map<string, JournalLines>();

async function linesOf({ root, id, name }: ScanTarget): Promise<JournalLines> {
  const key = `${root}\n${name}`;
  const known = kept.get(key);
  kept.delete(key);
  const lines = known ?? (await openLines(pathsOf(root, id, name), silentLog));
  if (known) await known.extend();
  kept.set(key, lines);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT) break;
    kept.delete(oldest);
  }
  return lines;
}

/** Answers are gathered for this long, in milliseconds, except the first. */
const TELL_MS = 30;

async function scan(question: ScanQuestion, tell: (answer: ScanAnswer) => void): Promise<void> {
  const { id, targets, criteria, from, control } = question;
  const [target] = targets;
  if (!target) return;
  let positions: number[] = [];
  let scanned = from;
  let told = 0;
  for await (const step of scanRecords(await linesOf(target), criteria, from, control)) {
    for (const { position } of step.found) positions.push(position);
    ({ scanned } = step);
    if (performance.now() - told < TELL_MS) continue;
    tell({ id, batch: { positions, scanned } });
    positions = [];
    told = performance.now();
  }
  tell({ id, batch: { positions, scanned } });
}

/** Whether more was found than was asked for. */
async function search(
  question: ScanQuestion,
  most: number,
  tell: (answer: ScanAnswer) => void,
): Promise<boolean> {
  const { id, targets, criteria, control } = question;
  let hits: SearchHit[] = [];
  let count = 0;
  let records = 0;
  let told = 0;
  const report = (conversations: number) => {
    tell({ id, hits, progress: { conversations, of: targets.length, records, hits: count } });
    hits = [];
    told = performance.now();
  };
  for (const [at, target] of targets.entries()) {
    const before = records;
    // A conversation that was deleted meanwhile, or cannot be read, has no hits.
    const lines = await linesOf(target).catch(() => undefined);
    if (!lines) continue;
    for await (const { found, scanned } of scanRecords(lines, criteria, 0, control)) {
      records = before + scanned;
      for (const each of found) {
        if (count >= most) {
          report(at);
          return true;
        }
        Atomics.store(control, MATCHING, 1);
        hits.push(hitOf(each, criteria));
        Atomics.store(control, MATCHING, 0);
        count++;
      }
      if (performance.now() - told >= TELL_MS) report(at);
    }
    if (Atomics.load(control, STOP) !== 0) return false;
  }
  report(targets.length);
  return false;
}

async function tellTools(
  { id, targets: [target], control }: ScanQuestion,
  most: number,
  tell: (answer: ScanAnswer) => void,
): Promise<void> {
  if (target) tell({ id, tools: await calledTools(await linesOf(target), most, control) });
}

async function answer(question: ScanQuestion, tell: (answer: ScanAnswer) => void): Promise<void> {
  const { id, hits, tools } = question;
  try {
    let limited = false;
    if (tools !== undefined) await tellTools(question, tools, tell);
    else if (hits === undefined) await scan(question, tell);
    else limited = await search(question, hits, tell);
    tell({ id, done: true, limited });
  } catch (error) {
    tell({ id, problem: messageOf(error) });
  }
}

parentPort?.on('message', (question: ScanQuestion) => {
  void answer(question, (told) => parentPort?.postMessage(told));
});
