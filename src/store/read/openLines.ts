import type { Log } from '../../ports/log.js';
import { isSameFile, onlyGrew, stampsOf } from './fileStamp.js';
import { loadIndex, saveIndex } from './indexFile.js';
import { JournalLines } from './journalLines.js';
import type { LineIndex } from './lineIndex.js';
import { readSpans } from './readSpans.js';
import type { ConversationPaths } from '../files/storePaths.js';

/** How many records make an index worth storing: a shorter journal is read faster than its index is written. */
const WORTH_KEEPING = 2000;

/**
 * The lines of a conversation. The index stored beside the journal is used as it is where the files are unchanged, and
 * extended where they have only grown; otherwise everything is read again.
 */
export async function openLines(
  paths: ConversationPaths,
  log: Log,
  signal?: AbortSignal,
): Promise<JournalLines> {
  const kept = await fromKept(paths, log);
  if (kept?.isUntouched) {
    await kept.lines.findWriter();
    return kept.lines;
  }
  const lines = kept?.lines ?? new JournalLines(paths);
  await lines.extend(undefined, signal);
  return lines;
}

/** Stores the index of lines that were read to their end, if that is worth it. Never throws: it is only a cache. */
export async function saveLines(lines: JournalLines, log: Log): Promise<void> {
  if (lines.index.size < WORTH_KEEPING) return;
  try {
    const stamps = (await stampsOf(lines.paths)).map((stamp) => {
      const state = lines.segments.find(({ segment }) => segment === stamp.segment);
      return { ...stamp, covered: state?.covered ?? 0, lines: state?.lines };
    });
    await saveIndex(lines.paths, { index: lines.index, stamps });
  } catch (error) {
    log.debug(`The index of ${lines.paths.id} could not be kept: ${String(error)}`);
  }
}

/** Lines over a stored index, and whether the files are unchanged since. */
interface KeptLines {
  readonly lines: JournalLines;
  readonly isUntouched: boolean;
}

async function fromKept(paths: ConversationPaths, log: Log): Promise<KeptLines | undefined> {
  try {
    const kept = await loadIndex(paths);
    if (!kept) return undefined;
    const stamps = await stampsOf(paths);
    if (!onlyGrew(stamps, kept.stamps)) return undefined;
    const isUntouched = stamps.every((stamp, at) => isSameFile(stamp, kept.stamps[at]));
    if (!isUntouched && !(await endsAsKept(paths, kept.index))) return undefined;
    const states = kept.stamps.map(({ segment, covered, lines, size }) => ({
      segment,
      covered,
      lines,
      rest: size - covered,
      header: undefined,
    }));
    return { lines: new JournalLines(paths, kept.index, states), isUntouched };
  } catch (error) {
    log.debug(`The index of ${paths.id} cannot be used: ${String(error)}`);
    return undefined;
  }
}

/** Whether the last record of a stored index is still in its place. */
async function endsAsKept(paths: ConversationPaths, index: LineIndex): Promise<boolean> {
  if (index.size === 0) return true;
  const [last] = await readSpans(paths, index, index.size - 1, index.size);
  return last !== undefined && last.type !== 'unreadable' && index.find(last.id) === index.size - 1;
}
