import { createHash } from 'node:crypto';
import { canonicalJson } from '../../core/canonicalJson.js';
import type { ToolCall } from '../../core/message.js';

/** The longest cycle of calls that is looked for. */
const MAX_CYCLE = 6;

/**
 * Notices when a call makes the same tool call, or the same short cycle of tool calls, again and again.
 * The cost of a call does not depend on how many there were.
 */
export class RepetitionDetector {
  readonly #allowed: number;
  /** The last calls, newest last, at most `MAX_CYCLE` of them. */
  readonly #last: string[] = [];
  /** For each length of a cycle: how many calls in a row equal the one so many calls before. */
  readonly #equal = new Array<number>(MAX_CYCLE).fill(0);

  /** `allowed`: how often something may follow itself. */
  constructor(allowed: number) {
    this.#allowed = allowed;
  }

  /** Takes one more call in; the reason to stop in words, or undefined. */
  add(call: ToolCall): string | undefined {
    const key = keyOf(call);
    let reason: string | undefined;
    for (let period = 1; period <= MAX_CYCLE; period++) {
      const same = this.#last[this.#last.length - period] === key;
      const count = same ? (this.#equal[period - 1] ?? 0) + 1 : 0;
      this.#equal[period - 1] = count;
      if (count >= (this.#allowed + 1) * period) reason ??= this.#reason(call.function.name, period);
    }
    this.#last.push(key);
    if (this.#last.length > MAX_CYCLE) this.#last.shift();
    return reason;
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
