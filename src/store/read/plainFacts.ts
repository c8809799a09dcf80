import type { Facts } from '../../query/numbers/facts.js';
import { isCell, isWellFormed, USED } from '../format/scannedRecord.js';

/** The columns of what a message is in a window, named as its facts are. */
export const CONTEXT_COLUMNS = ['contentTokens', 'reasoningTokens', 'imageTokens', 'sourceId'] as const;

/** Whether columns hold facts without a loss: nearly all. */
export function isPlain(facts: Facts): boolean {
  const { event, time, characters, reasoning, tokens, usage, durationMs, answers, calls, place } = facts;
  if (!Number.isSafeInteger(time)) return false;
  if (event && !(isCell(event.waitedMs) && isWellFormed(event.words) && isWellFormed(event.childCall ?? '')))
    return false;
  if (tokens) {
    if (tokens.input !== usage?.inputTokens || tokens.output !== usage.outputTokens) return false;
    if (tokens.estimated !== usage.estimated) return false;
  }
  if (!isCell(characters) || !isCell(reasoning) || !isCell(durationMs ?? 0)) return false;
  if (usage) for (const key of USED) if (!isCell(usage[key] ?? 0)) return false;
  for (const name of CONTEXT_COLUMNS) if (!isCell(facts[name])) return false;
  if (!isWellFormed(answers)) return false;
  for (const { id, files, tokens: size } of calls) {
    if (!isWellFormed(id) || !isCell(size)) return false;
    for (const { path } of files) if (!isWellFormed(path)) return false;
  }
  return place.depth === undefined || Number.isFinite(place.depth);
}
