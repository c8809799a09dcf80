/** Sequences that set no colour or weight: they move the cursor, clear, name a window or a link. */
const OTHER_SEQUENCES =
  /\u001b\][^\u0007\u001b]{0,4000}(?:\u0007|\u001b\\)|\u001b\[[0-?]{0,40}[ -/]{0,4}[@-ln-~]|\u001b[PX^_][^\u001b]{0,4000}\u001b\\|\u001b[ -/]{0,4}[0-OQ-WYZ\\`-~]/g;

/**
 * A tool's output as a terminal would leave it standing: without sequences that only steer one, each line as it was last
 * written after a carriage return, and without what a backspace took back. Colours stay; a text without control characters
 * is the same.
 */
export function terminalText(text: string): string {
  if (!/[\u001b\b]|\r(?!\n)/.test(text)) return text;
  return text
    .replace(OTHER_SEQUENCES, '')
    .split('\n')
    .map((line) => lastWritten(withoutErased(line)))
    .join('\n');
}

function lastWritten(line: string): string {
  const end = line.endsWith('\r') ? '\r' : '';
  const parts = (end === '' ? line : line.slice(0, -1)).split('\r');
  if (parts.length === 1) return line;
  return (parts.findLast((part) => part !== '') ?? '') + end;
}

function withoutErased(line: string): string {
  if (!line.includes('\b')) return line;
  const kept: string[] = [];
  for (const character of line) {
    if (character === '\b') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
