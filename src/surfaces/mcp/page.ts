import { createHash } from 'node:crypto';
import { CHARACTERS_PER_TOKEN } from '../../core/usage.js';
import type { McpLibrary } from './library.js';
import type { NotRead } from './notRead.js';
import type { ToolArguments } from './readTool.js';
import { UserError } from '../../app/userError.js';

/** How much an answer takes where nothing else is said, in tokens. */
const USUAL_TOKENS = 20_000;

/** What is kept free for what stands around the results, such as the cursor and what they are, in UTF-16 code units of JSON. */
const AROUND = 500;

/** No answer is made smaller than of this size, see `fitted`. */
const SMALLEST = 1 / 4_096;

/** How much an answer may take, in UTF-16 code units of JSON. */
export function roomOf(args: ToolArguments): number {
  return (args.number('max_tokens') ?? USUAL_TOKENS) * CHARACTERS_PER_TOKEN;
}

/** Something with what nobody may see left out of it, as it leaves. */
type Clean = Pick<McpLibrary, 'clean'>;

/** How long something is as it leaves, in UTF-16 code units of JSON. */
export function lengthOf(library: Clean, value: object): number {
  return JSON.stringify(library.clean(value)).length;
}

/**
 * The first that fits of what `make` gives for a size of 1, of a half, of a quarter and so on: so large may its lists and its
 * texts be, as a part of what they may be where there is room. What it gives for hardly any size must always fit.
 */
export function fitted<T extends object>(library: Clean, room: number, make: (size: number) => T): T {
  for (let size = 1; ; size /= 2) {
    const made = make(size);
    if (size <= SMALLEST || lengthOf(library, made) <= room) return made;
  }
}

/** What fits on one page: so many results, of about so many tokens, and at least one, which is made smaller if it must be. */
export class Page {
  readonly all: object[] = [];
  readonly #library: Clean;
  readonly #limit: number;
  #room: number;

  /** `usual`: how many results there are where the call does not say. */
  constructor(library: Clean, args: ToolArguments, usual: number) {
    this.#library = library;
    this.#limit = args.number('limit') ?? usual;
    this.#room = roomOf(args) - AROUND;
  }

  /** Whether no further result fits, however short it is. */
  get isFull(): boolean {
    return this.all.length >= this.#limit || (this.all.length > 0 && this.#room <= 0);
  }

  /** Adds a result; false where it begins the next page. `make` gives it for a size, see `fitted`. */
  add(make: (size: number) => object): boolean {
    if (this.isFull) return false;
    const result = this.all.length === 0 ? fitted(this.#library, this.#room, make) : make(1);
    // With the comma behind it.
    const length = lengthOf(this.#library, result) + 1;
    if (this.all.length > 0 && length > this.#room) return false;
    this.#room -= length;
    this.all.push(result);
    return true;
  }

  /** What is told besides the results, in the room that is left; `make` gives it for a size, see `fitted`. */
  besides<T extends object>(make: (size: number) => T): T {
    return fitted(this.#library, this.#room, make);
  }

  /** What is told of what could not be read, in the room that is left. */
  told(notRead: NotRead): object {
    return notRead.told(this.#library, this.#room);
  }
}

/** What tells where the pages of one question end; whoever asks hands it back as it is, with the same question. */
export class Cursors {
  readonly #mark: string;

  /** `question`: all that the order and the number of the results depend on. */
  constructor(...question: readonly unknown[]) {
    this.#mark = createHash('sha256').update(JSON.stringify(question)).digest('hex').slice(0, 8);
  }

  /** The cursor of the page that begins at an offset. */
  at(offset: number): string {
    return Buffer.from(`${this.#mark}:${offset}`).toString('base64url');
  }

  /** Where the page behind a cursor begins; 0 without one. Throws a UserError for one that was not given for this question. */
  offset(cursor: string | undefined): number {
    if (cursor === undefined) return 0;
    const told = Buffer.from(cursor, 'base64url').toString('latin1');
    const [, mark, offset] = /^([0-9a-f]{8}):(\d{1,15})$/.exec(told) ?? [];
    if (mark === undefined || offset === undefined)
      throw new UserError('This is no cursor. Use the "next_cursor" of the page before, or leave it out.');
    if (mark !== this.#mark)
      throw new UserError(
        'This cursor is of another question. Repeat the arguments of the page before, or leave the cursor out.',
      );
    return Number(offset);
  }
}
