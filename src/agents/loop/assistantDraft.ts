import { newId } from '../../core/ids.js';
import type { ChatMessage, ToolCall } from '../../core/message.js';
import type { ModelEvent } from '../../core/ports/model.js';
import { isSendableId } from './history/sendable.js';

interface CallDraft {
  id: string;
  name: string;
  arguments: string;
  extra?: unknown;
}

/** The weight of a tool call besides its texts, so that endless empty calls are not free. */
const CALL_WEIGHT = 64;

/** Collects what a model says until it is a message. */
export class AssistantDraft {
  text = '';
  /** The number of UTF-16 code units collected so far. */
  length = 0;
  #reasoning = '';
  #details: readonly unknown[] | undefined;
  readonly #calls = new Map<number, CallDraft>();

  /** Adds a piece; events without content are ignored. */
  add(event: ModelEvent): void {
    switch (event.type) {
      case 'text':
        this.text += event.text;
        this.length += event.text.length;
        return;
      case 'reasoning':
        this.#reasoning += event.text;
        this.length += event.text.length;
        return;
      case 'reasoningDetails':
        this.#details = event.details;
        return;
      case 'toolCall':
        this.#addToCall(event);
        return;
      default:
    }
  }

  get isEmpty(): boolean {
    return this.text === '' && this.#reasoning === '' && this.#calls.size === 0;
  }

  /**
   * The message so far. A tool call whose id is missing, too long or in `usedIds` gets a new one; its id is added to
   * `usedIds`. A call without a name stays one: there is no tool of that name, and the model is told so.
   */
  toMessage(usedIds: Set<string>): ChatMessage {
    const calls: ToolCall[] = [];
    for (const { id, name, arguments: text, extra } of this.#calls.values()) {
      const own = !isSendableId(id) || usedIds.has(id) ? newId('tool') : id;
      usedIds.add(own);
      const called = { name, arguments: text };
      calls.push({
        id: own,
        type: 'function',
        function: called,
        ...(extra !== undefined && { extra_content: extra }),
      });
    }
    return {
      role: 'assistant',
      content: this.text === '' && calls.length > 0 ? null : this.text,
      ...(this.#reasoning !== '' && { reasoning_content: this.#reasoning }),
      ...(this.#details && { reasoning_details: this.#details }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  #addToCall(event: ModelEvent & { type: 'toolCall' }): void {
    let call = this.#calls.get(event.index);
    if (!call) {
      call = { id: '', name: '', arguments: '' };
      this.#calls.set(event.index, call);
      this.length += CALL_WEIGHT;
    }
    if (event.id !== undefined) call.id = event.id;
    if (event.name !== undefined) call.name = event.name;
    if (event.extra !== undefined) call.extra = event.extra;
    call.arguments += event.arguments ?? '';
    this.length += event.arguments?.length ?? 0;
  }
}
