import { brotliDecompress, gunzip, inflate } from 'node:zlib';
import { promisify } from 'node:util';
import type { BodyBudget } from '../requestBody.js';

/** What a copy of a body is worth keeping. */
export interface CopiedBody {
  /** JSON, or the text as it is; undefined where nothing of it can be read. */
  readonly value: unknown;
  /** Why it is not whole; '' where it is. */
  readonly problem: string;
}

/** Collects a copy of a body that goes past, up to a number of bytes and within what all copies may hold together. */
export class BodyCopy {
  readonly #max: number;
  readonly #budget: BodyBudget;
  #chunks: Buffer[] = [];
  #held = 0;
  #bytes = 0;
  #isLeftOut = false;

  constructor(max: number, budget: BodyBudget) {
    this.#max = max;
    this.#budget = budget;
  }

  add(chunk: Buffer): void {
    this.#bytes += chunk.length;
    if (this.#isLeftOut) return;
    if (this.#bytes > this.#max || !this.#budget.tryTake(chunk.length)) {
      this.#isLeftOut = true;
      this.free();
      return;
    }
    this.#held += chunk.length;
    this.#chunks.push(chunk);
  }

  /** Gives up what is held. */
  free(): void {
    this.#budget.free(this.#held);
    this.#held = 0;
    this.#chunks = [];
  }

  /** Reads the copy, packed as `encoding` says. Never rejects. */
  async read(encoding: string | undefined): Promise<CopiedBody> {
    if (this.#isLeftOut)
      return { value: undefined, problem: `${this.#bytes} bytes are more than is kept at once.` };
    const bytes = Buffer.concat(this.#chunks);
    try {
      const text = (await this.#unpacked(bytes, encoding)).toString('utf8');
      return { value: parsed(text), problem: '' };
    } catch {
      return {
        value: undefined,
        problem: `${bytes.length} bytes that are no ${encoding ?? 'text'} were not kept.`,
      };
    }
  }

  async #unpacked(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
    const limits = { maxOutputLength: this.#max };
    switch (encoding?.trim().toLowerCase() ?? '') {
      case '':
      case 'identity':
        return bytes;
      case 'gzip':
      case 'x-gzip':
        return promisify(gunzip)(bytes, limits);
      case 'deflate':
        return promisify(inflate)(bytes, limits);
      case 'br':
        return promisify(brotliDecompress)(bytes, limits);
      default:
        throw new Error('unknown');
    }
  }
}

/** JSON where the text is that, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
