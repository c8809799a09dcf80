import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';
import type { LoadCost } from './child.js';

const ROUNDS = 3;
const SECONDS = 10;
const LIMIT_MS = 10 * SECONDS * 1_000;

const kinds = { ours: 'Agent Logbook', bare: 'limit: the models alone' } as const;
const costs = new Map<string, LoadCost[]>();
for (let round = 0; round < ROUNDS; round++) {
  for (const kind of Object.keys(kinds)) {
    const result = await runChild<LoadCost>('load/child', [kind, String(SECONDS)], LIMIT_MS);
    if ('failure' in result) throw new Error(`${kind}: ${result.failure} ${result.words}`);
    costs.set(kind, [...(costs.get(kind) ?? []), result.answer]);
  }
}

const head = [
  '32 agents at once',
  'messages/s',
  'timers late, p50',
  'p99',
  'at most',
  'of a processor',
  'memory',
];
const rows = Object.entries(kinds).map(([kind, name]) => {
  const of = (key: keyof LoadCost) => median((costs.get(kind) ?? []).map((cost) => cost[key]));
  const times = [of('median'), of('p99'), of('longest')].map(duration);
  const share = `${figures(of('processor') * 100)} %`;
  return [name, figures(of('messages')), ...times, share, `${figures(of('memory'))} MB`];
});
console.log(`## Many agents\n\n${markdownTable(head, rows)}\n`);
