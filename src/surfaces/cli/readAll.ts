import type { NamedSession } from '../../app/stores/namedSessions.js';
import { UserError } from '../../app/userError.js';
import { formatCount } from '../../app/text/format.js';
import type { Reading } from '../../query/numbers/transcriptReader.js';
import type { RequestCost } from '../../core/cost.js';
import { messageOf } from '../../core/text.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { loadUsablePrices } from '../../query/pricing/loadPrices.js';
import type { Call } from './call.js';
import { readTotals, type SessionTotals } from '../../app/sources/sessionTotals.js';

/**
 * Counts the sessions that were named, one after the other; `readsWith` gives for each who is told of its records. One that cannot be read, or only in part, is told and makes the
 * run end with 1. Throws a UserError where there is none that could be read.
 */
export async function* readAll(
  call: Call,
  readsWith?: () => (reading: Reading, cost: RequestCost | undefined) => void,
): AsyncGenerator<{ readonly session: NamedSession; readonly totals: SessionTotals }, void, undefined> {
  const prices = await loadUsablePrices(call.ownPrices);
  let read = 0;
  for await (const session of call.counted()) {
    const { signal, out } = call;
    out.progress(`Counting ${session.id}`);
    try {
      const transcript = await session.open();
      try {
        const totals = await readTotals(transcript, prices, signal, readsWith?.());
        await tellDamage(call, session, transcript);
        read++;
        yield { session, totals };
      } finally {
        await transcript.close();
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      call.fail();
      await out.note(`${session.id} was not counted: ${messageOf(error)}`);
    }
  }
  if (read === 0) throw new UserError('There is no session that could be counted.');
}

/** Tells that places of a session cannot be read; what is wrong with a file is told line by line when it is opened. */
export async function tellDamage(
  call: Call,
  { id, kind }: NamedSession,
  { damaged: { length: places } }: Transcript,
): Promise<void> {
  if (places === 0 || kind === 'file') return;
  call.fail();
  await call.out.note(`${formatCount(places, 'place')} of ${id} cannot be read.`);
}
