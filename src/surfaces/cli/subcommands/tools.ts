import { ToolUse, type ToolSummary } from '../../../query/numbers/toolUse.js';
import { formatDuration } from '../../../core/duration.js';
import type { Call } from '../call.js';
import { readAll } from '../readAll.js';
import { writeTable } from '../table.js';

/** Tells how often each tool was called in all sessions, how often it failed, and how long it took. */
export async function tools(call: Call): Promise<void> {
  const { out } = call;
  const use = new ToolUse();
  const all = readAll(call, () => (reading) => use.add(reading));
  while (!(await all.next()).done);
  const sorted = use.summary().toSorted((a, b) => b.calls - a.calls);
  if (out.isJson) {
    // A position means something within one session only.
    for (const tool of sorted) await out.tell('tool', { ...tool, firstFailure: undefined });
    return;
  }
  if (sorted.length === 0) {
    await out.note('No tool was called.');
    return;
  }
  await writeTable(
    out,
    [
      { head: 'TOOL', gives: true, style: 'cyan' },
      { head: 'CALLS', side: 'right' },
      { head: 'FAILED', side: 'right' },
      { head: 'DENIED', side: 'right' },
      { head: 'CANCELLED', side: 'right', isExtra: true },
      { head: 'TIMED OUT', side: 'right', isExtra: true },
      { head: 'OPEN', side: 'right', isExtra: true },
      { head: 'HALF WITHIN', side: 'right', isExtra: true },
      { head: '95 % WITHIN', side: 'right', isExtra: true },
      { head: 'TOGETHER', side: 'right', isExtra: true },
    ],
    sorted.map((tool) => rowOf(out, tool)),
  );
}

function rowOf(out: Call['out'], { tool, calls, states, p50, p95, total }: ToolSummary): string[] {
  const count = (value: number) => (value === 0 ? '' : value.toLocaleString('en'));
  const time = (ms: number | undefined) => (ms === undefined ? '' : formatDuration(ms));
  return [
    out.line(tool === '' ? '(no name)' : tool),
    count(calls),
    count(states.failed),
    count(states.denied),
    count(states.cancelled),
    count(states.timedOut),
    count(states.open),
    time(p50),
    time(p95),
    time(total),
  ];
}
