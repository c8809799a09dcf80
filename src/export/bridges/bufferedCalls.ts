/**
 * Holds the texts of calls, whose records stand in turn in a transcript, until each can be written as a whole: that of the entry
 * agent at once, those of the calls that were dispatched after it, in the order in which they began.
 */
export class BufferedCalls {
  #hasRoot = false;
  readonly #held = new Map<string, string[]>();

  /** The text that can be written now. */
  add(call: string, text: string): string {
    if (call === '') {
      this.#hasRoot = true;
      return text;
    }
    const held = this.#held.get(call);
    if (held) held.push(text);
    else this.#held.set(call, [text]);
    return '';
  }

  /** All that is held; `closed` gives what ends a call. */
  end(closed: (call: string) => string): string {
    const root = this.#hasRoot ? closed('') : '';
    return root + [...this.#held].map(([call, texts]) => texts.join('') + closed(call)).join('');
  }
}
