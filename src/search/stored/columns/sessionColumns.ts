import type { QuotaReading } from '../../../query/numbers/quotas.js';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type {
  Gathered,
  GatheredFacts,
  RecordFacts,
  SpanFacts,
} from '../../../query/language/sessionFacts.js';
import type { IdentityColumns } from '../../../query/numbers/ownership.js';
import type { LineIndex } from '../../../store/read/lineIndex.js';
import { knownAmount } from '../../../core/cost.js';
import { cellsOf, type Cells } from '../../../query/numbers/cells.js';
import { PackedNumbers } from '../../../query/numbers/packedNumbers.js';
import type { GramBlock } from './gramFilter.js';
import { recordKindOf, recordKindText } from './recordKinds.js';

/** The columns of a session: first those with a cell for each record, then those of tool calls, then others. */
export const COLUMNS = [
  ...(['shape', 'time', 'duration', 'agentCall', 'run', 'place', 'seq', 'input', 'output', 'cost'] as const),
  ...(['spent', 'requests', 'links', 'lineGap', 'lineLength', 'rowIdentity', 'requestIdentity'] as const),
  ...(['callShape', 'callDuration', 'askedAt', 'answeredAt', 'order'] as const),
  'linked',
] as const;
/** See `COLUMNS`. */
export type ColumnName = (typeof COLUMNS)[number];

/** The most that its larger rows come to once they are inflated, in bytes. */
const MAX_SPANS_BYTES = 512_000_000;

/** What is known of a session as a whole; plain data. */
export interface SessionHead {
  readonly records: number;
  readonly toolCalls: number;
  readonly title: string;
  readonly source: string | null;
  readonly project: string | null;
  readonly toolSession: string | null;
  /** See `Quotas`; left out where its records tell of none. */
  readonly quotas?: readonly QuotaReading[];
  /** Whether its last run has no end yet. */
  readonly isOpen: boolean;
  readonly damaged: number;
  /**
   * The positions of the records on lines that are not plain, or have no content where they seem to, see `isPlainLine` and
   * `isContentOf`; null where these are too many.
   */
  readonly odd: readonly number[] | null;
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
  readonly recordKinds: readonly string[];
  /** Its larger rows as JSON, see `SessionSpans`: deflated, because they are rarely asked for. */
  readonly spans: Buffer;
  /** Those that are left out are 0 everywhere. */
  readonly columns: Readonly<Partial<Record<ColumnName, Cells>>>;
  readonly blocks: readonly GramBlock[];
}

/** What is known of a session besides its facts. */
export type HeadGiven = Pick<
  SessionHead,
  'source' | 'project' | 'toolSession' | 'isOpen' | 'damaged' | 'odd' | 'prices'
>;

/** The columns of a session that was read. `index`: where its lines are. */
export function columnsOf(
  facts: GatheredFacts,
  index: LineIndex,
  given: HeadGiven & {
    readonly blocks: readonly GramBlock[];
    /** By what its records are known again, where others may tell them too. */
    readonly identities?: IdentityColumns | undefined;
  },
): SessionColumns {
  const { records, toolCalls, agentCalls, runs, whole, info } = facts;
  const { blocks, identities, ...about } = given;
  const { span, base } = timesOf(records);
  const { cells, recordKinds, places } = gathered(facts, base);
  const told = identities && {
    rowIdentity: cellsOf(identities.rows),
    requestIdentity: cellsOf(identities.requests),
  };
  const columns = { ...cells, ...lineColumns(index, records.length), ...told };
  return {
    head: {
      records: records.length,
      toolCalls: toolCalls.length,
      title: info.title,
      ...(info.quotas && { quotas: info.quotas }),
      ...about,
      base,
      span: span ?? null,
      agents: [...new Set(agentCalls.map(({ agent }) => agent))].filter((agent) => agent !== ''),
      places: places.all.map((text) => JSON.parse(text) as [string | null, string | null]),
    },
    recordKinds: recordKinds.all,
    spans: deflateRawSync(JSON.stringify({ agentCalls, runs: [...runs], whole } satisfies SessionSpans)),
    columns: Object.fromEntries(
      COLUMNS.flatMap((name) => {
        const column = columns[name];
        return column ? [[name, column]] : [];
      }),
    ),
    blocks,
  };
}

/** The columns of what is gathered once: each record and each tool call is made but once for all of them. */
function gathered(facts: GatheredFacts, base: number) {
  const { records, toolCalls } = facts;
  const recordKinds = new Numbers<string>();
  const places = new Numbers<string>();
  const columns: Partial<Record<ColumnName, PackedNumbers>> = {};
  const push = (name: ColumnName, number: number) => (columns[name] ??= new PackedNumbers()).push(number);
  for (const record of records) {
    const { beganAt, durationMs, agentCall, run, runId, callId, seq, tokens, cost, spent } = record;
    const amount = cost ? knownAmount(cost) : 0;
    push('shape', recordKinds.of(recordKindText(recordKindOf(record, facts))));
    push('time', beganAt === undefined ? 0 : beganAt - base);
    push('duration', durationMs ?? 0);
    push('agentCall', agentCall);
    push('run', run);
    push('place', places.of(JSON.stringify([runId ?? null, callId ?? null])));
    // The numbers of records mostly go up by one.
    push('seq', seq === undefined ? 0 : seq - record.begin);
    push('input', tokens?.input ?? 0);
    push('output', tokens?.output ?? 0);
    push('cost', amount);
    // Mostly the same as the cost, and of one request.
    push('spent', (spent?.cost.amount ?? 0) - (spent ? amount : 0));
    push('requests', spent ? spent.requests - 1 : 0);
    push('links', record.toolCalls.length);
    for (const call of record.toolCalls) push('linked', call);
  }
  for (const call of toolCalls) {
    push('callShape', recordKinds.of(recordKindText(recordKindOf(call, facts))));
    push('callDuration', call.durationMs ?? 0);
    push('askedAt', call.askedAt ?? 0);
    push('answeredAt', call.answeredAt ?? 0);
    push('order', call.order);
  }
  const cells: Partial<Record<ColumnName, Cells | undefined>> = {};
  for (const name of COLUMNS) cells[name] = cellsFrom(columns[name]);
  return { cells, recordKinds, places };
}

/** One column after the other: as numbers of eight bytes, all of a long session would take more than it itself does. */
function cellsFrom(packed: PackedNumbers | undefined): Cells | undefined {
  const numbers = new Float64Array(packed?.length ?? 0);
  for (let at = 0; packed && at < numbers.length; at++) numbers[at] = packed.at(at);
  return cellsOf(numbers);
}

/** When the records of a session were made, and what is taken off all times. */
function timesOf(records: Gathered<RecordFacts>): {
  readonly span: { readonly from: number; readonly to: number } | undefined;
  readonly base: number;
} {
  let isExact = true;
  let span: { from: number; to: number } | undefined;
  for (const { beganAt: time } of records) {
    if (time === undefined) continue;
    span ??= { from: time, to: time };
    if (time < span.from) span.from = time;
    if (time > span.to) span.to = time;
    isExact &&= Number.isSafeInteger(time);
  }
  return { span, base: isExact && span ? span.from : 0 };
}

/** Where the lines of records are: how far each begins behind the end of the one before, and how long it is. */
function lineColumns(index: LineIndex, length: number): Record<'lineGap' | 'lineLength', Cells | undefined> {
  const { starts, lengths } = index.columns();
  const lineGap = new Float64Array(length);
  let end = 0;
  for (let at = 0; at < length; at++) {
    lineGap[at] = (starts[at] ?? 0) - end;
    end = (starts[at] ?? 0) + (lengths[at] ?? 0);
  }
  return { lineGap: cellsOf(lineGap), lineLength: cellsOf(lengths.subarray(0, length)) };
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

/** The larger rows of a session. Throws where they are no such rows, which a checksum leaves to a hostile hand. */
export function spansOf({ spans }: SessionColumns): SessionSpans {
  return JSON.parse(inflateRawSync(spans, { maxOutputLength: MAX_SPANS_BYTES }).toString()) as SessionSpans;
}

/** How much memory columns take once questions are put to them, in bytes. */
export function bytesOfColumns({ head, columns, blocks, spans, recordKinds }: SessionColumns): number {
  const cells = Object.values(columns).reduce((sum, { byteLength }) => sum + byteLength, 0);
  const bits = blocks.reduce((sum, block) => sum + block.bits.length, 0);
  const numbers = UNIT_BYTES * (head.records + head.toolCalls) + NUMBER_BYTES * (head.odd?.length ?? 0);
  const texts = head.places.length * PLACE_BYTES + 2 * (head.title.length + head.agents.join().length);
  return (
    cells + bits + spans.length + numbers + texts + recordKinds.length * RECORD_KIND_BYTES + OBJECTS_BYTES
  );
}

/** What is made of columns: the number of a shape for each record and call, and lists and objects. */
const UNIT_BYTES = 2;
const NUMBER_BYTES = 8;
const PLACE_BYTES = 150;
const RECORD_KIND_BYTES = 40;
const OBJECTS_BYTES = 6_000;
