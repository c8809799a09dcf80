import { answeredIdOf, envelopeOf, messageIn, placeOf, type LooseMessage } from './transcriptItem.js';
import { summaryText, toolText } from './analysisText.js';
import { argumentsOf, callsOf, rawArgumentsOf, resultNameOf, type LooseCall } from './toolCalls.js';
import { scopeOf } from './toolNames.js';
import { ToolPairing } from './toolPairing.js';
import { toolResultOf } from './toolResult.js';

/** One call of a tool with its result. */
export interface ToolCallEntry {
  /** '' where there is none. */
  readonly id: string;
  /** `{}` where the model wrote no JSON object; null where only the result is known (see ToolCallInfo). */
  readonly arguments: Readonly<Record<string, unknown>> | null;
  /** Exactly what the model wrote; null where only the result is known. */
  readonly rawArguments: string | null;
  /** Null where the call was never answered. */
  readonly result: string | null;
  readonly isError: boolean;
  readonly durationMs: number | null;
  /** The agent that made the call. */
  readonly agent: string | null;
  /** The position of the message with the call; -1 where only the result is known. */
  readonly index: number;
  /** The position of the result; -1 where the call was never answered. */
  readonly resultIndex: number;
}

/** A result that answers no earlier call, or one that had already been answered. */
export interface OrphanResult {
  readonly id: string;
  readonly result: string;
  readonly isError: boolean;
  readonly durationMs: number | null;
  readonly agent: string | null;
  /** The position of the result. */
  readonly index: number;
}

/**
 * The calls and results of one tool. A result that carries a tool's name but no id cannot be distinguished from one whose
 * call was not recorded, and counts as a call of which only the result is known.
 */
export interface ToolCallInfo {
  /** '' for results whose tool is unknown. */
  readonly toolName: string;
  /** The number of calls; orphan results do not count. */
  readonly callCount: number;
  readonly calls: readonly ToolCallEntry[];
  readonly orphans: readonly OrphanResult[];
  /** The summary as lines of text. */
  toString(): string;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

class ToolGroup implements ToolCallInfo {
  readonly calls: Writable<ToolCallEntry>[] = [];
  readonly orphans: OrphanResult[] = [];
  callCount = 0;

  constructor(readonly toolName: string) {}

  addCall(entry: Writable<ToolCallEntry>): void {
    this.calls.push(entry);
    this.callCount++;
  }

  toString(): string {
    return toolText(this);
  }
}

/** The calls of a history by tool, in the order of each tool's first appearance. */
export function toolSummaryOf(items: Iterable<unknown>): ToolCallInfo[] {
  const builder = new SummaryBuilder();
  let index = 0;
  for (const item of items) {
    const message = messageIn(item);
    if (message) builder.add(item, message, index++);
  }
  const groups: ToolCallInfo[] = [...builder.groups.values()];
  return Object.defineProperty(groups, 'toString', { value: () => summaryText(groups) });
}

class SummaryBuilder {
  readonly groups = new Map<string, ToolGroup>();
  readonly #pairing = new ToolPairing<{ name: string; entry: Writable<ToolCallEntry> }>();

  add(item: unknown, message: LooseMessage, index: number): void {
    if (message.role === 'tool') {
      this.#addResult(item, message, index);
      return;
    }
    for (const call of callsOf(message)) this.#addCall(item, call, index);
  }

  #addCall(item: unknown, call: LooseCall, index: number): void {
    const entry = {
      id: call.id,
      arguments: argumentsOf(call.input),
      rawArguments: rawArgumentsOf(call.input),
      result: null,
      isError: false,
      durationMs: null,
      agent: placeOf(item).agent ?? null,
      index,
      resultIndex: -1,
    };
    this.#group(call.name).addCall(entry);
    this.#pairing.open(scopeOf(item), call.id, index, { name: call.name, entry });
  }

  #addResult(item: unknown, message: LooseMessage, index: number): void {
    const id = answeredIdOf(message);
    const { text: result, isError, durationMs, agent } = toolResultOf(item, message);
    const paired = this.#pairing.answer(scopeOf(item), id);
    if (paired && !paired.again) {
      const { entry } = paired.call;
      entry.result = result;
      entry.isError = isError;
      entry.durationMs = durationMs;
      entry.resultIndex = index;
      return;
    }
    const ownName = resultNameOf(message, envelopeOf(item));
    const group = this.#group(ownName === '' && paired ? paired.call.name : ownName);
    const told = { id, result, isError, durationMs, agent };
    if (id === '' && !paired && ownName !== '') {
      const unseen = { arguments: null, rawArguments: null, index: -1, resultIndex: index };
      group.addCall({ ...told, ...unseen });
    } else {
      group.orphans.push({ ...told, index });
    }
  }

  #group(name: string): ToolGroup {
    const group = this.groups.get(name) ?? new ToolGroup(name);
    if (group.callCount === 0 && group.orphans.length === 0) this.groups.set(name, group);
    return group;
  }
}
