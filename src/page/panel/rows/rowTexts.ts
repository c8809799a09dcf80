import { t } from '../../../core/l10n.js';
import { injectedOf, withoutInjected } from '../../../core/injected.js';
import type { Transcript } from '../../../core/ports/transcript.js';
import { MESSAGE_CHARACTERS } from '../../protocol/protocol.js';
import type { Answer, Params } from '../../protocol/requests.js';
import type { RowField } from '../../protocol/row.js';
import { dispatchAnswer } from './dispatchAnswer.js';
import { fieldOf, injectedText, isHalf } from './rowFields.js';
import type { RowSources } from './rowSources.js';

/** The whole texts of rows, including spilled ones. */
export class RowTexts {
  readonly #transcript: Transcript;
  /** The spilled text read last, because texts are requested piece by piece. */
  #last: { readonly path: string; readonly field: RowField; readonly text: string } | undefined;

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
  }

  /** A whole text; rejects with an error for a person where its file is missing or has changed. */
  async whole(sources: RowSources, field: RowField, part?: number): Promise<string> {
    const { text, spill } = fieldOf(sources, field, part);
    if (!spill) return text;
    if (this.#last?.path === spill.path && this.#last.field === field) return this.#last.text;
    const spilled = await this.#transcript.readSpill(spill.path);
    if (spilled === undefined) {
      throw new Error(t`The file with the whole text is missing or was changed; only its beginning is left.`);
    }
    const whole = wholeOf(sources, field, spilled);
    this.#last = { path: spill.path, field, text: whole };
    return whole;
  }

  /** A piece that fits into one message, from a UTF-16 code unit on. */
  async piece(sources: RowSources, { field, part, from }: Params<'text'>): Promise<Answer<'text'>> {
    const text = await this.whole(sources, field, part);
    const end = Math.min(from + MESSAGE_CHARACTERS, text.length);
    const next = end < text.length && isHalf(text.charCodeAt(end - 1)) ? end - 1 : end;
    return { text: text.slice(from, next), total: text.length, ...(next < text.length && { next }) };
  }

  clear(): void {
    this.#last = undefined;
  }
}

/** What a field says of a text that is kept in a file of its own. */
function wholeOf({ record, dispatch }: RowSources, field: RowField, spilled: string): string {
  if (field === 'result' && dispatch) return dispatchAnswer(spilled).text;
  if (field === 'body') return withoutInjected(spilled, injectedOf(record));
  return field === 'injected' ? injectedText(record, spilled) : spilled;
}
