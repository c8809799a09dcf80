import type { ChatMessage } from '../../../core/message.js';
import { CHARACTERS_PER_TOKEN, type Usage } from '../../../core/usage.js';
import type { ToolSpec } from '../../../core/ports/model.js';
import { weightOf } from '../history/compactHistory.js';

/**
 * About what the requests of one call cost whose provider does not tell, so that the limit of tokens holds there too.
 * A message is looked at once, however often it is sent.
 */
export class RoughTokens {
  #counted = 0;
  #characters = 0;

  /** What it cost to send these messages and to be answered with so many characters. */
  usage(messages: readonly ChatMessage[], said: number): Usage {
    if (messages.length < this.#counted) this.#counted = this.#characters = 0;
    for (; this.#counted < messages.length; this.#counted++) {
      const message = messages[this.#counted];
      if (message) this.#characters += weightOf(message);
    }
    return {
      inputTokens: Math.ceil(this.#characters / CHARACTERS_PER_TOKEN),
      outputTokens: Math.ceil(said / CHARACTERS_PER_TOKEN),
      estimated: true,
    };
  }
}

/** The sizes of schemas, which are the same in every call. */
const schemaSizes = new WeakMap<ToolSpec, number>();

/** About how many tokens the schema of a tool is in each request. */
export function roughSchemaTokens(spec: ToolSpec): number {
  const known = schemaSizes.get(spec);
  if (known !== undefined) return known;
  const tokens = Math.ceil(schemaLength(spec) / CHARACTERS_PER_TOKEN);
  schemaSizes.set(spec, tokens);
  return tokens;
}

function schemaLength({ name, description, parameters }: ToolSpec): number {
  try {
    return JSON.stringify({ name, description, parameters }).length;
  } catch {
    // A schema that is no JSON: the request with it fails, and says so.
    return 0;
  }
}
