import { isObject } from '../core/message.js';

type Detail = Readonly<Record<string, string | number | boolean | null>>;

/**
 * The pieces of a model's thoughts that a router sends (`reasoning_details`), signed or encrypted, gathered as it wants
 * them back: pieces of one thought joined, everything in its order.
 */
export class ReasoningDetails {
  readonly #details: Detail[] = [];

  get all(): readonly Detail[] {
    return this.#details;
  }

  /** Takes what one chunk holds, and gives what of it can be read. */
  add(chunk: unknown): string {
    if (!Array.isArray(chunk)) return '';
    return (chunk as unknown[]).map((one) => (isObject(one) ? this.#addOne(flat(one)) : '')).join('');
  }

  #addOne(detail: Detail): string {
    const { text, summary } = detail;
    const last = this.#details.at(-1);
    const goesOn =
      last &&
      last.type === detail.type &&
      last.index === detail.index &&
      !('data' in detail || 'data' in last);
    if (goesOn) this.#details[this.#details.length - 1] = joined(last, detail);
    else this.#details.push(detail);
    return [text, summary].filter((one) => typeof one === 'string').join('');
  }
}

/** Only what is no list and no object: nothing else is in these pieces. */
function flat(piece: Readonly<Record<string, unknown>>): Detail {
  return Object.fromEntries(
    Object.entries(piece).filter(
      (entry): entry is [string, string | number | boolean | null] =>
        entry[1] === null || ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  );
}

function joined(before: Detail, after: Detail): Detail {
  const news = Object.entries(after).map(([key, value]) => {
    const old = before[key];
    const grows =
      (key === 'text' || key === 'summary') && typeof old === 'string' && typeof value === 'string';
    return [key, grows ? old + value : (value ?? old ?? null)] as const;
  });
  return { ...before, ...Object.fromEntries(news) };
}
