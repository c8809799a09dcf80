import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../core/text.js';
import { silentLog } from '../../ports/log.js';
import { pathsOf } from '../files/storePaths.js';
import type { JournalLines } from '../read/journalLines.js';
import { openLines } from '../read/openLines.js';
import { isStopped, REPORT_MS, type ScanAnswer, type ScanQuestion, type ScanTarget } from './scanQuestion.js';
import { scanRecords } from './scanRecords.js';
import { messageIn } from '../../analysis/transcriptItem.js';
import { eachCall } from '../../analysis/toolCalls.js';
import { readRuns, recordIn } from '../read/readSpans.js';
import { readLegacy } from '../format/legacyFormat.js';
import { linesWith } from './linePrefilter.js';

type Tell = (answer: ScanAnswer) => void;

async function answer(question: ScanQuestion, tell: Tell): Promise<void> {
  const { id, targets, tools, control } = question;
  const [target] = targets;
  try {
    if (target && tools === undefined) await scanTarget(question, target, tell);
    else if (target) tell({ id, tools: await calledTools(await linesOf(target), tools ?? 0, control) });
    tell({ id, done: true });
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
