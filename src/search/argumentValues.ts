import { callsOf } from '../query/numbers/toolCalls.js';
import { messageIn } from '../query/numbers/transcriptItem.js';
import { SeenArguments } from '../query/language/seenArguments.js';
import { QueriedTranscript, MAX_PATTERN_MS } from './sessions/queriedTranscript.js';
import type { MarkedPrices } from './columns/readSession.js';
import type { Session } from './sessions/session.js';

/** So many sessions, the first ones, and so many tool calls of each, the last ones, are looked at. */
const MAX_SESSIONS = 100;
const MAX_CALLS = 100;
/** No further session is looked at once so much time has passed, in milliseconds. */
const MAX_MS = 500;
/** So many values of a field are told, and of each of so many arguments. */
const MAX_VALUES = 200;
const MAX_OF_ARGUMENT = 50;
const MAX_ARGUMENTS = 100;

/** Values by `file`, `command`, `args`, and `args.` with the name of an argument; the most frequent first. Plain data. */
export type ArgumentValues = Readonly<Record<string, readonly string[]>>;

/**
 * What the arguments of tool calls are in some sessions, given the newest first: in as many as can be looked at in a moment.
 * No session is read for it of which nothing is known yet, and one that cannot be read tells nothing.
 */
export async function argumentValues(
  sessions: readonly Session[],
  prices: MarkedPrices,
  now: () => number = () => performance.now(),
): Promise<ArgumentValues> {
  const seen = new SeenArguments();
  const until = now() + MAX_MS;
  let looked = 0;
  for (const session of sessions) {
    if (looked >= MAX_SESSIONS || now() > until) break;
    try {
      if (await lookAt(session, prices, seen)) looked++;
    } catch {
      // Whoever searches is told of it.
    }
  }
  const names = seen.of('args').slice(0, MAX_ARGUMENTS);
  return {
    ...Object.fromEntries(['file', 'command'].map((name) => [name, seen.of(name).slice(0, MAX_VALUES)])),
    args: names,
    ...Object.fromEntries(
      names.map((name) => [`args.${name}`, seen.of(`args.${name}`).slice(0, MAX_OF_ARGUMENT)]),
    ),
  };
}

/** Whether there was anything to look at. */
async function lookAt(session: Session, prices: MarkedPrices, seen: SeenArguments): Promise<boolean> {
  const opened = await session.known(prices, false);
  if (!opened) return false;
  const { toolCalls } = opened.facts;
  const positions = new Set<number>();
  for (let at = toolCalls.length - 1; at >= 0 && positions.size < MAX_CALLS; at--) {
    const { askedAt } = toolCalls.at(at) ?? {};
    if (askedAt !== undefined) positions.add(askedAt);
  }
  if (positions.size === 0) return false;
  const asked = new QueriedTranscript(() => opened.transcript(), MAX_PATTERN_MS, undefined);
  const items = await asked.itemsAt([...positions].sort((a, b) => a - b));
  for (const item of items.values()) for (const { input } of callsOf(messageIn(item) ?? {})) seen.add(input);
  return true;
}
