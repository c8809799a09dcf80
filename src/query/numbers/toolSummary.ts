import type { ToolCallEntry, OrphanResult, ToolCallInfo } from './answers.js';
import { summaryText, toolText } from './analysisText.js';
import { factsOf, type ItemFacts } from './facts.js';
import { argumentsOf, rawArgumentsOf } from './toolCalls.js';
import { type UntypedMessage, originOf } from './transcriptItem.js';
import { TranscriptReader, type Reading, type ReadResult } from './transcriptReader.js';
import { isObject, textOf } from '../../core/message.js';
import { isFailed } from './failures.js';
import { compactJson } from './jsonText.js';

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
  const reader = new TranscriptReader();
  const builder = new SummaryBuilder();
  for (const item of items) {
    const facts = factsOf(item);
    builder.add(item, facts, reader.next(facts));
  }
  const groups: ToolCallInfo[] = [...builder.groups.values()];
  return Object.defineProperty(groups, 'toString', { value: () => summaryText(groups) });
}

class SummaryBuilder {
  readonly groups = new Map<string, ToolGroup>();
  /** Each tool call, by its number. */
  readonly #entries: Writable<ToolCallEntry>[] = [];

  add(item: unknown, { calls, message, place }: ItemFacts, { index, result }: Reading): void {
    for (const { id, name, input } of calls) {
      const entry = {
        id,
        arguments: argumentsOf(input),
        rawArguments: rawArgumentsOf(input),
        result: null,
        isError: false,
        durationMs: null,
        agent: place.agent ?? null,
        index,
        resultIndex: -1,
      };
      this.#group(name).addCall(entry);
      this.#entries.push(entry);
    }
    if (result && message) this.#addResult(item, message, index, result);
  }

  #addResult(
    item: unknown,
    message: UntypedMessage,
    index: number,
    { kind, id, tool, made }: ReadResult,
  ): void {
    const { text: result, isError, durationMs, agent } = toolResultOf(item, message);
    const entry = made && this.#entries[made.number];
    if (entry) {
      entry.result = result;
      entry.isError = isError;
      entry.durationMs = durationMs;
      entry.resultIndex = index;
      return;
    }
    const answer = { id, result, isError, durationMs, agent };
    if (kind === 'unseen') {
      const unseen = { arguments: null, rawArguments: null, index: -1, resultIndex: index };
      this.#group(tool).addCall({ ...answer, ...unseen });
    } else {
      this.#group(tool).orphans.push({ ...answer, index });
    }
  }

  #group(name: string): ToolGroup {
    const group = this.groups.get(name) ?? new ToolGroup(name);
    if (group.callCount === 0 && group.orphans.length === 0) this.groups.set(name, group);
    return group;
  }
}

/** A tool's answer, as far as its message and record tell. */
export interface ToolResult {
  /** The text of the result. */
  readonly text: string;
  /** Whether the tool has failed, see `isFailedRecord`. */
  readonly isError: boolean;
  /** How long the tool took; null where it is unknown. */
  readonly durationMs: number | null;
  readonly agent: string | null;
}

/** Reads the result from a tool message and the record around it. */
export function toolResultOf(item: unknown, message: UntypedMessage): ToolResult {
  const envelope = item !== message && isObject(item) ? item : undefined;
  return {
    text: isObject(message.content) ? compactJson(message.content) : textOf(message.content),
    isError: isFailed(item),
    durationMs: typeof envelope?.durationMs === 'number' ? envelope.durationMs : null,
    agent: originOf(item).agent ?? null,
  };
}
