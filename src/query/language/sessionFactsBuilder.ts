import { someTime } from '../numbers/requestPairing.js';
import { GatheredRuns } from './gatheredRuns.js';
import { GatheredRecords, GatheredToolCalls, type KnownFacts } from './gatheredUnits.js';
import { costOf, requestsOf, type Cost } from '../../core/cost.js';
import { injectedOf } from '../../core/injected.js';
import { NO_PRICES, type Prices } from '../../core/ports/prices.js';
import { emptySummary, addToSummary, type SummaryData } from '../numbers/summary.js';
import { factsOf, type Facts } from '../numbers/facts.js';
import { addRequest } from '../numbers/callCosts.js';
import { tokensOfCalls } from '../numbers/callTokens.js';
import { Quotas } from '../numbers/quotas.js';
import { SpentByRecord } from '../numbers/spentByRecord.js';
import { costOfCalls, ownCostOf, wholeCosts } from '../numbers/treeCosts.js';
import type { MadeCall } from '../numbers/toolCalls.js';
import type { CallNode } from '../numbers/callTree.js';
import { ToolNames } from '../numbers/toolNames.js';
import { TranscriptReader, type Reading } from '../numbers/transcriptReader.js';
import { isOutput } from '../numbers/messageSize.js';
import { envelopeOf, messageIn, UNKNOWN_ROLE, type UntypedMessage } from '../numbers/transcriptItem.js';
import { Turns } from '../numbers/turns.js';
import { textOr } from '../numbers/values.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { Decision, GatheredFacts, RecordFacts, SessionInfo, SpanFacts } from './sessionFacts.js';

/** Gathers the facts of a session item by item; every item must be given, in order. Items are not kept. */
export class SessionFactsBuilder {
  readonly #reader = new TranscriptReader();
  readonly #names = new ToolNames();
  readonly #turns = new Turns();
  readonly #quotas = new Quotas();
  readonly #summary = emptySummary();
  readonly #records = new GatheredRecords();
  readonly #toolCalls = new GatheredToolCalls(this.#records);
  readonly #runs = new GatheredRuns();
  readonly #spent = new SpentByRecord();
  readonly #indexOfMade = new Map<number, number>();
  readonly #prices: Prices;

  /** `prices`: what costs are known by besides those that the source recorded. */
  constructor(prices: Prices = NO_PRICES) {
    this.#prices = prices;
  }

  /** Gives what is known of it by itself. */
  add(item: unknown): { readonly facts: Facts; readonly known: KnownFacts } {
    const facts = factsOf(item);
    const reading = this.#reader.next(facts);
    const cost = addRequest(facts, reading.call, this.#prices);
    this.#spent.add(reading, cost);
    const record = envelopeOf(item);
    if (record) addToSummary(this.#summary, record as unknown as ReadRecord);
    this.#turns.add(reading);
    this.#quotas.add(record);
    const { run, id } = this.#runs.add(reading, cost);
    const known = recordFacts(item, reading, {
      answered: this.#names.next(item),
      cost: cost && costOf(cost),
      run,
      runId: id,
    });
    this.#records.push(known, this.#toolCallsOf(reading, known));
    return { facts, known };
  }

  /** The title that its records give, and whether a person gave it; see `SummaryData`. */
  get title(): Pick<SummaryData, 'title' | 'titled'> {
    return this.#summary;
  }

  /** What its records come to in a list. */
  get summary(): SummaryData {
    return this.#summary;
  }

  /** Whether its last run has no end yet. */
  get isOpen(): boolean {
    return this.#summary.outcome === 'open';
  }

  finish(info: SessionInfo): GatheredFacts {
    const all = this.#reader.calls.all;
    const { durationMs } = this.#turns;
    const { list: quotas } = this.#quotas;
    const [first] = all;
    const cost = spent(costOfCalls(all));
    const totals = wholeCosts(all);
    const { startedAt } = this.#summary;
    return {
      info: { ...info, title: info.title ?? this.#summary.title, ...(quotas.length > 0 && { quotas }) },
      records: this.#records.list(this.#spent.finish()),
      toolCalls: this.#toolCalls.list(),
      agentCalls: all.map((call) => agentCallFacts(call, totals)),
      runs: this.#runs.list(),
      whole: {
        id: info.session,
        agent: first?.agent ?? '',
        depth: 0,
        parent: undefined,
        firstPosition: 0,
        lastPosition: this.#records.length - 1,
        beganAt: startedAt === 0 ? undefined : startedAt,
        tokens: tokensOfCalls(all.map((call) => call.tokens)),
        cost,
        totalCost: cost,
        durationMs: durationMs === 0 ? undefined : durationMs,
      },
    };
  }

  /** The tool calls that an item concerns; those that it makes or that only it tells of are begun. */
  #toolCallsOf(reading: Reading, known: KnownFacts): number[] {
    const { facts, made, result, concerns, position } = reading;
    const concerned: number[] = [];
    for (const [order, { id, name }] of facts.calls.entries()) {
      const mine = made[order];
      if (mine) this.#indexOfMade.set(mine.number, this.#toolCalls.length);
      concerned.push(this.#toolCalls.push({ id, tool: name, order }, position, mine));
    }
    if (result?.kind === 'unseen') {
      const { id, tool, tookMs } = result;
      const index = this.#toolCalls.push({ id, tool, order: undefined }, position, undefined);
      concerned.push(index);
      this.#toolCalls.answer(index, position, tookMs);
      if (reading.change) this.#toolCalls.became(index, reading.change.after);
    }
    const about = result?.of ?? concerns;
    const index = about && this.#indexOfMade.get(about.number);
    if (index === undefined) return concerned;
    concerned.push(index);
    if (result?.made) this.#toolCalls.answer(index, position, result.tookMs);
    for (const decision of known.decisions) this.#toolCalls.decide(index, decision);
    return concerned;
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
  { facts, call, position, result, made, isCompaction }: Reading,
  {
    answered,
    cost,
    run,
    runId,
  }: Pick<RecordFacts, 'cost' | 'run' | 'runId'> & { readonly answered: string | undefined },
): KnownFacts {
  const { place, role } = facts;
  const record = envelopeOf(item);
  const message = messageIn(item);
  const time = facts.time === 0 ? undefined : facts.time;
  // One plain literal, because this is made for every record of every session that is read.
  return {
    kind: 'record',
    begin: position,
    end: position,
    beganAt: time,
    endedAt: time,
    agent: place.agent,
    depth: place.depth,
    runId,
    callId: place.call,
    model: modelOf(facts),
    seq: typeof record?.seq === 'number' ? record.seq : undefined,
    tools: toolsOf(facts, made, answered),
    isError: facts.isFailure,
    durationMs: result ? result.tookMs : role === undefined ? someTime(facts.durationMs) : undefined,
    decisions: decisionsIn(record),
    agentCall: call.index,
    run,
    isMessage: role !== undefined,
    role: role ?? undefined,
    isPartial: typeof record?.partial === 'string',
    isCompaction,
    isInjected: role !== undefined && injectedOf(record).length > 0,
    hasImage: message !== undefined && hasImage(message.content),
    hasReasoning: message !== undefined && hasReasoning(message),
    hasCalls: made.length > 0,
    tokens: facts.tokens,
    isOfSeveral: facts.usage?.requests !== undefined,
    cost,
  };
}

/** The model that wrote it, or that was asked; what goes into a model is of none. */
function modelOf({ role, model }: Facts): string | undefined {
  const isInput = role !== undefined && !isOutput(role ?? UNKNOWN_ROLE);
  return model === '' || isInput ? undefined : model;
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
  const took = start === 0 || end <= start ? undefined : end - start;
  return {
    id,
    agent,
    depth,
    parent: parent?.index,
    firstPosition: position,
    lastPosition,
    beganAt: start === 0 ? undefined : start,
    tokens: call.tokens.tokens,
    cost: spent(ownCostOf(call)),
    totalCost: spent(totals[call.index]),
    durationMs: durationMs ?? took,
  };
}
