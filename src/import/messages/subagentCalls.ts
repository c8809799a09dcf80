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
  readonly #claimed: Set<string>;

  /** `tools` matches the names of the tools that start subagents; `claimed` calls are only taken by id. */
  constructor(tools: RegExp, claimed: ReadonlySet<string> = new Set()) {
    this.#tools = tools;
    this.#claimed = new Set(claimed);
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

  /** From now on the call is only taken by its id: a result says which subagent it started. */
  claim(id: string): void {
    this.#claimed.add(id);
    const call = this.#byId.first(id, this.#waiting);
    if (call) this.#free.delete(call);
  }

  /** Whether the call that started a subagent is known: by its id or by the subagent's first prompt. */
  has(prompt: string | undefined, id?: string): boolean {
    return this.#known(prompt, id) !== undefined;
  }

  /** Takes the call that started a subagent: by id, else by the subagent's first prompt, else the only one left. */
  take(prompt: string | undefined, id?: string): SubagentCall | undefined {
    const [only] = this.#free.size === 1 ? this.#free : [];
    const found = this.#known(prompt, id) ?? only;
    if (found) {
      this.#waiting.delete(found);
      this.#free.delete(found);
    }
    return found;
  }

  #known(prompt: string | undefined, id: string | undefined): SubagentCall | undefined {
    const byId = id === undefined ? undefined : this.#byId.first(id, this.#waiting);
    return byId ?? (prompt === undefined ? undefined : this.#byPrompt.first(prompt.trim(), this.#free));
  }
}

/**
 * Files of subagents, each once it is known which call started it: that may stand in the file of another, which was to come later. At
 * last come those of which nobody tells. Whoever asks adds each before the next.
 */
export function* knownFirst<File>(
  files: readonly File[],
  isKnown: (file: File) => boolean,
): Generator<File, void, undefined> {
  for (let waiting = files; waiting.length > 0;) {
    const later: File[] = [];
    for (const file of waiting)
      if (isKnown(file)) yield file;
      else later.push(file);
    if (later.length === waiting.length) yield* later.splice(0);
    waiting = later;
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
