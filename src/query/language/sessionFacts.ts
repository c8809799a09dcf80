import type { APPROVAL_VALUES } from './fields.js';
import { costOf, requestsOf, type Cost, type RequestCost } from '../../core/cost.js';
import { NO_PRICES, type Prices } from '../../ports/prices.js';
import { emptySummary, addToSummary, type SummaryData } from '../../analysis/summary.js';
import { factsOf, type Facts } from '../../analysis/facts.js';
import { addRequest, CallCosts } from '../../analysis/callCosts.js';
import { CallTokens, tokensOfCalls } from '../../analysis/callTokens.js';
import { costOfCalls, ownCostOf, wholeCosts } from '../../analysis/treeCosts.js';
import type { TokenCount } from '../../analysis/tokens.js';
import type { MadeCall } from '../../analysis/toolCalls.js';
import { isWork, type CallNode } from '../../analysis/callTree.js';
import { ToolNames } from '../../analysis/toolNames.js';
import { hasFailed, TranscriptReader, type Reading } from '../../analysis/transcriptReader.js';
import { envelopeOf, isPromptRole, messageIn, type UntypedMessage } from '../../analysis/transcriptItem.js';
import { Turns } from '../../analysis/turns.js';
import { textOr } from '../../analysis/values.js';
import type { ReadRecord } from '../../ports/transcript.js';

/** What is known of a session besides its records. */
export interface SessionInfo {
  readonly session: string;
  /** Absent: the last title that a person gave, or the beginning of the first prompt. */
  readonly title?: string | undefined;
  /** The tool that recorded it, as its importer names it; absent where it was recorded here. */
  readonly source?: string | undefined;
  readonly project?: string | undefined;
  /** Whether an agent is at work in it now. */
  readonly live?: boolean | undefined;
}

/** How a tool call was decided on, and by whom or what, as questions name it. */
export type Decision = (typeof APPROVAL_VALUES)[number];

/** What is known without its texts of a record or a tool call, the two things that a term may hold for. */
interface UnitBase {
  /** The positions of its first record and, once it has ended, of its last; never ended: Infinity. */
  readonly begin: number;
  readonly end: number;
  /** When it began and ended, in milliseconds since 1970; undefined where it is unknown. */
  readonly beganAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly agent: string | undefined;
  readonly depth: number | undefined;
  readonly model: string | undefined;
  /** The ids of its run and call, as its records have them. */
  readonly runId: string | undefined;
  readonly callId: string | undefined;
  readonly tools: readonly string[];
  readonly isError: boolean;
  readonly durationMs: number | undefined;
  readonly decisions: readonly Decision[];
  /** The indexes of the call of an agent and of the run that it belongs to. */
  readonly agentCall: number;
  readonly run: number;
}

/** See `UnitBase`. */
export interface RecordFacts extends UnitBase {
  readonly kind: 'record';
  readonly seq: number | undefined;
  readonly isMessage: boolean;
  readonly role: string | undefined;
  readonly isPartial: boolean;
  readonly hasImage: boolean;
  readonly hasReasoning: boolean;
  readonly hasCalls: boolean;
  readonly tokens: TokenCount | undefined;
  /** What the request cost that it tells of. */
  readonly cost: Cost | undefined;
  /** The indexes of the tool calls that it makes, answers, approves or dispatches. */
  readonly toolCalls: readonly number[];
}

/** See `UnitBase`. */
export interface ToolCallFacts extends UnitBase {
  readonly kind: 'toolCall';
  readonly id: string;
  readonly tool: string;
  /** The position of the message that makes it; undefined where only its result is recorded. */
  readonly askedAt: number | undefined;
  /** Which of that message's calls it is, from 0. */
  readonly order: number;
  readonly answeredAt: number | undefined;
}

/** What a term may hold for. */
export type UnitFacts = RecordFacts | ToolCallFacts;

/** A row that is larger than a record: a call of an agent, a run, the session. */
export interface SpanFacts {
  readonly id: string;
  readonly agent: string;
  readonly depth: number;
  /** The index of the call that dispatched it; undefined where none did. */
  readonly parent: number | undefined;
  readonly firstPosition: number;
  readonly lastPosition: number;
  readonly beganAt: number | undefined;
  readonly tokens: TokenCount | undefined;
  /** What it cost itself; undefined where nothing was asked of a model. */
  readonly cost: Cost | undefined;
  /** With all calls below it. */
  readonly totalCost: Cost | undefined;
  readonly durationMs: number | undefined;
}

/** A list whose entries may be made only when they are asked for. */
export interface Listed<T> {
  readonly length: number;
  /** The entry at an index from 0; undefined where there is none. */
  at(index: number): T | undefined;
}

/**
 * Which records and tool calls are alike: those of one shape differ in nothing but their ids, times, numbers, the calls that
 * they belong to and their texts.
 */
export interface UnitShapes {
  /** The number of the shape of each record, then of each tool call. */
  readonly of: ArrayLike<number>;
  /** One of each shape; of a record, `decisions` are those of its tool calls too. */
  readonly examples: readonly UnitFacts[];
  /** Whether arguments of tool calls belong to those of a shape, by its number. */
  readonly hasArguments: readonly boolean[];
  /** When a unit began, by its index, as `beganAt` has it. */
  beganAt(index: number): number | undefined;
  /** When the first began of which that is known, and the last; undefined where it is known of none. */
  readonly span: { readonly from: number; readonly to: number } | undefined;
  /** Whether there may be a text with all of these grams in the items at some positions; without these, anywhere. */
  mayHave(grams: readonly number[], positions?: readonly number[]): boolean;
}

/** What one pass over a session gathers: whatever a question may ask but for texts and arguments. */
export interface SessionFacts {
  readonly info: SessionInfo & { readonly title: string };
  readonly records: Listed<RecordFacts>;
  readonly toolCalls: Listed<ToolCallFacts>;
  /** Absent where nobody has compared them, as in a session that was just read. */
  readonly shapes?: UnitShapes;
  readonly agentCalls: readonly SpanFacts[];
  readonly runs: readonly SpanFacts[];
  readonly whole: SpanFacts;
}

/** The same where all records and tool calls are at hand. */
export interface GatheredFacts extends SessionFacts {
  readonly records: readonly RecordFacts[];
  readonly toolCalls: readonly ToolCallFacts[];
}

type Growing<T> = { -readonly [Key in keyof T]: T[Key] };
type GrowingCall = Growing<Omit<ToolCallFacts, 'decisions'>> & { decisions: Decision[]; made?: MadeCall };

interface GrowingRun {
  readonly index: number;
  /** Its entry call; in an imported session, that of its first record. */
  readonly root: CallNode;
  readonly id: string;
  readonly firstPosition: number;
  lastPosition: number;
  hasPrompt: boolean;
  start: number | undefined;
  end: number | undefined;
  endedMs: number | undefined;
  /** What its calls have used in it, by their index. */
  readonly used: Map<number, Used>;
}

/** What one call has used of models. */
interface Used {
  readonly tokens: CallTokens;
  readonly costs: CallCosts;
}

/** Gathers the facts of a session item by item; every item must be given, in order. Items are not kept. */
export class SessionFactsBuilder {
  readonly #reader = new TranscriptReader();
  readonly #names = new ToolNames();
  readonly #turns = new Turns();
  readonly #summary = emptySummary();
  readonly #records: RecordFacts[] = [];
  readonly #toolCalls: GrowingCall[] = [];
  readonly #indexOfMade = new Map<number, number>();
  readonly #runs: GrowingRun[] = [];
  /** The run of each entry call that was recorded here, by the number that the tree of calls gives it. */
  readonly #recorded = new Map<number, GrowingRun>();
  readonly #roots = new Map<number, CallNode>();
  /** The run that the last prompt began, in a session that tells of no starts of calls. */
  #prompted: GrowingRun | undefined;

  readonly #prices: Prices;

  /** `prices`: what costs are known by besides those that the source recorded. */
  constructor(prices: Prices = NO_PRICES) {
    this.#prices = prices;
  }

  add(item: unknown): void {
    const facts = factsOf(item);
    const reading = this.#reader.next(facts);
    const cost = addRequest(facts, reading.call, this.#prices);
    const record = envelopeOf(item);
    if (record) addToSummary(this.#summary, record as unknown as ReadRecord);
    this.#turns.add(reading);
    const run = this.#runOf(reading);
    this.#extend(run, reading, cost);
    const known = recordFacts(item, reading, {
      answered: this.#names.next(item),
      cost: cost && costOf(cost),
      run: run.index,
    });
    const toolCalls = this.#toolCallsOf(reading, known);
    this.#records.push({ ...known, toolCalls });
  }

  /** The title that its records give, and whether a person gave it; see `SummaryData`. */
  get title(): Pick<SummaryData, 'title' | 'titled'> {
    return this.#summary;
  }

  /** Whether its last run has no end yet. */
  get isOpen(): boolean {
    return this.#summary.outcome === 'open';
  }

  finish(info: SessionInfo): GatheredFacts {
    const toolCalls = this.#toolCalls.map(({ made, ...call }) => ({
      ...call,
      isError: made ? hasFailed(made) : call.isError,
    }));
    const all = this.#reader.calls.all;
    const { durationMs } = this.#turns;
    const [first] = all;
    const cost = spent(costOfCalls(all));
    const totals = wholeCosts(all);
    const { startedAt } = this.#summary;
    return {
      info: { ...info, title: info.title ?? this.#summary.title },
      records: this.#records,
      toolCalls,
      agentCalls: all.map((call) => agentCallFacts(call, totals)),
      runs: this.#runs.map(runFacts),
      whole: {
        ...{ id: info.session, agent: first?.agent ?? '', depth: 0, parent: undefined },
        ...{ firstPosition: 0, lastPosition: this.#records.length - 1 },
        beganAt: startedAt === 0 ? undefined : startedAt,
        ...{ tokens: tokensOfCalls(all.map((call) => call.tokens)), cost, totalCost: cost },
        durationMs: durationMs === 0 ? undefined : durationMs,
      },
    };
  }

  /**
   * The run of an item: of what was recorded here, that of its entry call; of an imported session, the stretch from one
   * prompt of a person to the next, whatever stands before the first prompt included.
   */
  #runOf({ facts, call, position }: Reading): GrowingRun {
    const isEntry = call.parent === undefined;
    if (isEntry) this.#roots.set(call.run, call);
    const begin = (): GrowingRun => {
      const run: GrowingRun = {
        ...{ index: this.#runs.length, root: this.#roots.get(call.run) ?? call, id: facts.place.run ?? '' },
        ...{ firstPosition: position, lastPosition: position, hasPrompt: false },
        ...{ start: undefined, end: undefined, endedMs: undefined, used: new Map() },
      };
      this.#runs.push(run);
      return run;
    };
    if (facts.type === 'callStart' && isEntry && !this.#recorded.has(call.run))
      this.#recorded.set(call.run, begin());
    const recorded = this.#recorded.get(call.run);
    if (recorded) return recorded;
    const isPrompt = isEntry && isPromptRole(facts.role);
    if (!this.#prompted || (isPrompt && this.#prompted.hasPrompt)) this.#prompted = begin();
    if (isPrompt) this.#prompted.hasPrompt = true;
    return this.#prompted;
  }

  #extend(run: GrowingRun, { facts, call, position }: Reading, cost: RequestCost | undefined): void {
    run.lastPosition = position;
    if (facts.time > 0 && isWork(facts)) {
      run.start = Math.min(run.start ?? facts.time, facts.time);
      run.end = Math.max(run.end ?? facts.time, facts.time);
    }
    if (facts.type === 'callEnd' && call === run.root) run.endedMs = facts.durationMs;
    const used = run.used.get(call.index) ?? { tokens: new CallTokens(), costs: new CallCosts() };
    run.used.set(call.index, used);
    used.tokens.add(facts, '');
    used.costs.add(facts, '', cost);
  }

  /** The tool calls that an item concerns; those that it makes or that only it tells of are begun. */
  #toolCallsOf(reading: Reading, known: Omit<RecordFacts, 'toolCalls'>): number[] {
    const { facts, made, result, concerns, position } = reading;
    const concerned: number[] = [];
    for (const [order, { id, name }] of facts.calls.entries()) {
      const mine = made[order];
      if (mine) this.#indexOfMade.set(mine.number, this.#toolCalls.length);
      concerned.push(this.#begin(known, { id, tool: name, askedAt: position, order }, mine));
    }
    if (result?.kind === 'unseen') {
      const { id, tool, tookMs } = result;
      const index = this.#begin(known, { id, tool, askedAt: undefined, order: 0 }, undefined);
      concerned.push(index);
      this.#answer(index, position, known.beganAt, tookMs);
    }
    const about = result?.made ?? concerns;
    const index = about && this.#indexOfMade.get(about.number);
    if (index === undefined) return concerned;
    concerned.push(index);
    if (result) this.#answer(index, position, known.beganAt, result.tookMs);
    for (const decision of known.decisions) this.#toolCalls[index]?.decisions.push(decision);
    return concerned;
  }

  #begin(
    facts: Omit<RecordFacts, 'toolCalls'>,
    call: Pick<ToolCallFacts, 'id' | 'tool' | 'askedAt' | 'order'>,
    made: MadeCall | undefined,
  ): number {
    const { begin, beganAt, agent, depth, model, runId, callId, isError, agentCall, run } = facts;
    this.#toolCalls.push({
      ...{ kind: 'toolCall', begin, beganAt, agent, depth, model, runId, callId, isError, agentCall, run },
      ...{ end: Infinity, endedAt: undefined, durationMs: undefined, answeredAt: undefined },
      ...{ ...call, tools: [call.tool], decisions: [] },
      ...(made && { made }),
    });
    return this.#toolCalls.length - 1;
  }

  #answer(
    index: number,
    position: number,
    endedAt: number | undefined,
    durationMs: number | undefined,
  ): void {
    const call = this.#toolCalls[index];
    if (call) Object.assign(call, { end: position, endedAt, durationMs, answeredAt: position });
  }
}

/** The facts of items that are at hand. */
export function sessionFacts(items: Iterable<unknown>, info: SessionInfo, prices?: Prices): GatheredFacts {
  const builder = new SessionFactsBuilder(prices);
  for (const item of items) builder.add(item);
  return builder.finish(info);
}

function recordFacts(
  item: unknown,
  { facts, call, position, result, made }: Reading,
  { answered, cost, run }: Pick<RecordFacts, 'cost' | 'run'> & { readonly answered: string | undefined },
): Omit<RecordFacts, 'toolCalls'> {
  const { place, role } = facts;
  const record = envelopeOf(item);
  const message = messageIn(item);
  const time = facts.time === 0 ? undefined : facts.time;
  return {
    kind: 'record',
    ...{ begin: position, end: position, beganAt: time, endedAt: time },
    ...{ agent: place.agent, depth: place.depth, runId: place.run, callId: place.call },
    model: facts.model === '' ? undefined : facts.model,
    seq: typeof record?.seq === 'number' ? record.seq : undefined,
    tools: toolsOf(facts, made, answered),
    isError: facts.isFailure,
    durationMs: result ? result.tookMs : role === undefined ? facts.durationMs : undefined,
    decisions: decisionsIn(record),
    ...{ agentCall: call.index, run },
    isMessage: role !== undefined,
    role: role ?? undefined,
    isPartial: typeof record?.partial === 'string',
    hasImage: message !== undefined && hasImage(message.content),
    hasReasoning: message !== undefined && hasReasoning(message),
    hasCalls: made.length > 0,
    ...{ tokens: facts.tokens, cost },
  };
}

/** Who decided, by what records call them. */
const DECIDERS: ReadonlyMap<unknown, Decision> = new Map<unknown, Decision>([
  ['user', 'person'],
  ['policy', 'policy'],
  ['remembered', 'remembered'],
  ['rule', 'rule'],
  ['hook', 'hook'],
  ['cancel', 'stopped'],
]);

function decisionsIn({ type, decision, decidedBy }: UntypedMessage = {}): readonly Decision[] {
  if (type !== 'approval') return NONE;
  const by = DECIDERS.get(decidedBy);
  const known = decision === 'approved' || decision === 'denied' ? ([decision] as const) : NONE;
  return by === undefined ? known : [...known, by];
}

/** The tools that a record is about, see `FilterCriteria`; of an approval, the one that was asked about. */
function toolsOf(
  { role, type, toolName }: Facts,
  made: readonly MadeCall[],
  answered: string | undefined,
): readonly string[] {
  if (role === 'tool') return [...new Set([answered ?? '', toolName])].filter((name) => name !== '');
  if (role !== undefined) return made.length === 0 ? NONE : [...new Set(made.map(({ tool }) => tool))];
  return type === 'approval' && toolName !== '' ? [toolName] : NONE;
}

const NONE: readonly never[] = [];

const IMAGE_TYPES: ReadonlySet<unknown> = new Set(['image_url', 'image', 'input_image', 'output_image']);

function hasImage(content: unknown): boolean {
  return (
    Array.isArray(content) &&
    content.some((part: unknown) => IMAGE_TYPES.has((part as { type?: unknown } | null | undefined)?.type))
  );
}

function hasReasoning({ reasoning_content: text, reasoning_details: details }: UntypedMessage): boolean {
  return textOr(text) !== '' || (Array.isArray(details) && details.length > 0);
}

/** A sum of costs; undefined for that of no requests. */
function spent(cost: Cost | undefined): Cost | undefined {
  return cost && requestsOf(cost) > 0 ? cost : undefined;
}

function agentCallFacts(call: CallNode, totals: readonly Cost[]): SpanFacts {
  const { id, agent, depth, parent, position, lastPosition, start, end, durationMs } = call;
  const took = start === 0 || end < start ? undefined : end - start;
  return {
    ...{ id, agent, depth, parent: parent?.index, firstPosition: position, lastPosition },
    beganAt: start === 0 ? undefined : start,
    tokens: call.tokens.tokens,
    cost: spent(ownCostOf(call)),
    totalCost: spent(totals[call.index]),
    durationMs: durationMs ?? took,
  };
}

function runFacts(run: GrowingRun): SpanFacts {
  const { id, root, firstPosition, lastPosition, start, end, endedMs } = run;
  const used = [...run.used.values()];
  const cost = spent(costOfCalls(used));
  return {
    ...{ id, agent: root.agent, depth: root.depth, parent: undefined, firstPosition, lastPosition },
    ...{ beganAt: start, tokens: tokensOfCalls(used.map(({ tokens }) => tokens)), cost, totalCost: cost },
    durationMs: endedMs ?? (start === undefined || end === undefined ? undefined : end - start),
  };
}
