import { compileCriteria, type Scan } from '../../query/compileCriteria.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';
import { asksForText } from '../../query/textTest.js';
import type { ReadRecord } from '../../ports/transcript.js';
import type { JournalLines } from '../read/journalLines.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../node/patterns/timeGuard.js';
import { PATTERN_TOO_SLOW } from '../../ports/patternMatcher.js';
import { textSearch } from './indexed/textSearch.js';
import { prefilterFor } from './linePrefilter.js';
import { readLegacy } from '../format/legacyFormat.js';
import { readRuns, recordIn } from '../read/readSpans.js';
import { isStopped, MATCHING, PROGRESS } from './scanQuestion.js';
import { wholeRecord } from './wholeRecord.js';
import type { ConversationPaths } from '../files/storePaths.js';

/** A record that matches, with its whole texts. */
export interface FoundRecord {
  readonly position: number;
  readonly record: ReadRecord;
}

/** The result of one step. */
export interface ScanStep {
  readonly found: readonly FoundRecord[];
  /** All positions before this one are decided. */
  readonly scanned: number;
}

/**
 * Searches the lines of a conversation from a position on, a few megabytes per step. Spilled texts are read where the
 * criteria ask for text. `isGuarded`: a pattern that does not end on a record throws an error for a person, where nobody
 * watches from another thread. Ends early when `control` says so. Throws where the criteria are invalid.
 */
export async function* scanRecords(
  lines: Pick<JournalLines, 'paths' | 'index'> & Partial<Pick<JournalLines, 'segments'>>,
  criteria: FilterCriteria,
  from: number,
  control: Int32Array,
  isGuarded = false,
): AsyncGenerator<ScanStep, void, undefined> {
  const { paths, index } = lines;
  const compiled = compileCriteria(criteria);
  const wanted = prefilterFor(criteria, compiled);
  const scan = compiled.scan();
  const isRisky = isGuarded && textSearch(criteria)?.isRisky === true;
  const matches = watched(isRisky ? guarded(scan) : scan, control);
  if (lines.segments?.length === 0) {
    yield* scanOlder(paths, matches, from);
    return;
  }
  const needsText = asksForText(criteria) || (criteria.content !== undefined && criteria.content !== '');
  // Results after `from` may answer calls before it.
  const start = compiled.needsPairing ? 0 : Math.min(from, index.size);
  for await (const run of readRuns(paths, index, start, index.size)) {
    const found: FoundRecord[] = [];
    for (const at of wanted ? wanted(run) : run.spans.keys()) {
      if (isStopped(control)) return;
      const position = run.first + at;
      const read = recordIn(run, at, paths.id);
      const record = needsText ? await wholeRecord(read, paths) : read;
      if (matches(record) && position >= from) found.push({ position, record });
    }
    if (isStopped(control)) return;
    yield { found, scanned: Math.max(from, run.first + run.spans.length) };
  }
}

async function* scanOlder(paths: ConversationPaths, matches: Scan, from: number): AsyncGenerator<ScanStep> {
  const older = await readLegacy(paths);
  const records = older && 'records' in older ? older.records : [];
  const found: FoundRecord[] = [];
  for (const [position, record] of records.entries()) {
    if (matches(record) && position >= from) found.push({ position, record });
  }
  yield { found, scanned: records.length };
}

/** The same test, which throws an error for a person where it takes too long on one record. */
export function guarded(matches: Scan): Scan {
  return (record) => {
    let isMatch = false;
    const look = () => void (isMatch = matches(record));
    if (!endsWithin(MAX_TEXT_TEST_MS, look)) throw new Error(PATTERN_TOO_SLOW);
    return isMatch;
  };
}

/** Lets the main thread see when a record takes too long. */
function watched(matches: Scan, control: Int32Array): Scan {
  return (record) => {
    Atomics.store(control, MATCHING, 1);
    const isMatch = matches(record);
    Atomics.store(control, MATCHING, 0);
    Atomics.add(control, PROGRESS, 1);
    return isMatch;
  };
}
