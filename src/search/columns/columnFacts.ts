import { costOf, NO_COST, type Cost } from '../../core/cost.js';
import type { NanoDollars } from '../../core/money.js';
import type {
  Listed,
  RecordFacts,
  SessionFacts,
  SessionInfo,
  SpanFacts,
  ToolCallFacts,
  UnitShapes,
} from '../../query/language/sessionFacts.js';
import { mayHaveGrams } from './gramFilter.js';
import { LineIndex } from '../../store/read/lineIndex.js';
import type { ColumnName, SessionColumns, SessionHead, SessionSpans } from './sessionColumns.js';
import { FLAG, recordFlags, type Shape, type ShapeTable } from './shapes.js';

/**
 * The facts of a session from its columns: the same that reading it gives, but that tool calls have no id. Records and
 * tool calls are made when they are asked for.
 */
export class ColumnFacts implements SessionFacts {
  readonly info: SessionFacts['info'];
  readonly records: Listed<RecordFacts>;
  readonly toolCalls: Listed<ToolCallFacts>;
  readonly shapes: UnitShapes;
  readonly #from: SessionColumns;
  readonly #shapes: readonly Shape[];
  #spans: SessionSpans | undefined;
  #firstLinks: Uint32Array | undefined;

  private constructor(from: SessionColumns, info: SessionInfo, shapes: readonly Shape[]) {
    const { head, blocks } = from;
    this.#from = from;
    this.#shapes = shapes;
    this.info = { ...info, title: info.title ?? head.title };
    this.records = listed(head.records, (at) => this.#record(at));
    this.toolCalls = listed(head.toolCalls, (at) => this.#toolCall(at));
    this.shapes = {
      of: shapeNumbers(from),
      examples: shapes.map(({ example }) => example),
      hasArguments: shapes.map(({ row: [flags] }) => (flags & FLAG.arguments) !== 0),
      beganAt: (index) => this.#time(index < head.records ? index : this.#beginOf(index - head.records)),
      span: head.span ?? undefined,
      mayHave: (grams, positions) => mayHaveGrams(blocks, grams, positions),
    };
  }

  /** Facts over columns; undefined where these refer to something that is not there. */
  static over(from: SessionColumns, info: SessionInfo, table: ShapeTable): ColumnFacts | undefined {
    const shapes = from.shapes.flatMap((text) => table.of(text) ?? []);
    return shapes.length === from.shapes.length && isSound(from)
      ? new ColumnFacts(from, info, shapes)
      : undefined;
  }

  get head(): SessionHead {
    return this.#from.head;
  }

  /** The same of a session in which an agent is at work now, or is not. */
  withLive(live: boolean): ColumnFacts {
    return new ColumnFacts(this.#from, { ...this.info, live }, this.#shapes);
  }

  /** The places of its lines, without the ids of their records. */
  lineIndex(): LineIndex {
    const { records } = this.#from.head;
    const [starts, lengths] = [new Float64Array(records), new Uint32Array(records)];
    for (let at = 0, end = 0; at < records; at++) {
      starts[at] = end + this.#cell('lineGap', at);
      lengths[at] = this.#cell('lineLength', at);
      end = (starts[at] ?? 0) + (lengths[at] ?? 0);
    }
    return LineIndex.of({
      starts,
      lengths,
      hashes: new Uint32Array(2 * records),
      fingerprints: new Uint32Array(records),
    });
  }

  get agentCalls(): readonly SpanFacts[] {
    return this.#allSpans().agentCalls;
  }

  get runs(): readonly SpanFacts[] {
    return this.#allSpans().runs;
  }

  get whole(): SpanFacts {
    return this.#allSpans().whole;
  }

  #allSpans(): SessionSpans {
    return (this.#spans ??= JSON.parse(this.#from.spans) as SessionSpans);
  }

  #cell(name: ColumnName, at: number): number {
    return this.#from.columns[name]?.[at] ?? 0;
  }

  #flags(shape: number): number {
    return this.#shapes[shape]?.row[0] ?? 0;
  }

  #time(at: number): number | undefined {
    const isKnown = (this.#flags(this.#cell('shape', at)) & FLAG.time) !== 0;
    return isKnown ? this.#from.head.base + this.#cell('time', at) : undefined;
  }

  #place(at: number): { runId: string | undefined; callId: string | undefined } {
    const [run, call] = this.#from.head.places[this.#cell('place', at)] ?? [];
    return { runId: run ?? undefined, callId: call ?? undefined };
  }

  #record(at: number): RecordFacts {
    const number = this.#cell('shape', at);
    const shape = this.#shapes[number];
    const flags = this.#flags(number);
    const time = this.#time(at);
    const [, agent, depth, model, tools = [], role, decisions = []] = shape?.row ?? [];
    return {
      ...{ kind: 'record', begin: at, end: at, beganAt: time, endedAt: time, ...this.#place(at) },
      ...{
        agent: agent ?? undefined,
        depth: depth ?? undefined,
        model: model ?? undefined,
        tools,
        decisions,
      },
      ...{ role: role ?? undefined, ...recordFlags(flags), isError: (flags & FLAG.error) !== 0 },
      ...{ agentCall: this.#cell('agentCall', at), run: this.#cell('run', at) },
      durationMs: (flags & FLAG.duration) === 0 ? undefined : this.#cell('duration', at),
      seq: (flags & FLAG.seq) === 0 ? undefined : this.#cell('seq', at) + at,
      tokens:
        (flags & FLAG.tokens) === 0
          ? undefined
          : {
              input: this.#cell('input', at),
              output: this.#cell('output', at),
              estimated: (flags & FLAG.estimated) !== 0,
            },
      cost: this.#cost(shape, at),
      toolCalls: this.#linksOf(at),
    };
  }

  #cost(shape: Shape | undefined, at: number): Cost | undefined {
    const provenance = shape?.row[8] ?? '';
    if (provenance === '') return undefined;
    if (provenance === 'unknown') return { ...NO_COST, unknown: 1 };
    return costOf({ provenance, amount: this.#cell('cost', at) as NanoDollars });
  }

  #linksOf(at: number): readonly number[] {
    const length = this.#cell('links', at);
    if (length === 0) return [];
    const first = this.#firstLink(at);
    return Array.from({ length }, (_, link) => this.#cell('linked', first + link));
  }

  #firstLink(at: number): number {
    if (!this.#firstLinks) {
      const { records } = this.#from.head;
      this.#firstLinks = new Uint32Array(records);
      for (let next = 0, sum = 0; next < records; next++) {
        this.#firstLinks[next] = sum;
        sum += this.#cell('links', next);
      }
    }
    return this.#firstLinks[at] ?? 0;
  }

  /** The position of the first record of a tool call. */
  #beginOf(call: number): number {
    const isAsked = (this.#flags(this.#cell('callShape', call)) & FLAG.asked) !== 0;
    return this.#cell(isAsked ? 'askedAt' : 'answeredAt', call);
  }

  #toolCall(call: number): ToolCallFacts {
    const number = this.#cell('callShape', call);
    const flags = this.#flags(number);
    const begin = this.#beginOf(call);
    const answeredAt = (flags & FLAG.answered) === 0 ? undefined : this.#cell('answeredAt', call);
    const [, agent, depth, model, tools = [], , decisions = []] = this.#shapes[number]?.row ?? [];
    const [tool = ''] = tools;
    return {
      ...{ kind: 'toolCall', id: '', tool, tools, decisions, begin, end: answeredAt ?? Infinity },
      ...{ agent: agent ?? undefined, depth: depth ?? undefined, model: model ?? undefined },
      ...{
        beganAt: this.#time(begin),
        endedAt: answeredAt === undefined ? undefined : this.#time(answeredAt),
      },
      ...this.#place(begin),
      ...{ agentCall: this.#cell('agentCall', begin), run: this.#cell('run', begin) },
      isError: (flags & FLAG.error) !== 0,
      durationMs: (flags & FLAG.duration) === 0 ? undefined : this.#cell('callDuration', call),
      askedAt: (flags & FLAG.asked) === 0 ? undefined : begin,
      ...{ order: this.#cell('order', call), answeredAt },
    };
  }
}

function listed<T>(length: number, make: (at: number) => T): Listed<T> {
  return { length, at: (at) => (at >= 0 && at < length ? make(at) : undefined) };
}

/** The numbers of the shapes of records, then of tool calls. */
function shapeNumbers({ head, columns }: SessionColumns): ArrayLike<number> {
  const { shape, callShape } = columns;
  if (head.toolCalls === 0 && shape) return shape;
  const all = new Uint16Array(head.records + head.toolCalls);
  if (shape) all.set(shape);
  if (callShape) all.set(callShape, head.records);
  return all;
}

/** Whether every number refers to something: a checksum only says that a file is as somebody wrote it. */
function isSound({ head, shapes, columns }: SessionColumns): boolean {
  const { records, toolCalls } = head;
  const isBelow = (cells: ArrayLike<number> | undefined, length: number, most: number) => {
    if (!cells) return length === 0 || most > 0;
    if (cells.length !== length) return false;
    for (let at = 0; at < length; at++) if (!((cells[at] ?? 0) < most)) return false;
    return true;
  };
  return (
    shapes.length < 2 ** 16 &&
    isBelow(columns.shape, records, shapes.length) &&
    isBelow(columns.callShape, toolCalls, shapes.length) &&
    isBelow(columns.askedAt, toolCalls, records) &&
    isBelow(columns.answeredAt, toolCalls, records) &&
    isBelow(columns.linked, columns.linked?.length ?? 0, Math.max(1, toolCalls))
  );
}
