import { costOf, type Cost } from '../../core/cost.js';
import type { Decision, RecordFacts, ToolCallFacts } from '../../query/language/sessionFacts.js';
import type { Spent } from '../../query/numbers/spentByRecord.js';
import type { TokenCount } from '../../query/numbers/tokens.js';
import type { ColumnName, SessionColumns } from '../stored/columns/sessionColumns.js';
import { FLAG, spentOf, type RecordKind } from '../stored/columns/recordKinds.js';

const NO_LINKS: readonly number[] = [];

/** The columns of a session as its records and tool calls read them. */
export class UnitColumns {
  readonly from: SessionColumns;
  readonly recordKinds: readonly RecordKind[];
  #firstLinks: Uint32Array | undefined;

  constructor(from: SessionColumns, recordKinds: readonly RecordKind[]) {
    this.from = from;
    this.recordKinds = recordKinds;
  }

  cell(name: ColumnName, at: number): number {
    return this.from.columns[name]?.[at] ?? 0;
  }

  time(at: number): number | undefined {
    const isKnown = (flagsOf(this.recordKinds[this.cell('shape', at)]) & FLAG.time) !== 0;
    return isKnown ? this.from.head.base + this.cell('time', at) : undefined;
  }

  runId(at: number): string | undefined {
    return this.from.head.places[this.cell('place', at)]?.[0] ?? undefined;
  }

  callId(at: number): string | undefined {
    return this.from.head.places[this.cell('place', at)]?.[1] ?? undefined;
  }

  /** What a record adds to a sum of costs. */
  spent(at: number): Spent | undefined {
    const provenance = this.recordKinds[this.cell('shape', at)]?.row[9] ?? '';
    if (provenance === '') return undefined;
    return spentOf(provenance, this.cell('cost', at) + this.cell('spent', at), 1 + this.cell('requests', at));
  }

  /** The position of the first record of a tool call. */
  beginOf(call: number): number {
    const isAsked = (flagsOf(this.recordKinds[this.cell('callShape', call)]) & FLAG.asked) !== 0;
    return this.cell(isAsked ? 'askedAt' : 'answeredAt', call);
  }

  /** The tool calls of a record. */
  linksOf(at: number): readonly number[] {
    const length = this.cell('links', at);
    if (length === 0) return NO_LINKS;
    const first = this.#firstLink(at);
    return Array.from({ length }, (_, link) => this.cell('linked', first + link));
  }

  #firstLink(at: number): number {
    if (!this.#firstLinks) {
      const { records } = this.from.head;
      this.#firstLinks = new Uint32Array(records);
      for (let next = 0, sum = 0; next < records; next++) {
        this.#firstLinks[next] = sum;
        sum += this.cell('links', next);
      }
    }
    return this.#firstLinks[at] ?? 0;
  }
}

function flagsOf(recordKind: RecordKind | undefined): number {
  return recordKind?.row[0] ?? 0;
}

const NO_NAMES: readonly string[] = [];
const NO_DECISIONS: readonly Decision[] = [];

/** What a record and a tool call take from columns alike: each value when it is asked for, because most never are. */
abstract class ColumnUnit {
  protected readonly of: UnitColumns;
  protected readonly index: number;
  protected readonly recordKind: RecordKind | undefined;

  constructor(of: UnitColumns, index: number, recordKind: RecordKind | undefined) {
    this.of = of;
    this.index = index;
    this.recordKind = recordKind;
  }

  abstract readonly begin: number;

  protected has(flag: number): boolean {
    return (flagsOf(this.recordKind) & flag) !== 0;
  }

  get beganAt(): number | undefined {
    return this.of.time(this.begin);
  }

  get agent(): string | undefined {
    return this.recordKind?.row[1] ?? undefined;
  }

  get depth(): number | undefined {
    return this.recordKind?.row[2] ?? undefined;
  }

  get model(): string | undefined {
    return this.recordKind?.row[3] ?? undefined;
  }

  get tools(): readonly string[] {
    return this.recordKind?.row[4] ?? NO_NAMES;
  }

  get decisions(): readonly Decision[] {
    return this.recordKind?.row[6] ?? NO_DECISIONS;
  }

  get runId(): string | undefined {
    return this.of.runId(this.begin);
  }

  get callId(): string | undefined {
    return this.of.callId(this.begin);
  }

  get agentCall(): number {
    return this.of.cell('agentCall', this.begin);
  }

  get run(): number {
    return this.of.cell('run', this.begin);
  }

  get isError(): boolean {
    return this.has(FLAG.error);
  }
}

/** A record of a session from its columns. */
export class ColumnRecord extends ColumnUnit implements RecordFacts {
  readonly kind = 'record';

  constructor(of: UnitColumns, at: number) {
    super(of, at, of.recordKinds[of.cell('shape', at)]);
  }

  get begin(): number {
    return this.index;
  }

  get end(): number {
    return this.index;
  }

  get endedAt(): number | undefined {
    return this.beganAt;
  }

  get role(): string | undefined {
    return this.recordKind?.row[5] ?? undefined;
  }

  get isMessage(): boolean {
    return this.has(FLAG.message);
  }

  get isPartial(): boolean {
    return this.has(FLAG.partial);
  }

  get hasImage(): boolean {
    return this.has(FLAG.image);
  }

  get hasReasoning(): boolean {
    return this.has(FLAG.reasoning);
  }

  get hasCalls(): boolean {
    return this.has(FLAG.calls);
  }

  get isCompaction(): boolean {
    return this.has(FLAG.compaction);
  }

  get isInjected(): boolean {
    return this.has(FLAG.injected);
  }

  get isOfSeveral(): boolean {
    return this.has(FLAG.several);
  }

  get durationMs(): number | undefined {
    return this.has(FLAG.duration) ? this.of.cell('duration', this.index) : undefined;
  }

  get seq(): number | undefined {
    return this.has(FLAG.seq) ? this.of.cell('seq', this.index) + this.index : undefined;
  }

  get tokens(): TokenCount | undefined {
    if (!this.has(FLAG.tokens)) return undefined;
    const [input, output] = [this.of.cell('input', this.index), this.of.cell('output', this.index)];
    return { input, output, estimated: this.has(FLAG.estimated) };
  }

  get cost(): Cost | undefined {
    const known = this.recordKind?.row[8] ?? '';
    return known === '' ? undefined : costOf(spentOf(known, this.of.cell('cost', this.index), 1).cost);
  }

  get spent(): Spent | undefined {
    return this.of.spent(this.index);
  }

  get toolCalls(): readonly number[] {
    return this.of.linksOf(this.index);
  }
}

/** A tool call of a session from its columns, which do not know its id. */
export class ColumnToolCall extends ColumnUnit implements ToolCallFacts {
  readonly kind = 'toolCall';
  readonly id = '';

  constructor(of: UnitColumns, call: number) {
    super(of, call, of.recordKinds[of.cell('callShape', call)]);
  }

  get tool(): string {
    return this.tools[0] ?? '';
  }

  get begin(): number {
    return this.of.beginOf(this.index);
  }

  get answeredAt(): number | undefined {
    return this.has(FLAG.answered) ? this.of.cell('answeredAt', this.index) : undefined;
  }

  get end(): number {
    return this.answeredAt ?? Infinity;
  }

  get endedAt(): number | undefined {
    const { answeredAt } = this;
    return answeredAt === undefined ? undefined : this.of.time(answeredAt);
  }

  get durationMs(): number | undefined {
    return this.has(FLAG.duration) ? this.of.cell('callDuration', this.index) : undefined;
  }

  get askedAt(): number | undefined {
    return this.has(FLAG.asked) ? this.begin : undefined;
  }

  get order(): number {
    return this.of.cell('order', this.index);
  }
}
