import { messageIn } from '../../analysis/transcriptItem.js';
import { eachCall } from '../../analysis/toolCalls.js';
import type { JournalLines } from '../read/journalLines.js';
import { readRuns, recordIn } from '../read/readSpans.js';
import { readLegacy } from '../format/legacyFormat.js';
import { linesWith } from './linePrefilter.js';
import { isStopped } from './scanQuestion.js';

/**
 * The names of the tools that are called in a conversation, in the order of their first calls, at most `most`.
 * Ends early when `control` says so.
 */
export async function calledTools(
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
