/** Counts the tokens of a text. A counter that throws never breaks a result: the count is then unknown. */
export interface TokenCounter {
  /** The number of tokens of `text` for a model; whole and not negative. */
  count(text: string): number;
}
