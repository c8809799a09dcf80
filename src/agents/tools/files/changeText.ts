/**
 * The full change of a write, for a person: a new text as it is, otherwise the lines removed (`-`) and added (`+`)
 * between the first and the last line that differ.
 */
export function changeText(before: string | undefined, after: string): string {
  if (before === undefined) return `new file\n${marked('+', linesOf(after))}`;
  const old = linesOf(before);
  const now = linesOf(after);
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head++;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++;
  const gone = old.slice(head, old.length - tail);
  const come = now.slice(head, now.length - tail);
  if (gone.length === 0 && come.length === 0) return 'no change';
  return [`line ${head + 1}`, marked('-', gone), marked('+', come)].filter((part) => part !== '').join('\n');
}

const linesOf = (text: string): string[] => text.split('\n');
const marked = (mark: string, lines: readonly string[]) => lines.map((line) => mark + line).join('\n');
