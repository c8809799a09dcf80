import {
  PROVENANCES,
  provenanceOf,
  UNKNOWN_WHYS,
  unknownCost,
  type CostProvenance,
  type UnknownWhy,
} from '../../../core/cost.js';
import type { NanoDollars } from '../../../core/money.js';
import type { Spent } from '../../../query/numbers/spentByRecord.js';
import type { Decision, SessionFacts, UnitFacts } from '../../../query/language/sessionFacts.js';

/** What many records or tool calls have in common, see `UnitShapes`; this is how it is written. What is not known is null. */
export type RecordKindRow = readonly [
  flags: number,
  agent: string | null,
  depth: number | null,
  model: string | null,
  tools: readonly string[],
  role: string | null,
  decisions: readonly Decision[],
  /** Of a record, with those of its tool calls. */
  allDecisions: readonly Decision[],
  /** How the cost of the request is known that it tells of, or why it is not; '' where it tells of none. */
  cost: HowKnown,
  /** The same of what it adds to a sum of costs; '' where it adds nothing. */
  spent: HowKnown,
];

type HowKnown = CostProvenance | UnknownWhy | '';

/** The bits of `flags`. */
export const FLAG = {
  toolCall: 1,
  error: 2,
  message: 4,
  partial: 8,
  image: 16,
  reasoning: 32,
  calls: 64,
  seq: 128,
  time: 256,
  duration: 512,
  arguments: 1_024,
  asked: 2_048,
  answered: 4_096,
  tokens: 8_192,
  estimated: 16_384,
  compaction: 32_768,
  several: 65_536,
  injected: 131_072,
} as const;

/** The shape of a record or a tool call of a session. */
export function recordKindOf(unit: UnitFacts, { toolCalls }: Pick<SessionFacts, 'toolCalls'>): RecordKindRow {
  const { agent, depth, model, tools, decisions } = unit;
  const of = unit.kind === 'record' ? unit.toolCalls.flatMap((index) => toolCalls.at(index) ?? []) : [unit];
  const all = new Set([...decisions, ...of.flatMap((call) => call.decisions)]);
  const hasArguments = of.some(({ askedAt }) => askedAt !== undefined);
  return [
    flagsOf(unit) | (hasArguments ? FLAG.arguments : 0),
    agent ?? null,
    depth ?? null,
    model ?? null,
    tools,
    unit.kind === 'record' ? (unit.role ?? null) : null,
    decisions,
    [...all].sort(),
    costKind(unit),
    unit.kind === 'record' ? (unit.spent?.cost.why ?? unit.spent?.cost.provenance ?? '') : '',
  ];
}

function costKind(unit: UnitFacts): HowKnown {
  const cost = unit.kind === 'record' ? unit.cost : undefined;
  if (!cost) return '';
  return UNKNOWN_WHYS.find((why) => cost.why?.[why] !== undefined) ?? provenanceOf(cost) ?? '';
}

function flagsOf(unit: UnitFacts): number {
  const common =
    bit(unit.isError, FLAG.error) |
    bit(unit.beganAt !== undefined, FLAG.time) |
    bit(unit.durationMs !== undefined, FLAG.duration);
  if (unit.kind === 'toolCall')
    return (
      common |
      FLAG.toolCall |
      bit(unit.askedAt !== undefined, FLAG.asked) |
      bit(unit.answeredAt !== undefined, FLAG.answered)
    );
  return (
    common |
    bit(unit.isMessage, FLAG.message) |
    bit(unit.isPartial, FLAG.partial) |
    bit(unit.isCompaction, FLAG.compaction) |
    bit(unit.isInjected, FLAG.injected) |
    bit(unit.isOfSeveral, FLAG.several) |
    bit(unit.hasImage, FLAG.image) |
    bit(unit.hasReasoning, FLAG.reasoning) |
    bit(unit.hasCalls, FLAG.calls) |
    bit(unit.seq !== undefined, FLAG.seq) |
    bit(unit.tokens !== undefined, FLAG.tokens) |
    bit(unit.tokens?.estimated === true, FLAG.estimated)
  );
}

function bit(isSet: boolean, flag: number): number {
  return isSet ? flag : 0;
}

/** A shape as it is worked with. */
export interface RecordKind {
  readonly row: RecordKindRow;
  /** Its number in its table. */
  readonly key: number;
  /** One of it, without what units of a shape differ in. */
  readonly example: UnitFacts;
}

/** The shapes of all sessions, each kept once. */
export class RecordKindTable {
  readonly #recordKinds = new Map<string, RecordKind>();

  /** The shape that a text of `recordKindText` says; undefined for another text. */
  of(text: string): RecordKind | undefined {
    const known = this.#recordKinds.get(text);
    if (known) return known;
    const row: unknown = JSON.parse(text);
    if (!isRecordKindRow(row)) return undefined;
    const made: RecordKind = { row, key: this.#recordKinds.size, example: exampleOf(row) };
    this.#recordKinds.set(text, made);
    return made;
  }
}

/** A shape as a text on one line. */
export function recordKindText(row: RecordKindRow): string {
  return JSON.stringify(row);
}

function exampleOf(row: RecordKindRow): UnitFacts {
  const [flags, agent, depth, model, tools, role, , decisions, , spent] = row;
  const common = {
    begin: 0,
    end: 0,
    beganAt: undefined,
    endedAt: undefined,
    runId: undefined,
    callId: undefined,
    durationMs: undefined,
    agentCall: 0,
    run: 0,
    agent: agent ?? undefined,
    depth: depth ?? undefined,
    model: model ?? undefined,
    tools,
    decisions,
    isError: (flags & FLAG.error) !== 0,
  };
  if ((flags & FLAG.toolCall) !== 0) {
    const at = (flag: number) => ((flags & flag) === 0 ? undefined : 0);
    const [tool = ''] = tools;
    const answeredAt = at(FLAG.answered);
    return { ...common, kind: 'toolCall', id: '', tool, order: 0, askedAt: at(FLAG.asked), answeredAt };
  }
  return {
    ...common,
    kind: 'record',
    role: role ?? undefined,
    seq: undefined,
    tokens: undefined,
    cost: undefined,
    ...recordFlags(flags),
    toolCalls: [],
    spent: spent === '' ? undefined : spentOf(spent, 0, 0),
  };
}

/** What a unit adds to a sum of costs, of these parts. */
export function spentOf(provenance: CostProvenance | UnknownWhy, amount: number, requests: number): Spent {
  if (provenance === 'unknown') return { cost: { provenance }, requests };
  if (isWhy(provenance)) return { cost: unknownCost(provenance), requests };
  return { cost: { provenance, amount: amount as NanoDollars }, requests };
}

function isWhy(known: string): known is UnknownWhy {
  return UNKNOWN_WHYS.some((why) => why === known);
}

/** What the flags of a shape say of records alone. */
export function recordFlags(flags: number) {
  return {
    isMessage: (flags & FLAG.message) !== 0,
    isPartial: (flags & FLAG.partial) !== 0,
    isCompaction: (flags & FLAG.compaction) !== 0,
    isInjected: (flags & FLAG.injected) !== 0,
    isOfSeveral: (flags & FLAG.several) !== 0,
    hasImage: (flags & FLAG.image) !== 0,
    hasReasoning: (flags & FLAG.reasoning) !== 0,
    hasCalls: (flags & FLAG.calls) !== 0,
  };
}

function isRecordKindRow(value: unknown): value is RecordKindRow {
  if (!Array.isArray(value) || value.length !== 10) return false;
  const [flags, agent, depth, model, tools, role, decisions, allDecisions, cost, spent] = value as unknown[];
  const isName = (name: unknown) => name === null || typeof name === 'string';
  const isList = (list: unknown) => Array.isArray(list) && list.every((each) => typeof each === 'string');
  return (
    Number.isInteger(flags) &&
    (depth === null || typeof depth === 'number') &&
    [agent, model, role].every(isName) &&
    [tools, decisions, allDecisions].every(isList) &&
    isHowKnown(cost) &&
    isHowKnown(spent)
  );
}

function isHowKnown(value: unknown): value is HowKnown {
  return (
    value === '' ||
    PROVENANCES.some((known) => known === value) ||
    (typeof value === 'string' && isWhy(value))
  );
}
