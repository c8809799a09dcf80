import { addRequest } from '../../query/numbers/callCosts.js';
import { compactJson } from '../../query/numbers/jsonText.js';
import { ActiveTime } from '../../query/numbers/usageTotals.js';
import { isFailedRecord } from '../../query/numbers/failures.js';
import { factsOf, type Facts } from '../../query/numbers/facts.js';
import { callsOf, rawArgumentsOf, type MadeCall } from '../../query/numbers/toolCalls.js';
import { TranscriptReader, type Reading, hasFailed } from '../../query/numbers/transcriptReader.js';
import { finishReasonOf } from '../../query/numbers/finishReason.js';
import { isOutput } from '../../query/numbers/messageSize.js';
import { OpenAnswers, someTime } from '../../query/numbers/requestPairing.js';
import {
  answeredIdOf,
  envelopeOf,
  roleOf,
  UNKNOWN_ROLE,
  type UntypedMessage,
} from '../../query/numbers/transcriptItem.js';
import { costOf, UNKNOWN_COST, type RequestCost } from '../../core/cost.js';
import { isObject, textOf } from '../../core/message.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import { costFields, pricesOf } from '../costWords.js';
import { REMEMBERED_CALLS, RowMaker, type ExportRow } from '../exportRow.js';
import { countFurtherFields, countParts, hasSource, recordWords } from '../leftOut.js';
import type { Redactor } from '../secrets/redact.js';
import type { LeaveOut } from '../textWriter.js';
import type { TableName, TableRow } from './tableColumns.js';
import type { CallNode } from '../../query/numbers/callTree.js';

type CallRow = TableRow<'calls'>;

/** What of a call's row is known when the call is made, or when its result comes without it. */
type CallBegin = Omit<
  CallRow,
  | 'result_seq'
  | 'answered_at'
  | 'result'
  | 'duration_ms'
  | 'waited_ms'
  | 'state'
  | 'is_error'
  | 'decision'
  | 'decided_by'
  | 'child_call'
>;

/** What a result adds. */
type CallResult = Pick<CallRow, 'result_seq' | 'answered_at' | 'result' | 'duration_ms'>;

/** What an approval or a dispatch adds. */
type CallEvent = Partial<Pick<CallRow, 'decision' | 'decided_by' | 'child_call'>>;

interface BufferedCall {
  readonly begin: CallBegin;
  readonly made: MadeCall;
  result?: CallResult;
  event: CallEvent;
}

/** How many tool calls wait to be written at most, and how long their texts are together, in UTF-16 code units. */
export const MAX_HELD_CALLS = 2_000;
const MAX_HELD_TEXT = 16 * 1024 * 1024;

const NO_RESULT: CallResult = {
  result_seq: undefined,
  answered_at: undefined,
  result: undefined,
  duration_ms: undefined,
};

/**
 * The tool calls of a session until they are written: what comes later may belong to one, its result, an approval, that it
 * failed. Those that are answered are written first when many wait, so that a call that takes long, such as one of an
 * agent, keeps its result; only where ever more are never answered the oldest go without.
 */
class BufferedCalls {
  readonly #write: (row: CallRow) => void;
  readonly #held = new Map<MadeCall, BufferedCall>();
  #text = 0;

  constructor(write: (row: CallRow) => void) {
    this.#write = write;
  }

  /** Adds a call that a message makes. */
  make(made: MadeCall, begin: CallBegin): void {
    this.#held.set(made, { made, begin, event: {} });
    this.#text += begin.arguments?.length ?? 0;
    if (this.#isFull) this.#makeRoom();
  }

  /** Adds the result of a call; false where that was written without it. */
  answer(made: MadeCall, result: CallResult): boolean {
    const held = this.#held.get(made);
    if (!held) return false;
    held.result = result;
    this.#text += result.result?.length ?? 0;
    if (this.#isFull) this.#makeRoom();
    return true;
  }

  /** Adds what an approval or a dispatch says of a call. */
  note(reading: Reading, event: CallEvent): void {
    const held = reading.concerns && this.#held.get(reading.concerns);
    if (held) held.event = { ...held.event, ...event };
  }

  /** Writes a call of which only the result is recorded. */
  unseen(begin: CallBegin, result: CallResult, { isFailure, state }: Facts): void {
    this.#write({
      ...begin,
      ...result,
      waited_ms: 0,
      state: state === '' ? (isFailure ? 'failed' : 'done') : state,
      is_error: isFailure,
      decision: undefined,
      decided_by: undefined,
      child_call: undefined,
    });
  }

  /** Writes all that wait. */
  end(): void {
    for (const held of this.#held.values()) this.#let(held);
  }

  get #isFull(): boolean {
    return this.#held.size > MAX_HELD_CALLS || this.#text > MAX_HELD_TEXT;
  }

  #makeRoom(): void {
    for (const held of this.#held.values()) if (held.result) this.#let(held);
    for (const held of this.#held.values()) {
      if (this.#held.size <= MAX_HELD_CALLS / 2 && this.#text <= MAX_HELD_TEXT / 2) return;
      this.#let(held);
    }
  }

  #let({ made, begin, result = NO_RESULT, event }: BufferedCall): void {
    this.#held.delete(made);
    this.#text -= (begin.arguments?.length ?? 0) + (result.result?.length ?? 0);
    this.#write({
      ...begin,
      ...result,
      waited_ms: made.waitedMs,
      state: made.state,
      is_error: hasFailed(made),
      decision: event.decision,
      decided_by: event.decided_by,
      child_call: event.child_call,
    });
  }
}

type RequestRow = TableRow<'requests'>;

/** How many rows wait at most until it is known whether they count. */
const MAX_HELD_REQUESTS = 100_000;

/**
 * What tells of requests, until it is known which of it counts: requests, messages and the end of a call may all tell of the
 * same ones, and only one kind counts, by the rule of every view (`reportedTokens`). Recorded requests are always written; where
 * they do not count, they are none of what is added up.
 */
class BufferedRequests {
  readonly #write: (row: RequestRow) => void;
  readonly #held = new Map<CallNode, RequestRow[]>();
  #count = 0;

  constructor(write: (row: RequestRow) => void) {
    this.#write = write;
  }

  /** Adds what a record of a call tells, which the call's sums already hold. */
  add(call: CallNode, row: RequestRow): void {
    // Once requests tell of tokens, they count, whatever else comes.
    if (call.tokens.reporter === 'requests') {
      this.#writeOf(call);
      if (row.told_by === 'request') this.#write(row);
      return;
    }
    const rows = this.#held.get(call);
    if (rows) rows.push(row);
    else this.#held.set(call, [row]);
    if (++this.#count > MAX_HELD_REQUESTS) this.end();
  }

  /** Writes what counts of all that waits. */
  end(): void {
    for (const call of this.#held.keys()) this.#writeOf(call);
  }

  #writeOf(call: CallNode): void {
    const rows = this.#held.get(call);
    if (!rows) return;
    const counting = TOLD_BY[call.tokens.reporter ?? call.costs.reporter ?? 'requests'];
    for (const row of rows) {
      if (row.told_by === counting) this.#write(row);
      else if (row.told_by === 'request') this.#write({ ...row, ...COUNTS_NOT });
    }
    this.#held.delete(call);
    this.#count -= rows.length;
  }
}

/** What a request has that others of its call are added up instead of. */
const COUNTS_NOT = { requests: 0, cost_usd: undefined, cost_provenance: undefined, prices: undefined };

const TOLD_BY = { requests: 'request', messages: 'message', end: 'end' } as const;

/** Takes the rows of the tables as they are made. */
export type AddRow = <Name extends Exclude<TableName, 'sessions'>>(table: Name, row: TableRow<Name>) => void;

/** What the rows of a session are made with. */
export interface SessionRowsOptions {
  readonly session: string;
  /** Replaces secrets; undefined where they stay. */
  readonly redactor: Redactor | undefined;
  readonly prices: Prices | undefined;
  readonly add: AddRow;
  readonly leaveOut: LeaveOut;
}

const words = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const number = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
const known = (time: number): number | undefined => (time > 0 ? time : undefined);

/** The fields of records that a column is made of, besides those of their messages. */
const TOLD: readonly string[] = [
  'seq',
  'type',
  'agent',
  'model',
  'partial',
  'endpoint',
  'attempt',
  'firstTokenMs',
  'error',
  'decision',
  'decidedBy',
  'childCall',
];

/** Makes the rows of one session out of its records or bare messages, which must be given in order. */
export class SessionRows {
  readonly #options: SessionRowsOptions;
  readonly #reader = new TranscriptReader(REMEMBERED_CALLS);
  readonly #rows: RowMaker;
  readonly #calls: BufferedCalls;
  readonly #requests: BufferedRequests;
  readonly #answers = new OpenAnswers<TableRow<'requests'> | undefined>();
  /** How many tool calls have a number. */
  #numbered = 0;
  readonly #time = new ActiveTime();
  #errors = 0;
  #startedAt: number | undefined;
  #endedAt: number | undefined;

  constructor(options: SessionRowsOptions) {
    this.#options = options;
    this.#rows = new RowMaker(undefined, options.redactor, true);
    this.#calls = new BufferedCalls((row) => options.add('calls', row));
    this.#requests = new BufferedRequests((row) => options.add('requests', row));
  }

  /** The earliest and the latest time so far, in milliseconds since 1970; undefined where none is recorded. */
  get times(): Pick<TableRow<'sessions'>, 'started_at' | 'ended_at'> {
    return { started_at: this.#startedAt, ended_at: this.#endedAt };
  }

  /** What is counted of all of it so far. */
  get sums(): Pick<TableRow<'sessions'>, 'errors' | 'span_ms' | 'active_ms'> {
    const { spanMs, activeMs } = this.#time;
    return { errors: this.#errors, span_ms: spanMs, active_ms: activeMs };
  }

  /** Adds the next item. */
  add(item: unknown): void {
    const facts = factsOf(item);
    const reading = this.#reader.next(facts);
    const cost = addRequest(facts, reading.call, this.#options.prices ?? NO_PRICES);
    this.#addTime(facts.time);
    this.#time.add(reading);
    if (reading.isNewFailure) this.#errors++;
    const told = this.#told(item);
    const seq = number(told.seq);
    const row = this.#rows.next(item);
    if (row) this.#addMessage({ row, seq, told, reading, item });
    else this.#addEvent(told, item, reading);
    if (cost || facts.usage || facts.type === 'request')
      this.#requests.add(reading.call, this.#requestRow({ told, facts, reading, cost, seq, item }));
    const answer = () => this.#requestRow({ told, facts, reading, cost: UNKNOWN_COST, seq, item });
    if (facts.role === undefined) return;
    const isAnswer = isOutput(facts.role ?? UNKNOWN_ROLE);
    const ended = this.#answers.next(facts, reading.call, isAnswer ? answer() : undefined);
    if (ended?.first) this.#requests.add(ended.call, ended.first);
  }

  /** Hands on all rows that still wait. */
  end(): void {
    this.#calls.end();
    for (const { call, first } of this.#answers.last) if (first) this.#requests.add(call, first);
    this.#requests.end();
  }

  /** What the record of an item says besides its message, as far as a table has a column for it, without its secrets. */
  #told(item: unknown): UntypedMessage {
    const envelope = envelopeOf(item);
    if (!envelope) return {};
    const fields = TOLD.flatMap((name) => (envelope[name] === undefined ? [] : [[name, envelope[name]]]));
    return this.#rows.bare(Object.fromEntries(fields)) ?? {};
  }

  #addTime(time: number): void {
    if (time <= 0) return;
    this.#startedAt = Math.min(this.#startedAt ?? time, time);
    this.#endedAt = Math.max(this.#endedAt ?? time, time);
  }

  #place({ facts }: Pick<Reading, 'facts'>, agent: unknown) {
    const { depth, ...place } = facts.place;
    const [run, call, parentCall] = [place.run, place.call, place.parentCall].map((id) =>
      this.#rows.name(id ?? ''),
    );
    return {
      session: this.#options.session,
      time: known(facts.time),
      run: words(run),
      call: words(call),
      parent_call: words(parentCall),
      depth,
      agent: words(agent),
    };
  }

  #addMessage({ row, seq, told, reading, item }: MessageParts): void {
    const { add, leaveOut } = this.#options;
    const { message } = row;
    const { content } = message;
    const said = textOf(content) || (isObject(content) ? compactJson(content) : '');
    const place = this.#place(reading, told.agent);
    const { facts } = reading;
    const isResult = message.role === 'tool';
    add('messages', {
      ...place,
      message: row.index,
      seq,
      role: roleOf(message),
      model: words(told.model),
      content: words(said),
      reasoning: words(message.reasoning_content),
      refusal: words(message.refusal),
      calls: reading.made.length,
      tool: isResult ? words(row.resultName) : undefined,
      tool_call_id: words(answeredIdOf(message)),
      duration_ms: someTime(facts.durationMs),
      is_error: facts.isFailure,
      partial: words(told.partial),
    });
    countParts(content, leaveOut);
    countFurtherFields(message, leaveOut);
    if (hasSource(item)) leaveOut('details of the imported file');
    this.#make(row, seq, reading, place);
    if (reading.result) this.#answer(row, seq, reading, { ...place, said });
  }

  #make(row: ExportRow, seq: number | undefined, { made }: Reading, position: RowPosition): void {
    const calls = callsOf(row.message);
    for (const [at, call] of made.entries()) {
      const { id = '', name = call.tool, input } = calls[at] ?? {};
      this.#calls.make(call, {
        ...position,
        call_number: this.#numbered++,
        seq,
        tool: name,
        tool_call_id: words(id),
        arguments: words(rawArgumentsOf(input)),
      });
    }
  }

  #answer(
    row: ExportRow,
    seq: number | undefined,
    { facts, result }: Reading,
    { said, ...place }: RowPosition & { readonly said: string },
  ): void {
    const told = {
      result_seq: seq,
      answered_at: place.time,
      result: words(said),
      duration_ms: result?.tookMs,
    };
    if (result?.made && !this.#calls.answer(result.made, told))
      this.#options.leaveOut('results that came too late for their calls');
    if (result?.kind !== 'unseen') return;
    const begin: CallBegin = {
      ...place,
      call_number: this.#numbered++,
      seq: undefined,
      time: undefined,
      tool: row.resultName,
      tool_call_id: undefined,
      arguments: undefined,
    };
    this.#calls.unseen(begin, told, facts);
  }

  #addEvent(told: UntypedMessage, item: unknown, reading: Reading): void {
    const { type } = told;
    if (type === 'approval')
      this.#calls.note(reading, { decision: words(told.decision), decided_by: words(told.decidedBy) });
    if (type === 'dispatch') this.#calls.note(reading, { child_call: words(told.childCall) });
    const record = envelopeOf(item) ?? {};
    if (type !== 'request' || record.superseded !== undefined) this.#options.leaveOut(recordWords(record));
  }

  #requestRow({ told: record, facts, reading, cost, seq, item }: RequestParts): TableRow<'requests'> {
    const { usage } = facts;
    const isRequest = facts.type === 'request';
    const requests = isRequest ? (usage?.requests ?? 1) : 1;
    const sum = cost && costFields(costOf(cost, requests));
    return {
      ...this.#place(reading, record.agent),
      seq,
      told_by: isRequest ? 'request' : facts.type === 'callEnd' ? 'end' : 'message',
      model: words(record.model) ?? words(this.#rows.name(reading.call.model)),
      requests: cost ? requests : 0,
      endpoint: isRequest ? words(record.endpoint) : undefined,
      attempt: isRequest ? number(record.attempt) : undefined,
      duration_ms: isRequest ? someTime(facts.durationMs) : undefined,
      first_token_ms: isRequest ? number(record.firstTokenMs) : undefined,
      finish_reason: facts.type === 'callEnd' ? undefined : this.#finishReason(item),
      input_tokens: usage?.inputTokens,
      output_tokens: usage?.outputTokens,
      cached_input_tokens: usage?.cachedInputTokens,
      cache_write_tokens: usage?.cacheWriteTokens,
      reasoning_tokens: usage?.reasoningTokens,
      web_searches: usage?.webSearches,
      tokens_estimated: usage?.estimated === true,
      cost_usd: sum?.cost_usd ?? undefined,
      cost_provenance: sum?.cost_provenance,
      prices: pricesOf(sum, this.#options.prices?.version ?? '') || undefined,
      error:
        isRequest && isFailedRecord(record) && isObject(record.error)
          ? words(record.error.message)
          : undefined,
    };
  }

  #finishReason(item: unknown): string | undefined {
    const reason = finishReasonOf(envelopeOf(item));
    return reason && words(this.#rows.name(reason));
  }
}

type RowPosition = Pick<
  TableRow<'calls'>,
  'session' | 'time' | 'run' | 'call' | 'parent_call' | 'agent' | 'depth'
>;

interface MessageParts {
  readonly row: ExportRow;
  readonly seq: number | undefined;
  /** See `#told`. */
  readonly told: UntypedMessage;
  readonly reading: Reading;
  readonly item: unknown;
}

interface RequestParts {
  readonly told: UntypedMessage;
  readonly facts: Facts;
  readonly reading: Reading;
  readonly cost: RequestCost | undefined;
  readonly seq: number | undefined;
  readonly item: unknown;
}
