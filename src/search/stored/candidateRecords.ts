import type { ReadRecord } from '../../core/ports/transcript.js';
import type { ConversationPaths } from '../../store/files/storePaths.js';
import type { LineIndex } from '../../store/read/lineIndex.js';
import { readRuns, recordIn, type LineRun } from '../../store/read/readSpans.js';
import type { StoredFilter, Stretch } from './storedFilter.js';
import type { CandidateFinder, Candidates } from './lineCandidates.js';
import { restoredRecord } from '../../store/read/restoredRecords.js';

/** A record in which something may be found. */
export interface Candidate {
  readonly position: number;
  /** With its whole texts; undefined where the bytes of its line prove that it has what is looked for. */
  readonly record: ReadRecord | undefined;
}

/** The result of one step. */
export interface CandidateStep {
  readonly candidates: readonly Candidate[];
  /** All positions before this one were looked at. */
  readonly scanned: number;
}

/**
 * Reads the records of a conversation from a position on and up to another, a few megabytes per step: those that a finder
 * names, or all. Ends early when the signal is aborted. `kept`: what is kept of its lines.
 */
export async function* candidateRecords(
  { paths, index }: { readonly paths: ConversationPaths; readonly index: LineIndex },
  finder: CandidateFinder | undefined,
  { from, to }: Stretch,
  signal: AbortSignal,
  kept?: StoredFilter,
): AsyncGenerator<CandidateStep, void, undefined> {
  // What is found is made of copies, so the bytes of the next run may take the place of these.
  const room = { bytes: Buffer.alloc(0) };
  for await (const run of readRuns(paths, index, Math.min(from, to), to, room)) {
    const candidates: Candidate[] = [];
    const { lines, proved } = finder?.in(run, kept?.oddIn(run)) ?? allOf(run);
    for (const [next, at] of lines.entries()) {
      const position = run.first + at;
      if (position < from) continue;
      if (signal.aborted) return;
      const isProved = proved[next] === 1;
      const record = isProved ? undefined : await restoredRecord(recordIn(run, at, paths.id), paths);
      candidates.push({ position, record });
    }
    yield { candidates, scanned: Math.max(from, run.first + run.spans.length) };
  }
}

function allOf({ spans }: LineRun): Candidates {
  return { lines: [...spans.keys()], proved: new Uint8Array(spans.length) };
}
