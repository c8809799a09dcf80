import type { DamagedLine, DamagePlace, ReadRecord, Transcript } from '../ports/transcript.js';
import { wholeRecords } from '../store/read/wholeRecords.js';

/** A record at its position, or something wrong that stands behind so many records. */
export type InPlace =
  | { readonly position: number; readonly record: ReadRecord; readonly damage?: undefined }
  | { readonly position: number; readonly record?: undefined; readonly damage: DamagedLine };

/** What is wrong in a transcript of which no record tells, where it stands. */
export function placesIn(transcript: Transcript): readonly DamagePlace[] {
  return transcript.damagePlaces?.() ?? [];
}

/**
 * The records of a transcript, or those at `positions`, whole and in order, with all that is wrong in its place between them.
 * Ends early when the signal is aborted.
 */
export async function* recordsInPlace(
  transcript: Transcript,
  positions: readonly number[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<InPlace, void, undefined> {
  const places = placesIn(transcript);
  let [next, at] = [0, 0];
  function* damagesUpTo(last: number): Generator<InPlace, void, undefined> {
    for (let place; (place = places[next]) && place.position <= last; next++)
      yield { position: place.position, damage: place.line };
  }
  for await (const record of wholeRecords(transcript, positions, signal)) {
    const position = positions?.[at] ?? at;
    yield* damagesUpTo(position);
    yield { position, record };
    at++;
  }
  if (!signal.aborted) yield* damagesUpTo(Infinity);
}

/** Something wrong as programs get it. */
export function damageShape(session: string, position: number, line: DamagedLine): object {
  return { session, position, ...line };
}
