import { planQuery } from '../query/language/plan.js';
import { recordsOf } from '../query/language/recordsOf.js';
import type { SessionLocation } from '../page/protocol/search.js';
import { Asking } from './asking.js';
import type { MarkedPrices } from './columns/readSession.js';
import { keyOf } from './sessions/session.js';
import type { SessionQuery, RecordMatches } from './searchCalls.js';
import type { SessionSource } from './sessions/session.js';

const NOTHING: RecordMatches = { rows: 0, positions: new Uint32Array() };

/**
 * Asks a question of one session. Rejects with an error for a person where the question has problems, and where the
 * session is not there or cannot be read; and where the signal is aborted.
 */
export async function recordsIn(
  source: SessionSource | undefined,
  location: SessionLocation,
  question: SessionQuery,
  prices: MarkedPrices,
  signal: AbortSignal,
): Promise<RecordMatches> {
  const planned = planQuery(question.text, question);
  if (!planned.ok) throw new Error(planned.problems[0]?.message);
  const key = keyOf(location);
  const session = (await source?.sessions([location]))?.find((each) => keyOf(each.place) === key);
  if (!session) throw new Error('This conversation is not there any more.');
  const answer = await new Asking(planned.plan, prices, 'not told').ask(session, signal);
  signal.throwIfAborted();
  if (answer?.problem) throw new Error(answer.problem.message);
  if (!answer) return NOTHING;
  const { facts, indexes } = answer;
  return { rows: indexes.length, positions: Uint32Array.from(recordsOf(facts, question.rows, indexes)) };
}
