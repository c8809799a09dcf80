import type { Fields } from './fields.js';

/** How an entry of CrewAI's log as a text begins. */
const START = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (?:task_name="|task=")/;

const ENTRY =
  /^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d): (?:task_name="([^]*?)", )?task="([^]*?)", agent="([^]*?)", status="(\w+)"(?:, output="([^]*)")?\s*$/;

/** Whether a text is CrewAI's log of tasks. */
export function isCrewText(text: string): boolean {
  return START.test(text.trimStart()) && /, agent="[^"]*", status="/.test(text);
}

/** The entries of CrewAI's log as a text, with the keys that its log as JSON has; what is none is given as it is. */
export function crewEntries(text: string): readonly (Fields | string)[] {
  const pieces = text.split(/^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (?:task_name="|task="))/m);
  return pieces.flatMap((piece): (Fields | string)[] => {
    const found = ENTRY.exec(piece);
    if (!found) return piece.trim() === '' ? [] : [piece.trim()];
    const [, timestamp, task_name, task, agent, status, output] = found;
    return [
      {
        timestamp,
        ...(task_name !== undefined && { task_name }),
        task,
        agent,
        status,
        ...(output !== undefined && { output }),
      },
    ];
  });
}
