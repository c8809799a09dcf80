import { appendAll } from '../../../core/lists.js';
import { newId } from '../../../core/ids.js';
import { isObject, type ChatMessage, type ToolCall } from '../../../core/message.js';
import { isSendableId, sendable } from './sendable.js';

/** What a tool call is answered with when nobody knows what became of it. */
export const LOST_ANSWER =
  'There is no result: this call was interrupted or never run. Call the tool again if it is still needed.';

/** A history that every provider takes, and how many messages had to be changed, added or left out for it. */
export interface RepairedHistory {
  readonly messages: readonly ChatMessage[];
  readonly repairs: number;
}

/**
 * Makes a history valid in both directions: every tool call is answered exactly once, right after the message
 * that made it, and there is no answer without a call. Also mends what no provider takes: doubled ids, unreadable
 * arguments, empty lists. Whatever an imported file may hold is taken; nothing throws. `mayEndOpen`: calls at its end that are
 * not answered are about to be made.
 */
export function repairHistory(history: readonly ChatMessage[], mayEndOpen = false): RepairedHistory {
  const repair = new Repair();
  for (const message of history) repair.take(message);
  if (!mayEndOpen) repair.close();
  return { messages: repair.messages, repairs: repair.count };
}

/** Keeps a growing history valid at a cost that depends on what was added only. */
export class HistoryGuard {
  #valid = 0;

  /** Repairs what was added since the last time, in place; returns the number of repairs. */
  repair(messages: ChatMessage[]): number {
    if (messages.length === this.#valid) return 0;
    const tail = repairHistory(messages.slice(this.#valid));
    if (tail.repairs > 0) {
      messages.length = this.#valid;
      appendAll(messages, tail.messages);
    }
    this.#valid = messages.length;
    return tail.repairs;
  }

  /** Forgets what it knew, because the history was changed before its end. */
  reset(): void {
    this.#valid = 0;
  }
}

class Repair {
  readonly messages: ChatMessage[] = [];
  count = 0;
  /** For each id that the last answer's calls had in the input: the ids they have now, in order, unanswered. */
  readonly #open = new Map<string, string[]>();
  /** What was said between a call and its answer; it must wait until all are answered. */
  #deferred: ChatMessage[] = [];

  take(message: ChatMessage): void {
    if (!isMessage(message)) {
      this.count++;
      return;
    }
    if (message.role === 'tool') {
      this.#answer(message);
      return;
    }
    if (message.role === 'assistant') {
      this.close();
      this.#push(this.#withGoodCalls(message), message);
      return;
    }
    if (this.#open.size > 0) {
      this.#deferred.push(message);
      this.count++;
    } else this.#push(sendable(message), message);
  }

  /** Answers what is unanswered, then lets go on what had to wait. */
  close(): void {
    for (const ids of this.#open.values()) {
      for (const id of ids) {
        this.messages.push({ role: 'tool', tool_call_id: id, content: LOST_ANSWER });
        this.count++;
      }
    }
    this.#open.clear();
    const deferred = this.#deferred;
    this.#deferred = [];
    for (const message of deferred) this.#push(sendable(message), message);
  }

  #answer(message: ChatMessage): void {
    const asked = message.tool_call_id ?? '';
    const ids = this.#open.get(asked);
    const id = ids?.shift();
    if (ids === undefined || id === undefined) {
      this.count++;
      return;
    }
    if (ids.length === 0) this.#open.delete(asked);
    this.#push(sendable(id === asked ? message : { ...message, tool_call_id: id }), message);
    if (this.#open.size === 0) this.close();
  }

  #withGoodCalls(message: ChatMessage): ChatMessage {
    const calls: readonly unknown[] = Array.isArray(message.tool_calls) ? message.tool_calls : [];
    const good: ToolCall[] = [];
    const used = new Set<string>();
    for (const call of calls) {
      if (!isToolCall(call)) continue;
      const id = !isSendableId(call.id) || used.has(call.id) ? newId('tool') : call.id;
      used.add(id);
      this.#open.set(call.id, [...(this.#open.get(call.id) ?? []), id]);
      good.push(id === call.id ? call : { ...call, id });
    }
    if (good.length === calls.length && good.every((call, index) => call === calls[index])) {
      return sendable(message);
    }
    return sendable({ ...message, tool_calls: good });
  }

  #push(good: ChatMessage, given: ChatMessage): void {
    if (good !== given) this.count++;
    this.messages.push(good);
  }
}

/** Providers know these roles; a compiler may think that there are no others, a file does not. */
const roles: readonly unknown[] = ['system', 'developer', 'user', 'assistant', 'tool'];

function isMessage(value: unknown): value is ChatMessage {
  return isObject(value) && roles.includes(value.role);
}

function isToolCall(value: unknown): value is ToolCall {
  return (
    isObject(value) &&
    typeof value.id === 'string' &&
    isObject(value.function) &&
    typeof value.function.name === 'string' &&
    value.function.name !== '' &&
    typeof value.function.arguments === 'string'
  );
}
