import { isAllInjected, ownTextOf } from '../../core/injected.js';
import { textOf } from '../../core/message.js';
import type { ReadRecord } from '../../core/ports/transcript.js';
import type { Approval } from '../../query/numbers/approvals.js';
import { Approvals } from '../../query/numbers/approvals.js';
import type { CallNode } from '../../query/numbers/callTree.js';
import { readTotals } from '../../query/numbers/sessionTotals.js';
import { argumentsOf, callsOf, rawArgumentsOf, type MadeCall } from '../../query/numbers/toolCalls.js';
import { messageIn } from '../../query/numbers/transcriptItem.js';
import type { Reading } from '../../query/numbers/transcriptReader.js';
import { callEnd, endOf, runTotals, type ReadRunOptions, type RunEnd, type RunSource } from '../steps.js';

/** A call of a tool as a run made it. */
export interface CheckedCall {
  readonly tool: string;
  readonly agent: string;
  /** Its arguments; where they are no JSON object, as they were written. */
  readonly args: unknown;
  readonly end: string;
  /** Of the message that makes it: the same for calls that one message makes. */
  readonly position: number;
  /** Of the message that makes it, of its dispatching call's or its own agent's first one. */
  readonly made: MadeCall;
}

/** When something happened first and last, as positions of records. */
interface Extent {
  readonly first: number;
  readonly last: number;
}

/** An agent, and those that it asked, each once. */
export interface AgentNode {
  readonly agent: string;
  readonly asks: readonly AgentNode[];
}

/** A run as expectations look at it. */
export interface CheckedRun {
  readonly totals: ReturnType<typeof runTotals>;
  readonly end: RunEnd;
  /** The agent that was asked first, and what. */
  readonly agent: string;
  readonly prompt: string;
  /** How many places of its source cannot be read. */
  readonly damaged: number;
  readonly calls: readonly CheckedCall[];
  /** The last words of the agent that was asked first, and where they stand; undefined where it said none. */
  readonly answer: { readonly text: string; readonly position: number } | undefined;
  readonly approvals: readonly Approval[];
  readonly agents: readonly AgentNode[];
  /** When each agent began, and each tool was called. */
  readonly began: ReadonlyMap<string, Extent>;
  /** Of agents that ask agents, from 0, and where the deepest begins. */
  readonly depth: { readonly depth: number; readonly position: number };
  /** The call that one agent made most often with the same arguments, letter by letter; undefined without calls. */
  readonly repeated: { readonly tool: string; readonly times: number; readonly position: number } | undefined;
}

/** Deeper agents are listed with those of the last depth. */
const MAX_DEPTH = 20;

/** Reads a run as it is held to expectations; nothing of it is replaced or left out. Rejects as `readRun` does. */
export async function readCheckedRun(
  transcript: RunSource,
  { prices, signal, part = { from: 0, to: transcript.length } }: Omit<ReadRunOptions, 'rules'>,
): Promise<CheckedRun> {
  const { from, to } = part;
  const reader = new CheckedReader(from);
  const read = (start: number, end: number) => transcript.read(from + start, Math.min(to, from + end));
  const totals = await readTotals({ length: to - from, read }, prices, signal, (reading, _cost, record) =>
    reader.add(reading, record),
  );
  return { totals: runTotals(totals), damaged: transcript.damage?.() ?? 0, ...reader.finish() };
}

class CheckedReader {
  readonly #from: number;
  readonly #calls: Omit<CheckedCall, 'end'>[] = [];
  readonly #approvals = new Approvals();
  readonly #agents = new Set<CallNode>();
  readonly #began = new Map<string, { first: number; last: number }>();
  readonly #times = new Map<string, number>();
  #isOpen = false;
  #prompt: string | undefined;
  #answer: CheckedRun['answer'];
  #depth = { depth: 0, position: 0 };
  #repeated: CheckedRun['repeated'];

  constructor(from: number) {
    this.#from = from;
  }

  add(reading: Reading, record: ReadRecord): void {
    const { facts, call, made } = reading;
    this.#approvals.add(reading);
    const position = this.#from + reading.position;
    if (!this.#agents.has(call)) {
      this.#agents.add(call);
      this.#extend(call.agent, position);
      if (call.depth > this.#depth.depth) this.#depth = { depth: call.depth, position };
    }
    if (call.parent === undefined) {
      this.#isOpen ||= facts.type === 'callStart';
      if (facts.role === 'user' && !isAllInjected(record)) this.#prompt ??= ownTextOf(record);
    }
    if (facts.role !== 'assistant') return;
    const message = messageIn(record) ?? {};
    if (made.length === 0) {
      const text = textOf(message.content);
      if (call.parent === undefined && text.trim() !== '') this.#answer = { text, position };
      return;
    }
    for (const [at, { name: tool, input }] of callsOf(message).entries()) {
      const one = made[at];
      if (!one) continue;
      const args = argumentsOf(input);
      const raw = Object.keys(args).length > 0 ? args : rawArgumentsOf(input);
      this.#calls.push({
        tool,
        agent: facts.place.agent ?? call.agent,
        args: raw === '' || raw === '{}' ? {} : raw,
        position,
        made: one,
      });
      this.#extend(tool, position);
      const hash = facts.calls[at]?.hash ?? 0;
      // What is too long to be compared is like nothing.
      if (hash !== 0 || this.#repeated === undefined)
        this.#count(hash === 0 ? `${one.number}` : `${call.index} ${hash} ${tool}`, tool, position);
    }
  }

  #extend(name: string, position: number): void {
    const known = this.#began.get(name);
    if (known) known.last = position;
    else this.#began.set(name, { first: position, last: position });
  }

  #count(key: string, tool: string, position: number): void {
    const times = (this.#times.get(key) ?? 0) + 1;
    this.#times.set(key, times);
    if (times > (this.#repeated?.times ?? 0)) this.#repeated = { tool, times, position };
  }

  finish(): Omit<CheckedRun, 'totals' | 'damaged'> {
    const entries = [...this.#agents].filter(({ parent }) => parent === undefined);
    return {
      end: endOf(entries, this.#isOpen),
      agent: entries[0]?.agent ?? '',
      prompt: this.#prompt ?? '',
      calls: this.#calls.map((call) => ({ ...call, end: callEnd(call.made) })),
      answer: this.#answer,
      approvals: this.#approvals
        .slice(0, this.#approvals.length)
        .map((each) => ({ ...each, position: this.#from + each.position })),
      agents: nodesOf(entries, 0),
      began: this.#began,
      depth: this.#depth,
      repeated: this.#repeated,
    };
  }
}

/** Calls of agents as a tree of agents, those of one name together and in the order of their names. */
function nodesOf(calls: readonly CallNode[], depth: number): readonly AgentNode[] {
  const byName = new Map<string, CallNode[]>();
  for (const { agent, children } of calls) {
    const known = byName.get(agent) ?? [];
    byName.set(agent, known);
    if (depth < MAX_DEPTH) for (const child of children) known.push(child);
  }
  return [...byName]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([agent, children]) => ({ agent, asks: nodesOf(children, depth + 1) }));
}
