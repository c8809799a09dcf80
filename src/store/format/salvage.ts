import { checkLine } from './lineFormat.js';

const RECORD = Buffer.from('{"seq":');
const TAIL = Buffer.from(',"crc":"');
const TAIL_BYTES = 18;
/** Larger lines are not searched, nor more places than this, to limit the cost of a hostile line. */
const MAX_BYTES = 1024 * 1024;
const MAX_PLACES = 16;

/**
 * Finds complete records within a damaged line, as when the newline between two was lost or a truncated record is followed by
 * another. Gives their starts and ends in the line. Only records with a checksum are found.
 */
export function salvage(line: Buffer): { readonly start: number; readonly end: number }[] {
  if (line.length > MAX_BYTES) return [];
  const ends = places(line, TAIL).map((at) => at + TAIL_BYTES);
  const found: { start: number; end: number }[] = [];
  for (const start of places(line, RECORD)) {
    if (start < (found.at(-1)?.end ?? 0)) continue;
    const end = ends.find(
      (at) => at > start && at <= line.length && checkLine(line.subarray(start, at)) === 'right',
    );
    if (end !== undefined) found.push({ start, end });
  }
  return found;
}

function places(line: Buffer, what: Buffer): number[] {
  const found: number[] = [];
  for (let at = line.indexOf(what); at >= 0 && found.length < MAX_PLACES; at = line.indexOf(what, at + 1)) {
    found.push(at);
  }
  return found;
}
