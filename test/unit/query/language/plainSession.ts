import type { Cost } from '../../../../src/core/cost.js';
import { factsOf, type Facts } from '../../../../src/query/numbers/facts.js';
import { callsOf } from '../../../../src/query/numbers/toolCalls.js';
import { ToolNames } from '../../../../src/query/numbers/toolNames.js';
import { messageIn } from '../../../../src/query/numbers/transcriptItem.js';
import { TranscriptReader, type Reading } from '../../../../src/query/numbers/transcriptReader.js';
import type { SessionInfo } from '../../../../src/query/language/sessionFacts.js';

/** A record or a tool call with everything that may be asked of it, ready at hand. */
export interface Unit {
  readonly kind: 'record' | 'toolCall';
  readonly begin: number;
  end: number;
  readonly beganAt: number | undefined;
  endedAt: number | undefined;
  readonly facts: Facts;
  readonly item: unknown;
  readonly isMessage: boolean;
  readonly agentCall: string;
  readonly run: number;
  readonly runId: string | undefined;
  readonly tools: readonly string[];
  /** The tool calls that a record concerns; a tool call is its own. */
  calls: Unit[];
  /** Of a tool call. */
  readonly input?: unknown;
  readonly tool?: string;
  readonly isAsked?: boolean;
  result?: unknown;
  durationMs?: number | undefined;
  reading: Reading;
  order?: number;
  /** Of a reply: the recorded request that it answers. */
  request?: Unit;
}

/** A row that holds records and tool calls. */
export interface Span {
  readonly units: Unit[];
  readonly tokens: { input: number; output: number } | undefined;
  readonly cost: Cost | undefined;
  readonly totalCost: Cost | undefined;
  readonly durationMs: number | undefined;
  readonly beganAt: number | undefined;
}

/** The numbers of a row. */
export type Measures = Omit<Span, 'units'>;

/** A session in plain arrays. */
export interface JudgedSession {
  readonly info: SessionInfo & { readonly title: string };
  readonly records: readonly Unit[];
  readonly toolCalls: readonly Unit[];
  readonly agentCalls: ReadonlyMap<string, Span & { readonly parent: string | undefined }>;
  readonly runs: readonly Span[];
  readonly whole: Span;
}

interface Spans {
  readonly agentCalls: readonly Measures[];
  readonly runs: Iterable<Measures>;
  readonly whole: Measures;
}

/**
 * Lays out a session in plain arrays. Which call and which tool call an item belongs to is what the one reader of
 * transcripts says; the numbers of larger rows are given, because tests of their own hold them against other views.
 */
export function layOut(
  items: readonly unknown[],
  info: SessionInfo & { title: string },
  spans: Spans,
): JudgedSession {
  const reader = new TranscriptReader();
  const names = new ToolNames();
  const records: Unit[] = [];
  const toolCalls: Unit[] = [];
  const byNumber = new Map<number, Unit>();
  const readings = items.map((item) => reader.next(factsOf(item)));
  const runs = runNumbers(readings);
  for (const [at, reading] of readings.entries()) {
    const { facts, made, result, concerns, call } = reading;
    const item = items[at];
    const time = facts.time === 0 ? undefined : facts.time;
    const base = {
      begin: at,
      end: at,
      beganAt: time,
      endedAt: time,
      facts,
      item,
      agentCall: call.id,
      run: runs[at]?.run ?? 0,
      runId: runs[at]?.runId,
      reading,
    };
    const answered = names.next(item);
    const tools =
      facts.role === 'tool'
        ? [answered ?? '', facts.toolName].filter((name) => name !== '')
        : facts.role !== undefined
          ? made.map(({ tool }) => tool)
          : facts.type === 'approval' && facts.toolName !== ''
            ? [facts.toolName]
            : [];
    const record: Unit = { ...base, kind: 'record', isMessage: facts.role !== undefined, tools, calls: [] };
    records.push(record);
    const begin = (tool: string, input: unknown, isAsked: boolean, order: number): Unit => {
      const unit: Unit = {
        ...base,
        kind: 'toolCall',
        isMessage: false,
        tools: [tool],
        calls: [],
        tool,
        input,
        isAsked,
        order,
        end: Infinity,
        endedAt: undefined,
      };
      unit.calls = [unit];
      toolCalls.push(unit);
      record.calls.push(unit);
      return unit;
    };
    const asked = callsOf(messageIn(item) ?? {});
    for (const [order, { name, input }] of asked.entries())
      byNumber.set(made[order]!.number, begin(name, input, true, order));
    const answer = (unit: Unit) => {
      unit.end = at;
      unit.endedAt = time;
      unit.result = item;
      unit.durationMs = result?.tookMs;
    };
    if (result?.kind === 'unseen') answer(begin(result.tool, undefined, false, 0));
    const known = byNumber.get((result?.of ?? concerns)?.number ?? -1);
    if (known) {
      record.calls.push(known);
      if (result?.made) answer(known);
    }
  }
  giveRequests(records);
  const units = [...records, ...toolCalls];
  const within = (holds: (unit: Unit) => boolean) => ({ units: units.filter(holds) });
  return {
    info,
    records,
    toolCalls,
    agentCalls: new Map(
      reader.calls.all.map((call, at) => [
        call.id,
        {
          ...spans.agentCalls[at]!,
          ...within(({ agentCall }) => agentCall === call.id),
          parent: call.parent?.id,
        },
      ]),
    ),
    runs: [...spans.runs].map((span, at) => ({ ...span, ...within(({ run }) => run === at) })),
    whole: { ...spans.whole, units },
  };
}

/** Gives each reply its request: the nearest one beside it in its call, on the same side of what a person says. */
function giveRequests(records: readonly Unit[]): void {
  const byCall = new Map<string, Unit[]>();
  for (const unit of records) byCall.set(unit.agentCall, [...(byCall.get(unit.agentCall) ?? []), unit]);
  for (const units of byCall.values()) {
    // Only where requests are what counts.
    if (!units.some(({ facts }) => facts.type === 'request' && facts.tokens)) continue;
    const isRequest = ({ facts }: Unit) => facts.type === 'request' && !facts.isFailure;
    let open: Unit | undefined;
    for (const unit of units) {
      const isReply = unit.facts.role === 'assistant';
      if (/^(user|human)$/.test(unit.facts.role ?? '') && open && !isRequest(open)) open = undefined;
      if (!isReply && !isRequest(unit)) continue;
      if (!open || isRequest(open) !== isReply) open = unit;
      else {
        const [reply, request] = isReply ? [unit, open] : [open, unit];
        reply.request = request;
        open = undefined;
      }
    }
  }
}

/** Which run each item belongs to: that of its recorded entry call, else the one that began last. */
function runNumbers(readings: readonly Reading[]): Pick<Unit, 'run' | 'runId'>[] {
  const isEntry = ({ facts }: Reading) => (facts.place.depth ?? 0) === 0;
  const isStart = (each: Reading) => each.facts.type === 'callStart' && isEntry(each);
  const isPrompt = (each: Reading) =>
    isEntry(each) && (each.facts.role === 'user' || each.facts.role === 'human');
  const start = readings.findIndex(isStart);
  const untold = readings.slice(0, start < 0 ? readings.length : start);
  const first = untold.find(({ facts }) => facts.type !== 'title');
  const prompts = new Set(untold.filter(isPrompt).slice(1));
  const recorded = new Map<number, number>();
  let runs = 0;
  let firstId: string | undefined;
  return readings.map((reading, at) => {
    const { run: id } = reading.facts.place;
    if (isStart(reading)) recorded.set(reading.call.run, runs);
    if ((isStart(reading) || reading === first || prompts.has(reading)) && ++runs === 1) firstId = id;
    const run = recorded.get(reading.call.run) ?? Math.max(0, runs - 1);
    // Runs of an imported session are told apart by their numbers.
    const isNumbered = (start < 0 || at < start) && run > 0 && id === firstId;
    return { run, runId: isNumbered ? `${id ?? 'r1'}.${run + 1}` : id };
  });
}
