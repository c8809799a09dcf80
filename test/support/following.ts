import { expect } from 'vitest';
import { agentLogbook } from './commandLine.js';

/** What happens while `follow` waits for the next time that it looks: a test puts it in the place of `delay`. */
export interface Waits {
  next: () => Promise<void>;
}

type Step = () => Promise<unknown>;

/** Follows a file while one thing after the other happens to it, then interrupts. */
export async function following(
  waits: Waits,
  args: readonly string[],
  cwd: string,
  steps: readonly Step[],
  onWrite: (text: string) => void = () => undefined,
) {
  const stop = new AbortController();
  const left = [...steps];
  waits.next = async () => {
    const step = left.shift();
    if (step) await step();
    else stop.abort(new Error('Interrupted.'));
  };
  const ran = await agentLogbook(['follow', ...args], { cwd, signal: stop.signal, onWrite });
  expect(ran.code).toBe(130);
  return ran;
}

/** The lines of what was written but for the heads of messages, in the order of their letters. */
export function bodyOf(out: string): readonly string[] {
  return out
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^#\d+ /.test(line) && line.trim() !== 'thinks:')
    .sort();
}

/** Records without what only their place among the others says. */
export function saidIn(json: readonly Record<string, unknown>[]): string[] {
  return json.map(({ record }) =>
    JSON.stringify(Object.entries(record as object).filter(([key]) => !PLACE.has(key))),
  );
}

const PLACE = new Set(['seq', 'id', 'conversation', 'run', 'call', 'parentCall', 'childCall']);

/** A line of a session of Claude Code. */
export const claude = (uuid: string, role: string, content: unknown, id?: string) =>
  `${JSON.stringify({ type: role, uuid, sessionId: 's1', timestamp: '2026-01-01T00:00:00Z', message: { role, ...(id && { id }), content } })}\n`;
