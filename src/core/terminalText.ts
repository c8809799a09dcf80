/**
 * The sequences that programs write to steer a terminal (ECMA-48): colours and the cursor; titles, links and the clipboard,
 * up to their end; character sets; single controls. One that never ends is none.
 */
const SEQUENCES =
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]+[0-~]|\u001b[0-OQ-WYZ\\`-~]/g;

/** A text without the sequences that steer a terminal, which shows none of them either. */
export function withoutTerminalSequences(text: string): string {
  return /[\u001b\u009b]/.test(text) ? text.replace(SEQUENCES, '') : text;
}
