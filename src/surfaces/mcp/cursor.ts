import { createHash } from 'node:crypto';
import { UserError } from '../../app/userError.js';

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
