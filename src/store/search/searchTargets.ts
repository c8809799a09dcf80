import type { IndexCache } from './indexed/indexCache.js';
import {
  isStopped,
  MATCHING,
  TELL_MS,
  type ScanAnswer,
  type ScanQuestion,
  type SearchHit,
} from './scanQuestion.js';
import { scanRecords } from './scanRecords.js';
import { hitOf } from './searchHit.js';
import { pathsOf } from '../files/storePaths.js';

/** Searches all targets of a question and reports the hits; gives whether there are more than `most`. */
export async function searchTargets(
  question: ScanQuestion,
  most: number,
  kept: IndexCache,
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
    const indexed = await kept.of(pathsOf(target.root, target.id, target.name)).catch(() => undefined);
    if (!indexed) continue;
    for await (const { found, scanned } of scanRecords(indexed.lines, criteria, 0, control)) {
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
    if (isStopped(control)) return false;
  }
  report(targets.length);
  return false;
}
