import type { Fields } from './fields.js';

/** How an entry of CrewAI's log as a text begins. */
const START = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (?:task_name="|task=")/;

/** Whether a text is CrewAI's log of tasks. */
export function isCrewText(text: string): boolean {
  return START.test(text.trimStart()) && /, agent="[^"]*", status="/.test(text);
}

/** The entries of CrewAI's log as a text, with the keys that its log as JSON has; what is none is given as it is. */
export function crewEntries(text: string): readonly (Fields | string)[] {
  const pieces = text.split(/^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (?:task_name="|task="))/m);
  return pieces.flatMap((piece) => (piece.trim() === '' ? [] : [entryIn(piece.trim()) ?? piece.trim()]));
}

/** The fields in the order in which CrewAI writes them, with the one that each begins behind. */
const FIELDS = [
  ['task_name', ': task_name="'],
  ['task', 'task="'],
  ['agent', '", agent="'],
  ['status', '", status="'],
  ['output', '", output="'],
] as const;

/** An entry; its texts stand between quotes without escapes, so each ends where the next field begins. */
function entryIn(piece: string): Fields | undefined {
  const entry: Record<string, unknown> = { timestamp: piece.slice(0, 19) };
  let last: string | undefined;
  let from = 0;
  if (!piece.endsWith('"')) return undefined;
  for (const [name, mark] of FIELDS) {
    const at = piece.indexOf(mark, from);
    if (at < 0) continue;
    if (last !== undefined)
      entry[last] = piece.slice(from, at).replace(last === 'task_name' ? /", $/ : '', '');
    [last, from] = [name, at + mark.length];
  }
  if (last !== undefined) entry[last] = piece.slice(from, -1);
  return typeof entry.task === 'string' && entry.agent !== undefined && entry.status !== undefined
    ? entry
    : undefined;
}
