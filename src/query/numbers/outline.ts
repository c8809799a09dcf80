import { textOf } from '../../core/message.js';
import type { LogRecord, MessageBody, Outcome } from '../../core/record.js';
import { firstCodePoints, preview, singleLine } from '../../core/text.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { CallNode } from './callTree.js';
import { deedLine, deedOf } from './deed.js';
import { callsOf } from './toolCalls.js';
import { factsOf } from './facts.js';
import { TranscriptReader, type Reading } from './transcriptReader.js';

/** One assistant message of a call: the beginning of its text and the tools it calls. */
export interface OutlineTurn {
  readonly kind: 'turn';
  /** The record's position in the transcript. */
  readonly position: number;
  readonly text: string;
  readonly tools: readonly string[];
  /** What its calls do, a line each. */
  readonly deeds: readonly string[];
  readonly partial: boolean;
}

/** One call of an agent, with its turns and the calls that it dispatched, in the order in which they started. */
export interface OutlineCall {
  readonly kind: 'call';
  readonly call: string;
  readonly run: string;
  readonly agent: string;
  readonly depth: number;
  readonly task: string;
  readonly model: string;
  readonly scripted: boolean;
  /** The position of its `callStart` record. */
  readonly position: number;
  readonly startedAt: number;
  readonly steps: readonly (OutlineTurn | OutlineCall)[];
  readonly messages: number;
  /** Absent while the call is running, and where its end was never recorded. */
  readonly end?: CallEnd;
}

interface CallEnd {
  readonly outcome: Outcome;
  readonly reason?: string;
  readonly at: number;
  readonly durationMs: number;
  /** The tokens of the call and of all calls below it. */
  readonly tokens: number;
  readonly estimated: boolean;
}

interface GrowingCall extends OutlineCall {
  steps: (OutlineTurn | OutlineCall)[];
  messages: number;
  end?: CallEnd;
}

/** No result is looked at, so few ids of tool calls are remembered: those that a dispatch may name. */
const REMEMBERED_CALLS = 100;

/** How much of a task or an answer is kept, in code points. */
const TITLE_LENGTH = 120;

/**
 * The tree of calls in a conversation, without full messages. Built record by record, so that a live transcript
 * extends it and a large one never has to be in memory.
 */
export class Outline {
  readonly #calls = new Map<string, GrowingCall>();
  readonly #steps: (OutlineTurn | OutlineCall)[] = [];
  readonly #plain: (text: string) => string;
  readonly #reader = new TranscriptReader(REMEMBERED_CALLS);
  #length = 0;

  /** `plain` strips markup from a text before its beginning becomes a title. */
  constructor(plain: (text: string) => string = (text) => text) {
    this.#plain = plain;
  }

  /** The entry calls, oldest first, and turns of which no call is recorded, as other tools keep them. */
  get steps(): readonly (OutlineTurn | OutlineCall)[] {
    return this.#steps;
  }

  /** The number of records added, which is the position of the next one. */
  get length(): number {
    return this.#length;
  }

  /** Adds the next record of the transcript. */
  add(record: ReadRecord): void {
    const reading = this.#reader.next(factsOf(record));
    this.#length++;
    if (isOf(record, 'callStart')) this.#begin(record, reading.position, reading.call.parent);
    const call = this.#calls.get(record.call);
    if (call && isOf(record, 'callEnd')) {
      const { outcome, durationMs, totalUsage, reason, time } = record;
      const tokens = totalUsage.inputTokens + totalUsage.outputTokens;
      const estimated = totalUsage.estimated;
      call.end = {
        outcome,
        at: time,
        durationMs,
        tokens,
        estimated,
        ...(reason !== undefined && { reason }),
      };
    }
    if (!isOf(record, 'message')) return;
    if (call) call.messages++;
    if (record.message.role === 'assistant') (call?.steps ?? this.#steps).push(this.#turn(record, reading));
  }

  #begin(
    record: Extract<LogRecord, { type: 'callStart' }>,
    position: number,
    above: CallNode | undefined,
  ): void {
    if (this.#calls.has(record.call)) return;
    const call: GrowingCall = {
      kind: 'call',
      call: record.call,
      run: record.run,
      agent: record.agent,
      depth: record.depth,
      task: this.#title(record.task),
      model: record.model,
      scripted: record.scripted === true,
      position,
      startedAt: record.time,
      steps: [],
      messages: 0,
    };
    this.#calls.set(call.call, call);
    const parent = above && this.#calls.get(above.id);
    if (parent) parent.steps.push(call);
    else this.#steps.push(call);
  }

  #turn({ message, partial }: MessageBody, { position, made }: Reading): OutlineTurn {
    const text = this.#title(textOf(message.content));
    const tools = made.map(({ tool }) => tool);
    const deeds = callsOf({ ...message }).map(({ name, input }) => deedLine(deedOf(name, input)));
    return { kind: 'turn', position, text, tools, deeds, partial: partial !== undefined };
  }

  #title(text: string): string {
    return preview(singleLine(this.#plain(firstCodePoints(text, TITLE_LENGTH * 4))), TITLE_LENGTH);
  }
}

function isOf<T extends LogRecord['type']>(
  record: ReadRecord,
  type: T,
): record is Extract<LogRecord, { type: T }> {
  return record.type === type;
}
