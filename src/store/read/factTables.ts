import type { EventFacts, Facts, FactSite } from '../../query/numbers/facts.js';
import type { Kind } from '../format/scannedRecord.js';

/** A place as it is written in JSON: run, call, parent call, agent, depth. */
export type CallSiteList = readonly [
  ...[string | null, string | null, string | null, string | null, number | null],
];

/** What of an event occurs again and again. */
export type EventKind = Omit<EventFacts, 'childCall' | 'waitedMs' | 'words'>;

/** The name of a tool and those of the arguments of one of its calls. */
export type Shape = readonly [tool: string, names: readonly string[]];

/** Values that occur again and again, and the facts that do not fit into columns, by their positions. */
export interface GatheredTables {
  readonly places: readonly CallSiteList[];
  readonly kinds: readonly Kind[];
  readonly events: readonly EventKind[];
  readonly shapes: readonly Shape[];
  readonly others: readonly (readonly [number, Facts])[];
}

/** The same, and the time of the first record. */
export interface FactTables extends GatheredTables {
  readonly start: number;
}

/** Whether two places are the same. */
export function isSameCallSite(one: FactSite, other: FactSite): boolean {
  return (
    one === other ||
    (one.call === other.call &&
      one.run === other.run &&
      one.agent === other.agent &&
      one.parentCall === other.parentCall &&
      one.depth === other.depth)
  );
}

/** Whether two shapes are the same. */
export function isSameShape([tool, names]: Shape, [otherTool, otherNames]: Shape): boolean {
  return tool === otherTool && isSameList(names, otherNames);
}

function isSameList(one: readonly unknown[], other: readonly unknown[]): boolean {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}

/** Whether two events are the same in what occurs again and again. */
export function isSameEvent(one: EventKind, other: EventKind): boolean {
  return (
    one.outcome === other.outcome &&
    one.isApproved === other.isApproved &&
    one.decidedBy === other.decidedBy &&
    one.rule === other.rule &&
    one.isInvented === other.isInvented
  );
}

/** That of an event, always in the same order. */
export function listOfEvent({ outcome, isApproved, decidedBy, rule, isInvented }: EventKind): unknown[] {
  return [outcome, isApproved, decidedBy, rule, isInvented];
}

/** A place as it is written, and one that was written. */
export function listOf({ run, call, parentCall, agent, depth }: FactSite): CallSiteList {
  return [run ?? null, call ?? null, parentCall ?? null, agent ?? null, depth ?? null];
}

export function callSiteOf([run, call, parentCall, agent, depth]: CallSiteList): FactSite {
  return {
    run: run ?? undefined,
    call: call ?? undefined,
    parentCall: parentCall ?? undefined,
    agent: agent ?? undefined,
    depth: depth ?? undefined,
  };
}
