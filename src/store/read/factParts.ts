import type { ConversationPaths } from '../files/storePaths.js';
import type { GatheredFacts } from './factColumns.js';
import type { LineIndex } from './lineIndex.js';
import { scannedParts, type ScanOnThread } from './scannedParts.js';
import type { ScannedPart } from './scannedPart.js';

/** The facts of adjacent records, of which some stand on lines that the index does not have: copies of others. */
export interface FactPart {
  /** The position of the first of them that the index has. */
  readonly first: number;
  readonly facts: GatheredFacts;
  readonly copies: ReadonlySet<number>;
}

/**
 * The facts of the records from a position on, which is not the first, as far as they stand in one file in the order of the
 * index; read by several threads where that is worth it. Ends where a file is not as the index says. Throws what the threads
 * reject with.
 */
export async function* factParts(
  paths: ConversationPaths,
  index: LineIndex,
  position: number,
  scan: ScanOnThread,
): AsyncGenerator<FactPart, void, undefined> {
  const first = index.span(position);
  const end = index.endInFile(position);
  const last = index.span(end - 1);
  const { segment, start: from } = first;
  // With the newline.
  const to = last.start + last.length + 1;
  if (from === 0 || to - from < scan.leastBytes) return;
  let at = position;
  for await (const part of scannedParts(scan, paths, { segment, header: undefined, from, to })) {
    const copies = unknownTo(index, part, at);
    if (!copies) return;
    yield { first: at, facts: part.facts, copies };
    at += part.starts.length - copies.size;
  }
}

/** Which records of a part are not in the index, where those from the position on are all others; else undefined. */
function unknownTo(
  index: LineIndex,
  { starts, lengths }: ScannedPart,
  position: number,
): Set<number> | undefined {
  const unknown = new Set<number>();
  for (let at = 0; at < starts.length; at++) {
    const next = position + at - unknown.size;
    if (next >= index.size) return undefined;
    const { start, length } = index.span(next);
    if (starts[at] === start && lengths[at] === length) continue;
    if ((starts[at] ?? 0) >= start) return undefined;
    unknown.add(at);
  }
  return unknown;
}
