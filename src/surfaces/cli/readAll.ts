import type { NamedSession } from '../../app/stores/namedSessions.js';
import { UserError } from '../../app/userError.js';
import { formatCount } from '../../app/text/format.js';
import type { Reading } from '../../query/numbers/transcriptReader.js';
import type { Prices } from '../../core/ports/prices.js';
import type { RequestCost } from '../../core/cost.js';
import { messageOf } from '../../core/text.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { countedTotals } from '../../app/stores/countedTotals.js';
import { markedPrices } from '../../search/markedPrices.js';
import type { Call } from './call.js';
import { readTotals, type SessionTotals } from '../../query/numbers/sessionTotals.js';

/** Is told of the records of a session, in order. */
export type OnReading = (reading: Reading, cost: RequestCost | undefined) => void;

/** What a session comes to; its turns are told elsewhere. */
type Totals = Omit<SessionTotals, 'turns'>;

/**
 * Counts the sessions that were named, one after the other, and remembers what they come to; `readsWith` gives for each who is told of
 * its records, for which it is read each time. One that cannot be read, or only in part, is told and makes the run end with 1. Throws a
 * UserError where there is none that could be read.
 */
export async function* readAll(
  call: Call,
  readsWith?: (prices: Prices) => OnReading,
): AsyncGenerator<{ readonly session: NamedSession; readonly totals: Totals }, void, undefined> {
  const prices = await markedPrices(call.ownPrices);
  const { signal, out } = call;
  const totalsOf = (session: NamedSession) =>
    countedTotals(session, prices, signal, (work) => withTranscript(session, work));
  let read = 0;
  for await (const session of call.counted(call.words, readsWith ? undefined : totalsOf)) {
    out.progress(`Counting ${session.id}`);
    try {
      const totals = readsWith
        ? await readWith(call, session, prices.prices, readsWith(prices.prices))
        : await totalsOf(session);
      await tellDamage(call, session, { damaged: { length: totals.damaged } });
      read++;
      yield { session, totals };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof UserError)) throw error;
      call.fail();
      await out.note(`${session.id} was not counted: ${messageOf(error)}`);
    }
  }
  if (read === 0) throw new UserError('There is no session that could be counted.');
}

async function readWith(call: Call, session: NamedSession, prices: Prices, onReading: OnReading) {
  return await withTranscript(session, async (transcript) => {
    const totals = await readTotals(transcript, prices, call.signal, onReading);
    return { ...totals, damaged: transcript.damaged.length };
  });
}

async function withTranscript<T>(
  session: NamedSession,
  work: (transcript: Transcript) => Promise<T>,
): Promise<T> {
  const transcript = await session.open();
  try {
    return await work(transcript);
  } finally {
    await transcript.close();
  }
}

/** Tells that places of a session cannot be read; what is wrong with a file is told line by line when it is opened. */
export async function tellDamage(
  call: Call,
  { id, kind }: NamedSession,
  { damaged: { length: places } }: { readonly damaged: { readonly length: number } },
): Promise<void> {
  if (places === 0 || kind === 'file') return;
  call.fail();
  await call.out.note(`${formatCount(places, 'place')} of ${id} cannot be read.`);
}
