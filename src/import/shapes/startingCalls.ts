import type { Draft } from '../conversationBuilder.js';
import { asText, fields, objects, parsed, text, type Fields } from '../reading/fields.js';

/** A tool call that may have started a subagent. */
export interface StartingCall {
  /** The draft of the message with the call. */
  readonly draft: Draft;
  readonly id: string;
  readonly prompt: string | undefined;
  readonly agent: string | undefined;
}

/** The tool calls that start subagents, each until its subagent is found. */
export class StartingCalls {
  readonly #tools: RegExp;
  readonly #waiting: StartingCall[] = [];

  /** `tools` matches the names of the tools that start subagents. */
  constructor(tools: RegExp) {
    this.#tools = tools;
  }

  /** Notes the calls in a message; `draft` was made of it. */
  note(draft: Draft, message: Fields): void {
    for (const call of objects(message.tool_calls)) {
      const { name, arguments: input } = fields(call.function);
      if (typeof name !== 'string' || !this.#tools.test(name)) continue;
      const { prompt, subagent_type, agent } = fields(parsed(input));
      const named = text(subagent_type) ?? text(agent);
      this.#waiting.push({ draft, id: asText(call.id), prompt: text(prompt)?.trim(), agent: named });
    }
  }

  /** Takes the call that started a subagent: by id, else by the subagent's first prompt, else the only one left. */
  take(prompt: string | undefined, id?: string): StartingCall | undefined {
    const waiting = this.#waiting;
    let index = waiting.findIndex((call) => id !== undefined && call.id === id);
    if (index < 0) index = waiting.findIndex((call) => prompt !== undefined && call.prompt === prompt.trim());
    if (index < 0 && waiting.length === 1) index = 0;
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  }
}
