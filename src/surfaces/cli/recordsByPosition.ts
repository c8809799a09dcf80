import { DamageInTurn, positionsIn } from '../../export/damageInTurn.js';
import type { DamagedLine, DamagePosition, ReadRecord, Transcript } from '../../core/ports/transcript.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { MessageWriter } from './messageWriter.js';
import type { Output } from './output.js';

/** A record at its position, or something wrong that stands behind so many records. */
export type RecordOrDamage =
  | { readonly position: number; readonly record: ReadRecord; readonly damage?: undefined }
  | { readonly position: number; readonly record?: undefined; readonly damage: DamagedLine };

/**
 * The records of a transcript, or those at `positions`, whole and in order, with all that is wrong in its place between them.
 * Ends early when the signal is aborted.
 */
export async function* recordsByPosition(
  transcript: Transcript,
  positions: readonly number[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<RecordOrDamage, void, undefined> {
  const damages = new DamageInTurn(positionsIn(transcript));
  const damagesUpTo = (last: number) =>
    damages.upTo(last).map(({ position, line }): RecordOrDamage => ({ position, damage: line }));
  let at = 0;
  for await (const record of restoredRecords(transcript, positions, signal)) {
    const position = positions?.[at] ?? at;
    yield* damagesUpTo(position);
    yield { position, record };
    at++;
  }
  if (!signal.aborted) yield* damagesUpTo(Infinity);
}

/** Tells what is wrong in its place, for people by a writer of the messages around it. */
export async function tellDamageHere(
  out: Output,
  writer: Pick<MessageWriter, 'damage'>,
  session: string,
  positions: readonly DamagePosition[],
): Promise<void> {
  for (const { position, line } of positions) {
    if (out.isJson) await out.tell('damage', damageShape(session, position, line));
    else await writer.damage(line);
  }
}

/** Something wrong as programs get it. */
export function damageShape(session: string, position: number, line: DamagedLine): object {
  return { session, position, ...line };
}
