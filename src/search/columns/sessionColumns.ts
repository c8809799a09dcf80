import type { GatheredFacts, SpanFacts } from '../../query/language/sessionFacts.js';
import type { LineIndex } from '../../store/read/lineIndex.js';
import { knownAmount } from '../../core/cost.js';
import { cellsOf, type Cells } from './cells.js';
import type { GramBlock } from './gramFilter.js';
import { shapeOf, shapeText } from './shapes.js';

/** The columns of a session: first those with a cell for each record, then those of tool calls, then others. */
export const COLUMNS = [
  ...(['shape', 'time', 'duration', 'agentCall', 'run', 'place', 'seq', 'input', 'output', 'cost'] as const),
  ...(['links', 'lineGap', 'lineLength'] as const),
  ...(['callShape', 'callDuration', 'askedAt', 'answeredAt', 'order'] as const),
  'linked',
] as const;
/** See `COLUMNS`. */
export type ColumnName = (typeof COLUMNS)[number];

/** What is known of a session as a whole; plain data. */
export interface SessionHead {
  readonly records: number;
  readonly toolCalls: number;
  readonly title: string;
  readonly source: string | null;
  readonly project: string | null;
  /** Whether its last run has no end yet. */
  readonly isOpen: boolean;
  readonly damaged: number;
  /** A mark of the prices that its costs are of. */
  readonly prices: string;
  /** What is taken off all times. */
  readonly base: number;
  readonly span: { readonly from: number; readonly to: number } | null;
  /** Its agents, in the order in which they were first heard of. */
  readonly agents: readonly string[];
  /** The ids of runs and calls of agents that its records name. */
  readonly places: readonly (readonly [run: string | null, call: string | null])[];
}

/** Its larger rows; read from their text when they are asked for. */
export interface SessionSpans {
  readonly agentCalls: readonly SpanFacts[];
  readonly runs: readonly SpanFacts[];
  readonly whole: SpanFacts;
}

/** All that is kept of a session so that it can be asked again without its journal. */
export interface SessionColumns {
  readonly head: SessionHead;
  /** The shapes as texts, by their numbers. */
  readonly shapes: readonly string[];
  readonly spans: string;
  /** Those that are left out are 0 everywhere. */
  readonly columns: Readonly<Partial<Record<ColumnName, Cells>>>;
  readonly blocks: readonly GramBlock[];
}

/** What is known of a session besides its facts. */
export type HeadGiven = Pick<SessionHead, 'source' | 'project' | 'isOpen' | 'damaged' | 'prices'>;

/** The columns of a session that was read. `index`: where its lines are. */
export function columnsOf(
  facts: GatheredFacts,
  index: LineIndex,
  given: HeadGiven & { readonly blocks: readonly GramBlock[] },
): SessionColumns {
  const { records, toolCalls, agentCalls, runs, whole, info } = facts;
  const { blocks, ...about } = given;
  const shapes = new Numbers<string>();
  const places = new Numbers<string>();
  const times = records.flatMap(({ beganAt }) => (beganAt === undefined ? [] : [beganAt]));
  const span = spanOf(times);
  const isExact = times.every((time) => Number.isSafeInteger(time));
  const base = isExact && span ? span.from : 0;
  const linked = records.flatMap((record) => record.toolCalls);
  const columns: Record<ColumnName, readonly number[]> = {
    shape: records.map((record) => shapes.of(shapeText(shapeOf(record, facts)))),
    time: records.map(({ beganAt }) => (beganAt === undefined ? 0 : beganAt - base)),
    duration: records.map(({ durationMs }) => durationMs ?? 0),
    agentCall: records.map(({ agentCall }) => agentCall),
    run: records.map(({ run }) => run),
    place: records.map(({ runId, callId }) => places.of(JSON.stringify([runId ?? null, callId ?? null]))),
    // The numbers of records mostly go up by one.
    seq: records.map(({ seq }, at) => (seq === undefined ? 0 : seq - at)),
    input: records.map(({ tokens }) => tokens?.input ?? 0),
    output: records.map(({ tokens }) => tokens?.output ?? 0),
    cost: records.map(({ cost }) => (cost ? knownAmount(cost) : 0)),
    links: records.map((record) => record.toolCalls.length),
    ...lineColumns(index, records.length),
    callShape: toolCalls.map((call) => shapes.of(shapeText(shapeOf(call, facts)))),
    callDuration: toolCalls.map(({ durationMs }) => durationMs ?? 0),
    askedAt: toolCalls.map(({ askedAt = 0 }) => askedAt),
    answeredAt: toolCalls.map(({ answeredAt = 0 }) => answeredAt),
    order: toolCalls.map(({ order }) => order),
    linked,
  };
  return {
    head: {
      ...{ records: records.length, toolCalls: toolCalls.length, title: info.title, ...about },
      ...{ base, span: span ?? null },
      agents: [...new Set(agentCalls.map(({ agent }) => agent))].filter((agent) => agent !== ''),
      places: places.all.map((text) => JSON.parse(text) as [string | null, string | null]),
    },
    shapes: shapes.all,
    spans: JSON.stringify({ agentCalls, runs, whole } satisfies SessionSpans),
    columns: Object.fromEntries(
      COLUMNS.flatMap((name) => {
        const cells = cellsOf(columns[name]);
        return cells ? [[name, cells]] : [];
      }),
    ),
    blocks,
  };
}

function spanOf(times: readonly number[]): { from: number; to: number } | undefined {
  const [first] = times;
  if (first === undefined) return undefined;
  let [from, to] = [first, first];
  for (const time of times) {
    if (time < from) from = time;
    if (time > to) to = time;
  }
  return { from, to };
}

/** Where the lines of records are: how far each begins behind the end of the one before, and how long it is. */
function lineColumns(index: LineIndex, length: number): Record<'lineGap' | 'lineLength', number[]> {
  const { starts, lengths } = index.columns();
  const lineGap: number[] = [];
  let end = 0;
  for (let at = 0; at < length; at++) {
    lineGap.push((starts[at] ?? 0) - end);
    end = (starts[at] ?? 0) + (lengths[at] ?? 0);
  }
  return { lineGap, lineLength: [...lengths.subarray(0, length)] };
}

/** Repeated values, each kept once and known by a number. */
class Numbers<T> {
  readonly all: T[] = [];
  readonly #numbers = new Map<T, number>();

  of(value: T): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    const number = this.all.push(value) - 1;
    this.#numbers.set(value, number);
    return number;
  }
}
