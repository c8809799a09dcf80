/** What sets colours and weight in a terminal, which is no text. */
const COLOURS = /\u001b\[[0-9;]{0,40}m/g;

/** A text without colours; what else steers a terminal stays, to be made visible. */
export function withoutColours(text: string): string {
  return text.replace(COLOURS, '');
}
