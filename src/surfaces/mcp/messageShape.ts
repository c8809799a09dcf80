import { deedOf } from '../../query/numbers/deed.js';
import { callsOf, rawArgumentsOf } from '../../query/numbers/toolCalls.js';
import { messageIn, roleOf } from '../../query/numbers/transcriptItem.js';
import { inDollars } from '../../core/money.js';
import { textOf } from '../../core/message.js';
import type { Prices } from '../../core/ports/prices.js';
import { costOfRequest } from '../../query/numbers/callCosts.js';
import { factsOf } from '../../query/numbers/facts.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import { cutOf, MAX_TEXT, shownId, shownName, shownText, shownTime } from './shown.js';

/** A tool call of a message, as it is told. */
interface CallSummary {
  readonly id: string;
  readonly tool: string;
  readonly input: string;
  /** What it does, on one line. */
  readonly deed: string;
}

/**
 * A message as it is told: of its text and of its calls, with their names and arguments, 2,000 characters together. A text
 * leaves its calls half of them where they need that; of calls of which not even the names fit, it is said how many there are.
 * `record` has no secrets any more; `size` is as in `fitted`.
 */
export function messageShape(
  position: number,
  record: ReadRecord,
  size: number,
  besides: object = {},
): object {
  const message = messageIn(record) ?? {};
  const { agent, time } = record;
  const calls = callsOf(message).map(({ id, name, input }) => ({
    id: shownId(id),
    tool: shownName(name, size),
    input: rawArgumentsOf(input),
    deed: shownName(deedOf(name, input).headline, size),
  }));
  const most = Math.floor(MAX_TEXT * size);
  const needed = calls.reduce(
    (sum, { id, tool, deed, input }) => sum + id.length + tool.length + deed.length + input.length,
    0,
  );
  const text = shownText(textOf(message.content), Math.max(Math.ceil(most / 2), most - needed));
  const { tool_call_id: answers } = message;
  return {
    position,
    role: shownName(roleOf(message), size),
    ...text,
    ...(typeof agent === 'string' && { agent: shownName(agent, size) }),
    ...shownTime('time', time),
    ...(calls.length > 0 && callShapes(calls, most - text.text.length)),
    ...(typeof answers === 'string' && { answers: shownId(answers) }),
    ...((record as { isError?: unknown }).isError === true && { isError: true }),
    ...outcomeShape(record),
    ...besides,
  };
}

/** How a call ended and how long it took, where its result says so. */
export function outcomeShape(record: ReadRecord): object {
  const { durationMs } = record as ReadRecord & Readonly<Record<string, unknown>>;
  const { state } = factsOf(record);
  return {
    ...(typeof durationMs === 'number' && { durationMs }),
    ...(state !== '' && { state }),
  };
}

/** What a message cost that was asked of a model; nothing where it says nothing of tokens or money. */
export function costOfMessage(record: ReadRecord, prices: Prices): object {
  const facts = factsOf(record);
  const cost = facts.usage && costOfRequest(facts, { model: facts.model }, prices);
  if (!cost) return {};
  const { provenance, amount, why } = cost;
  return {
    cost: { provenance, ...(amount !== undefined && { dollars: inDollars(amount) }), ...(why && { why }) },
  };
}

/** A decision about a tool call, as it is told. */
export interface DecisionShape {
  readonly decision: string;
  readonly decidedBy: string;
  readonly rule?: string;
  readonly reason?: string;
  readonly waitedMs: number;
}

/** The decision that a record tells, and the id of its call; undefined for a record of anything else. */
export function decisionIn(
  record: ReadRecord,
): { readonly of: string; readonly shape: DecisionShape } | undefined {
  if (record.type !== 'approval') return undefined;
  const { toolCallId, decision, decidedBy, rule, reason, waitedMs } = record as ReadRecord &
    Readonly<Record<string, unknown>>;
  if (typeof toolCallId !== 'string') return undefined;
  const shape = {
    decision: shownName(asText(decision)),
    decidedBy: shownName(asText(decidedBy)),
    ...(typeof rule === 'string' && { rule: shownName(rule) }),
    ...(typeof reason === 'string' && { reason: shownName(reason) }),
    waitedMs: typeof waitedMs === 'number' ? waitedMs : 0,
  };
  return { of: toolCallId, shape };
}

const asText = (value: unknown) => (typeof value === 'string' ? value : '');

/** As many calls as fit into so many characters, and of the arguments of each the same share of what their names leave. */
function callShapes(calls: readonly CallSummary[], room: number): object {
  let [fitting, left] = [0, room];
  for (const { id, tool, deed } of calls) {
    const named = id.length + tool.length + deed.length;
    if (named > left) break;
    left -= named;
    fitting++;
  }
  const shown = calls.slice(0, fitting).map(({ id, tool, deed, input }, at) => {
    const { text, cut } = shownText(input, Math.floor(left / (fitting - at)));
    left -= text.length;
    return { id, tool, ...(deed !== '' && { deed }), arguments: text, ...(cut !== undefined && { cut }) };
  });
  const out = calls.length - fitting;
  return { tool_calls: shown, ...(out > 0 && { tool_calls_cut: cutOf(out, calls.length) }) };
}
