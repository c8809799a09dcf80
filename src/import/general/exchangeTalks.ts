import { createHash } from 'node:crypto';
import { BoundedMap } from '../../core/boundedMap.js';
import { canonicalJson } from '../../core/canonicalJson.js';
import { isObject, textOf } from '../../core/message.js';
import { without, type Fields } from '../reading/fields.js';
import type { TraceSpan } from '../trace/traceSpan.js';
import { withoutBilling } from '../messages/billingHeader.js';

/** How many requests are remembered, to see which one another goes on with. */
const MAX_REMEMBERED = 100_000;

/** What of a request tells its conversation. */
type RequestSummary = Pick<TraceSpan, 'input' | 'output' | 'after' | 'names'>;

/**
 * Which conversation recorded requests belong to, asked in their order. A request that names what it goes on with is one
 * with that. Others with the same instructions and the same first words are one conversation. So is a request with other instructions that repeats everything that was said in
 * another, its answer included, and adds to it: a client that was started anew tells its model another date, and an agent
 * that takes over from another brings its own instructions.
 */
export class ExchangeTalks {
  readonly #byBeginning = new BoundedMap<string, string>(MAX_REMEMBERED);
  readonly #bySaid = new BoundedMap<string, string>(MAX_REMEMBERED);
  readonly #byName = new BoundedMap<string, string>(MAX_REMEMBERED);
  /** A fingerprint of all that the last request sent; undefined where it named what it goes on with. */
  #whole: string | undefined;

  /** A key that stands for the conversation of the next request. */
  keyOf({ input, output, after, names = [] }: RequestSummary): string {
    // What it sends is no beginning, and others may send it after something else.
    this.#whole = undefined;
    const key = after === undefined ? this.#keyOfSaid(input, output) : (this.#byName.get(after) ?? after);
    this.name(key, after === undefined ? names : [after, ...names]);
    return key;
  }

  /** What stands for all that the last request sent, to tell with it what that was answered later. */
  get said(): string | undefined {
    return this.#whole;
  }

  /** Notes what a request was answered, which belongs to the conversation of a key. */
  answered(key: string, said: string | undefined, output: readonly Fields[]): void {
    const whole = said === undefined ? undefined : saidSoFar(output, said).at(-1);
    if (whole !== undefined) this.#bySaid.set(whole, key);
  }

  /** Notes that what was said so far in the conversation of a key has these names. */
  name(key: string, names: readonly string[]): void {
    for (const name of names) this.#byName.set(name, key);
  }

  /** The same for a request that sends all that the last one sent, which was of the conversation of a key, and this. */
  goesOn(key: string, further: readonly Fields[]): void {
    this.#whole = saidSoFar(further, this.#whole).at(-1) ?? this.#whole;
    if (this.#whole !== undefined) this.#bySaid.set(this.#whole, key);
  }

  #keyOfSaid(input: readonly Fields[], output: readonly Fields[]): string {
    const beginning = canonicalJson(beginningOf(input));
    const chain = saidSoFar(input);
    const key = this.#byBeginning.get(beginning) ?? this.#goneOn(chain) ?? beginning;
    this.#byBeginning.set(beginning, key);
    const whole = chain.at(-1);
    this.#whole = whole;
    // What was said once is only a question, which many conversations begin with.
    if (chain.length > 1 && whole !== undefined) this.#bySaid.set(whole, key);
    this.answered(key, whole ?? '', output);
    return key;
  }

  #goneOn(chain: readonly string[]): string | undefined {
    for (const said of chain.slice(1).reverse()) {
      const known = this.#bySaid.get(said);
      if (known !== undefined) return known;
    }
    return undefined;
  }
}

/** The instructions and the first words of a request. */
function beginningOf(input: readonly Fields[]): unknown {
  const first = input.findIndex(({ role }) => role === 'user');
  return input.slice(0, first + 1).map(({ role, content }) => [role, whatIsSaid(role, content)]);
}

/** A fingerprint of all that was said, after each message but instructions; `before` is that of what came before. */
function saidSoFar(messages: readonly Fields[], before = ''): readonly string[] {
  let said = before;
  return messages.filter(isSpoken).map(({ role, content, tool_calls: calls }) => {
    const told = canonicalJson([role, whatIsSaid(role, content), calls ?? []]);
    said = createHash('sha256').update(said).update(told).digest('base64');
    return said;
  });
}

function isSpoken({ role }: Fields): boolean {
  return role !== 'system' && role !== 'developer';
}

/**
 * A content as it stays when it is sent again: a plain text where it is nothing else, and without the marks of what is to
 * be cached, which move on with each request.
 */
function whatIsSaid(role: unknown, content: unknown): unknown {
  if (typeof content === 'string') return role === 'system' ? withoutBilling(content) : content;
  if (!Array.isArray(content)) return content ?? '';
  const parts = (content as unknown[]).map((part) =>
    isObject(part) ? without(part, 'cache_control') : part,
  );
  const isPlain = parts.every(
    (part) => isObject(part) && part.type === 'text' && Object.keys(part).length === 2,
  );
  return isPlain ? whatIsSaid(role, textOf(parts)) : parts;
}
