import type { Draft } from '../building/conversationBuilder.js';
import { asText, fields, objects, parsed, text, type Fields } from '../reading/fields.js';

/** A tool call that may have started a subagent. */
export interface SubagentCall {
  /** The draft of the message with the call. */
  readonly draft: Draft;
  readonly id: string;
  readonly prompt: string | undefined;
  readonly agent: string | undefined;
}

/** The tool calls that start subagents, each until its subagent is found. */
export class SubagentCalls {
  readonly #tools: RegExp;
  readonly #waiting = new Set<SubagentCall>();
  /** Those of them that no subagent has a claim on. */
  readonly #free = new Set<SubagentCall>();
  readonly #byId = new CallsByText();
  readonly #byPrompt = new CallsByText();
  /** The ids of calls that a result says which subagent they started: no other subagent may take them. */
  readonly #claimed: ReadonlySet<string>;

  /** `tools` matches the names of the tools that start subagents; `claimed` calls are only taken by id. */
  constructor(tools: RegExp, claimed: ReadonlySet<string> = new Set()) {
    this.#tools = tools;
    this.#claimed = claimed;
  }

  /** Notes the calls in a message; `draft` was made of it. */
  note(draft: Draft, message: Fields): void {
    for (const call of objects(message.tool_calls)) {
      const { name, arguments: input } = fields(call.function);
      if (typeof name !== 'string' || !this.#tools.test(name)) continue;
      const { prompt, subagent_type, agent } = fields(parsed(input));
      const named = text(subagent_type) ?? text(agent);
      const starting = { draft, id: asText(call.id), prompt: text(prompt)?.trim(), agent: named };
      this.#waiting.add(starting);
      this.#byId.add(starting.id, starting);
      if (this.#claimed.has(starting.id)) continue;
      this.#free.add(starting);
      if (starting.prompt !== undefined) this.#byPrompt.add(starting.prompt, starting);
    }
  }

  /** Takes the call that started a subagent: by id, else by the subagent's first prompt, else the only one left. */
  take(prompt: string | undefined, id?: string): SubagentCall | undefined {
    const waiting = this.#waiting;
    const [only] = this.#free.size === 1 ? this.#free : [];
    const found =
      (id === undefined ? undefined : this.#byId.first(id, waiting)) ??
      (prompt === undefined ? undefined : this.#byPrompt.first(prompt.trim(), waiting)) ??
      only;
    if (found) {
      waiting.delete(found);
      this.#free.delete(found);
    }
    return found;
  }
}

/** Calls by a text that several may have; a file may hold very many of them. */
class CallsByText {
  readonly #lists = new Map<string, SubagentCall[]>();

  add(key: string, call: SubagentCall): void {
    const list = this.#lists.get(key);
    if (list) list.push(call);
    else this.#lists.set(key, [call]);
  }

  /** The first of those with a text that still waits; the others are forgotten. */
  first(key: string, waiting: ReadonlySet<SubagentCall>): SubagentCall | undefined {
    const list = this.#lists.get(key) ?? [];
    const gone = list.findIndex((call) => waiting.has(call));
    const taken = gone < 0 ? list.length : gone;
    if (taken > 0) list.splice(0, taken);
    return list[0];
  }
}
