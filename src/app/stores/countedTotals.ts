import { isObject } from '../../core/message.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { Approvals, type ApprovalTotals } from '../../query/numbers/approvals.js';
import { Detours, type Wasted } from '../../query/numbers/detours.js';
import { readTotals, type SessionTotals } from '../../query/numbers/sessionTotals.js';
import type { TurnSpan } from '../../query/numbers/turn.js';
import type { MarkedPrices } from '../../search/columns/readSession.js';
import type { NamedSession } from './namedSessions.js';

/** How many turns of a session are kept. */
const MAX_TURNS = 50;
/** What is larger is worked out each time, in characters. */
const MAX_KEPT = 1024 * 1024;

/** What a session comes to, with its first turns; plain data. */
export interface CountedTotals extends Omit<SessionTotals, 'turns'> {
  readonly turns: readonly TurnSpan[];
  readonly turnCount: number;
  readonly records: number;
  readonly approvals: ApprovalTotals;
  readonly wasted: readonly Wasted[];
  /** How many places of it cannot be read. */
  readonly damaged: number;
}

/** Does something with the records of a session. */
export type WithTranscript = <T>(work: (transcript: Transcript) => Promise<T>) => Promise<T>;

/** What a session comes to: what was worked out before as long as it and all prices are as they were, else by reading it. Rejects like `readTotals`. */
export async function countedTotals(
  { parts }: NamedSession,
  { prices, mark }: MarkedPrices,
  signal: AbortSignal,
  withTranscript: WithTranscript,
): Promise<CountedTotals> {
  const name = `totals:${mark}`;
  const part = await parts?.load(name);
  const kept: unknown = part && JSON.parse(part.toString());
  if (isObject(kept)) return kept as unknown as CountedTotals;
  const counted = await withTranscript((transcript) => count(transcript, { prices, mark }, signal));
  const json = parts && textOf(counted);
  if (json !== undefined) await parts?.save(name, Buffer.from(json));
  return counted;
}

/** Undefined where a text would not say the same, or is too long. */
function textOf(counted: CountedTotals): string | undefined {
  const odd: number[] = [];
  const json = JSON.stringify(counted, (_key, value: unknown) => {
    if (typeof value === 'number' && (!Number.isFinite(value) || Object.is(value, -0))) odd.push(value);
    return value;
  });
  return odd.length === 0 && json.length <= MAX_KEPT ? json : undefined;
}

async function count(
  transcript: Transcript,
  { prices }: MarkedPrices,
  signal: AbortSignal,
): Promise<CountedTotals> {
  const approvals = new Approvals();
  const detours = new Detours(prices);
  const { turns, ...read } = await readTotals(transcript, prices, signal, (reading, cost) => {
    approvals.add(reading);
    detours.add(reading, cost);
  });
  return {
    ...read,
    turnCount: turns.length,
    turns: turns.slice(0, MAX_TURNS),
    records: transcript.length,
    approvals: approvals.totals(),
    wasted: detours.wasted(),
    damaged: transcript.damaged.length,
  };
}
