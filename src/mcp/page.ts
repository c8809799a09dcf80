import { CHARACTERS_PER_TOKEN } from '../core/usage.js';
import type { ToolArguments } from './readTool.js';

/** How much a page holds where nothing else is said, in tokens. */
const USUAL_TOKENS = 20_000;

/** What fits on one page: so many results, of about so many tokens, and at least one. */
export class Page {
  readonly all: object[] = [];
  readonly #limit: number;
  #room: number;

  /** `usual`: how many results there are where the call does not say. */
  constructor(args: ToolArguments, usual: number) {
    this.#limit = args.number('limit') ?? usual;
    this.#room = (args.number('max_tokens') ?? USUAL_TOKENS) * CHARACTERS_PER_TOKEN;
  }

  /** Whether no further result fits, however short it is. */
  get isFull(): boolean {
    return this.all.length >= this.#limit || (this.all.length > 0 && this.#room <= 0);
  }

  /** Adds a result; false where it begins the next page. */
  add(result: object): boolean {
    const length = JSON.stringify(result).length;
    if (this.isFull || (this.all.length > 0 && length > this.#room)) return false;
    this.#room -= length;
    this.all.push(result);
    return true;
  }
}
