import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../core/text.js';
import { silentLog } from '../../ports/log.js';
import { pathsOf } from '../files/storePaths.js';
import type { JournalLines } from '../read/journalLines.js';
import { openLines } from '../read/openLines.js';
import {
  isStopped,
  MATCHING,
  REPORT_MS,
  type ScanAnswer,
  type ScanQuestion,
  type ScanTarget,
  type SearchHit,
} from './scanQuestion.js';
import { scanRecords } from './scanRecords.js';
import { hitOf } from './searchHit.js';
import { messageIn } from '../../analysis/transcriptItem.js';
import { eachCall } from '../../analysis/toolCalls.js';
import { readRuns, recordIn } from '../read/readSpans.js';
import { readLegacy } from '../format/legacyFormat.js';
import { linesWith } from './linePrefilter.js';

type Tell = (answer: ScanAnswer) => void;

async function answer(question: ScanQuestion, tell: Tell): Promise<void> {
  const { id, targets, hits, tools, control } = question;
  const [target] = targets;
  try {
    let limited = false;
    if (hits !== undefined) limited = await searchTargets(question, hits, tell);
    else if (target && tools === undefined) await scanTarget(question, target, tell);
    else if (target) tell({ id, tools: await calledTools(await linesOf(target), tools ?? 0, control) });
    tell({ id, done: true, limited });
  } catch (error) {
    tell({ id, problem: messageOf(error) });
  }
}

/** The lines of a conversation as written by now. */
async function linesOf({ root, id, name }: ScanTarget): Promise<JournalLines> {
  return await openLines(pathsOf(root, id, name), silentLog);
}

/** Reports the positions at which the criteria hold in one conversation. */
async function scanTarget(question: ScanQuestion, target: ScanTarget, tell: Tell): Promise<void> {
  const { id, criteria, from, control } = question;
  let found: number[] = [];
  let scanned = from;
  let told = 0;
  const report = () => {
    tell({ id, batch: { positions: Uint32Array.from(found), scanned } });
    found = [];
    told = performance.now();
  };
  for await (const step of scanRecords(await linesOf(target), criteria, from, control)) {
    for (const { position } of step.found) found.push(position);
    ({ scanned } = step);
    if (performance.now() - told >= REPORT_MS) report();
  }
  report();
}

/** Searches all targets of a question and reports the hits; gives whether there are more than `most`. */
async function searchTargets(question: ScanQuestion, most: number, tell: Tell): Promise<boolean> {
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
      if (performance.now() - told >= REPORT_MS) report(at);
    }
    if (isStopped(control)) return false;
  }
  report(targets.length);
  return false;
}

let last: Promise<void> = Promise.resolve();

parentPort?.on('message', (question: ScanQuestion) => {
  last = last.then(() => answer(question, (told) => parentPort?.postMessage(told)));
});

/**
 * The names of the tools that are called in a conversation, in the order of their first calls, at most `most`.
 * Ends early when `control` says so.
 */
async function calledTools(
  lines: JournalLines,
  most: number,
  control: Int32Array,
): Promise<readonly string[]> {
  const names = new Set<string>();
  const take = (record: unknown) => eachCall(messageIn(record) ?? {}, (_, name) => names.add(name));
  const { paths, index } = lines;
  if (lines.segments.length === 0) {
    const older = await readLegacy(paths);
    if (older && 'records' in older) older.records.forEach(take);
  }
  const calling = linesWith('tool_calls', '');
  for await (const run of readRuns(paths, index, 0, index.size)) {
    for (const at of calling(run)) take(recordIn(run, at, paths.id));
    if (names.size >= most || isStopped(control)) break;
  }
  return [...names].slice(0, most);
}
