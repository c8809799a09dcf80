import { isPromptRole, UNKNOWN_ROLE } from './transcriptItem.js';
import { knownTime, numberOr } from './values.js';
import type { CallNode } from './callTree.js';
import type { Facts } from './facts.js';
import { isOutput } from './messageSize.js';

/**
 * Pairs each reply with its request, which is beside it in its call, before or after. Calls are given by index, what is
 * paired by any numbers. Only successful requests have a reply, and a request that comes after a person's words has none
 * before them: what was said earlier is history that was given to it.
 */
export class RequestPairing {
  /** Requests and replies whose other half has not arrived yet. */
  readonly #requests = new Map<number, number>();
  readonly #replies = new Map<number, number>();

  /** Takes a successful request; gives its reply if that came first. */
  request(call: number, request: number): number | undefined {
    return pair(call, request, this.#requests, this.#replies);
  }

  /** Takes a message by its role, as which it is known if it is a reply; gives its request if that came first. */
  message(call: number, role: string | null | undefined, reply: number): number | undefined {
    if (isPromptRole(role)) this.#replies.delete(call);
    return role === 'assistant' ? pair(call, reply, this.#replies, this.#requests) : undefined;
  }
}

function pair(
  call: number,
  mine: number,
  same: Map<number, number>,
  others: Map<number, number>,
): number | undefined {
  const other = others.get(call);
  if (other === undefined) same.set(call, mine);
  else others.delete(call);
  return other;
}

/** What is known of how long a tool call took. */
interface ToolTiming {
  /** What the result says of itself, in milliseconds. */
  readonly durationMs: unknown;
  /** When the call was made and when its result came, in milliseconds since 1970. */
  readonly calledAt: unknown;
  readonly answeredAt: unknown;
  /** How long a person was waited for in between, in milliseconds. */
  readonly waitedMs: unknown;
}

/**
 * What every view calls the duration of a tool call, in milliseconds: what its result says, else the time between call
 * and result; without the time for which a person was waited for, which says nothing about the tool. Undefined where it
 * is unknown, as it is between clocks that run backwards.
 */
export function toolDuration({ durationMs, calledAt, answeredAt, waitedMs }: ToolTiming): number | undefined {
  const whole = numberOr(durationMs) ?? someTime(between(calledAt, answeredAt));
  return whole === undefined ? undefined : Math.max(0, whole - (numberOr(waitedMs) ?? 0));
}

/** The time between two moments, in milliseconds; undefined where one of them is unknown or the clock ran backwards. */
function between(start: unknown, end: unknown): number | undefined {
  const [from, to] = [knownTime(start), knownTime(end)];
  return from === undefined || to === undefined ? undefined : numberOr(to - from);
}

interface OpenAnswer<T> {
  readonly call: CallNode;
  /** Of its first message. */
  readonly first: T;
  isReported: boolean;
}

/** An answer of which nothing is reported: a request of unknown cost, where answers are what counts. */
type UnreportedAnswer<T> = Pick<OpenAnswer<T>, 'call' | 'first'>;

/** Finds the answers of which nothing is reported; what is said in several messages in a row is one answer. */
export class OpenAnswers<T> {
  /** The answer that each call is giving, by the call's index. */
  readonly #answers = new Map<number, OpenAnswer<T>>();

  /** Takes a record and what is to be known of it; gives the answer that ends with it, if nothing of that is reported. */
  next({ role, usage }: Facts, call: CallNode, of: T): UnreportedAnswer<T> | undefined {
    if (role === undefined) return undefined;
    const before = this.#answers.get(call.index);
    if (isOutput(role ?? UNKNOWN_ROLE)) {
      const isReported = usage !== undefined;
      if (before) before.isReported ||= isReported;
      else this.#answers.set(call.index, { call, first: of, isReported });
      return undefined;
    }
    this.#answers.delete(call.index);
    return before?.isReported === false ? before : undefined;
  }

  /** Those that nothing follows yet. */
  get last(): readonly UnreportedAnswer<T>[] {
    return [...this.#answers.values()].filter(({ isReported }) => !isReported);
  }
}

/** A duration that was told by two equal stamps, or where nothing was known, says nothing. */
export function someTime(duration: number | undefined): number | undefined {
  return duration === 0 ? undefined : duration;
}
