import { createHash } from 'node:crypto';
import { canonicalJson } from '../../../core/canonicalJson.js';
import { CycleDetector } from '../../../core/cycles.js';
import type { ToolCall } from '../../../core/message.js';

/**
 * Notices when a call makes the same tool call, or the same short cycle of tool calls, again and again.
 * The cost of a call does not depend on how many there were.
 */
export class RepetitionDetector {
  readonly #allowed: number;
  readonly #cycles = new CycleDetector();

  /** `allowed`: how often something may follow itself. */
  constructor(allowed: number) {
    this.#allowed = allowed;
  }

  /** Takes one more call in; the reason to stop in words, or undefined. */
  add(call: ToolCall): string | undefined {
    const period = this.#cycles.add(keyOf(call), this.#allowed + 2);
    return period === 0 ? undefined : this.#reason(call.function.name, period);
  }

  #reason(name: string, period: number): string {
    return period === 1
      ? `${name} was called ${this.#allowed + 2} times in a row with the same arguments.`
      : `The same ${period} tool calls, the last of them ${name}, were repeated ${this.#allowed + 2} times.`;
  }
}

/** Longer texts are remembered by their hash, which costs more than to keep a short one. */
const MAX_PLAIN_KEY = 512;

function keyOf({ function: { name, arguments: text } }: ToolCall): string {
  const key = `${name}\0${canonical(text)}`;
  return key.length <= MAX_PLAIN_KEY ? key : createHash('sha256').update(key).digest('base64');
}

/** Equal for arguments that mean the same; text that is no JSON, or too deep for it, stays as it is. */
function canonical(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    // Texts that cannot be compared by meaning are still compared by letter.
    return text;
  }
}
