import { isObject } from '../../core/message.js';

type Detail = Readonly<Record<string, string | number | boolean | null>>;

/**
 * Collects the pieces of reasoning that a router sends (`reasoning_details`), signed or encrypted, in the form in which
 * it expects them back: the pieces of one detail joined, everything in order.
 */
export class ReasoningDetails {
  readonly #details: Detail[] = [];

  get all(): readonly Detail[] {
    return this.#details;
  }

  /** Adds the details in a chunk; gives the readable text in them. */
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
