import type { Transcript } from '../../core/ports/transcript.js';
import type { UnknownRecord } from '../../core/record.js';
import { Approvals, type Approval } from './approvals.js';
import { factsOf } from './facts.js';
import { callsOf, rawArgumentsOf } from './toolCalls.js';
import { idOf, messageIn } from './transcriptItem.js';
import { TranscriptReader } from './transcriptReader.js';
import { textOr } from './values.js';

/** What decisions are chosen by; what is left out chooses nothing. A value is as the records have it. */
export interface ApprovalLogFilter {
  readonly decision?: 'approved' | 'denied' | undefined;
  readonly decidedBy?: string | undefined;
  readonly agent?: string | undefined;
  readonly tool?: string | undefined;
}

/** A value that decisions have, and how many of those that the other parts of the filter choose have it. */
export interface FacetValue {
  readonly value: string;
  readonly count: number;
}

/** The values of each part of a filter, those with most decisions first. */
export type ApprovalLogFacets = Readonly<Record<keyof ApprovalLogFilter, readonly FacetValue[]>>;

/** How many values of one part are told apart; a hostile transcript may hold any number. */
const MAX_VALUES = 1_000;

/** The parts of a filter over some entries: what each of them says of an entry. */
export type FilterParts<T, Name extends string> = Readonly<Record<Name, (entry: T) => string>>;

/** The values that are chosen, by part; what is left out chooses nothing. */
export type ChosenValues<Name extends string> = Readonly<Partial<Record<Name, string | undefined>>>;

/** Whether a filter chooses an entry; without `except`, by all of its parts. */
export function isChosen<T, Name extends string>(
  parts: FilterParts<T, Name>,
  filter: ChosenValues<Name>,
  entry: T,
  except?: Name,
): boolean {
  for (const name in parts) {
    const wanted = filter[name];
    if (name !== except && wanted !== undefined && parts[name](entry) !== wanted) return false;
  }
  return true;
}

/** For each part the values that can be chosen from, in what the other parts of the filter leave; the most frequent first. */
export function facetsOf<T, Name extends string>(
  parts: FilterParts<T, Name>,
  entries: readonly T[],
  filter: ChosenValues<Name>,
): Readonly<Record<Name, readonly FacetValue[]>> {
  const facets = (Object.keys(parts) as Name[]).map((name) => {
    const counts = new Map<string, number>();
    for (const entry of entries) {
      if (!isChosen(parts, filter, entry, name)) continue;
      const value = parts[name](entry);
      if (counts.has(value) || counts.size < MAX_VALUES) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = [...counts].map(([value, count]) => ({ value, count }));
    return [name, values.sort((a, b) => b.count - a.count)] as const;
  });
  return Object.fromEntries(facets) as unknown as Record<Name, readonly FacetValue[]>;
}

/** What decisions are chosen by, see `ApprovalLogFilter`. */
export const APPROVAL_PARTS: FilterParts<Approval, keyof ApprovalLogFilter> = {
  decision: ({ isApproved }) => (isApproved ? 'approved' : 'denied'),
  decidedBy: ({ decidedBy }) => decidedBy,
  agent: ({ agent }) => agent,
  tool: ({ tool }) => tool,
};

/** Whether a filter chooses a decision. */
export function choosesApproval(filter: ApprovalLogFilter, approval: Approval): boolean {
  return isChosen(APPROVAL_PARTS, filter, approval);
}

/** What can be chosen from, in what the other parts of the filter leave. */
export function approvalLogFacets(
  approvals: readonly Approval[],
  filter: ApprovalLogFilter,
): ApprovalLogFacets {
  return facetsOf(APPROVAL_PARTS, approvals, filter);
}

/** A decision with its texts. */
export interface ApprovalLogEntry extends Approval {
  /** Exactly what was shown, where that is recorded; else the arguments of the call; '' where neither is. */
  readonly subject: string;
  /** What the person said, or why it was decided so; '' for nothing. */
  readonly reason: string;
}

/** A tool call with its arguments as they were written, and how it was decided on last, if it was. */
export interface DecidedCall {
  readonly tool: string;
  readonly agent: string;
  /** The position of the message that makes it. */
  readonly position: number;
  readonly input: string;
  readonly approval: ApprovalLogEntry | undefined;
}

/** The decisions of a transcript, and its tool calls, as far as their arguments can be kept. */
export interface ApprovalLog {
  readonly entries: readonly ApprovalLogEntry[];
  readonly calls: readonly DecidedCall[];
  /** How many calls are left out, because there are more than can be kept. */
  readonly leftOut: number;
}

/** How many records are read at once. */
const RECORDS_PER_READ = 1_000;
/** The longest arguments of a call that are kept, in UTF-16 code units, and the most of all together. */
const MAX_INPUT = 20_000;
const MAX_INPUTS = 64 * 1024 * 1024;

/**
 * Reads every decision of a transcript with its texts, each once, and the calls of the tools that are `wanted`. Rejects where
 * the signal is aborted and with errors of the file system.
 */
export async function readApprovalLog(
  transcript: Pick<Transcript, 'length' | 'read'>,
  wanted: (tool: string) => boolean = () => false,
  signal?: AbortSignal,
): Promise<ApprovalLog> {
  const reader = new TranscriptReader();
  const approvals = new Approvals();
  const texts: { subject: string; reason: string }[] = [];
  const calls = new Map<string, Omit<DecidedCall, 'approval'>>();
  const keyOf = (position: number | undefined, id: string): string => `${position ?? ''} ${id}`;
  let [room, leftOut] = [MAX_INPUTS, 0];
  const { length } = transcript;
  for (let at = 0; at < length; at += RECORDS_PER_READ) {
    signal?.throwIfAborted();
    for (const read of await transcript.read(at, Math.min(length, at + RECORDS_PER_READ))) {
      const record = read as UnknownRecord;
      const reading = reader.next(factsOf(record));
      approvals.add(reading);
      if (approvals.length > texts.length)
        texts.push({ subject: textOr(record.subject), reason: textOr(record.reason) });
      const message = reading.made.length > 0 ? messageIn(record) : undefined;
      if (!message) continue;
      for (const { id, name, input } of callsOf(message)) {
        const written = rawArgumentsOf(input);
        if (written.length > MAX_INPUT || written.length > room) {
          leftOut++;
          continue;
        }
        room -= written.length;
        const { position } = reading;
        const agent = reading.facts.place.agent ?? '';
        calls.set(keyOf(position, idOf(id)), { tool: name, agent, position, input: written });
      }
    }
  }
  const byCall = new Map<string, ApprovalLogEntry>();
  const entries = approvals.slice(0, approvals.length).map((approval, index): ApprovalLogEntry => {
    const { subject = '', reason = '' } = texts[index] ?? {};
    const key = keyOf(approval.askedAt, approval.toolCallId);
    const entry = { ...approval, subject: subject === '' ? (calls.get(key)?.input ?? '') : subject, reason };
    byCall.set(key, entry);
    return entry;
  });
  const kept = [...calls].flatMap(([key, call]) =>
    wanted(call.tool) ? [{ ...call, approval: byCall.get(key) }] : [],
  );
  return { entries, calls: kept, leftOut };
}
