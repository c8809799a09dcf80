import { exportMessages } from '../../src/export/exportMessages.js';
import type { ReadRecord } from '../../src/core/ports/transcript.js';

/** How long tools took in a full export to CSV, by tool, each with its results. */
export function exportedDurations(records: readonly ReadRecord[]): Map<string, number[]> {
  const [header = '', ...rows] = exportMessages(records, 'csv', {
    full: true,
    redact: false,
    maxContentLength: 0,
  })
    .replaceAll('""', '')
    .split('\r\n')
    .map((line) => line.match(/(?:"[^"]*"|[^,"])*(?:,|$)/g)?.map((cell) => cell.replace(/,$/, '')) ?? []);
  const at = (name: string) => header.indexOf(name);
  const byTool = new Map<string, number[]>();
  for (const row of rows) {
    if (row[at('role')] !== 'tool') continue;
    const tool = row[at('tool_name')] ?? '';
    byTool.set(tool, [...(byTool.get(tool) ?? []), Number(row[at('duration_ms')])]);
  }
  return byTool;
}
