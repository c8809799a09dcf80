import { join } from 'node:path';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median, medianRatio } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import type { OpeningCost } from './child.js';
import { makeJournal, type MadeJournal } from './makeJournal.js';
import { readers } from './readers.js';
import { exporters } from './exporters.js';

type Costs = ReadonlyMap<string, readonly OpeningCost[]>;

/** All ways in turn, round by round, each time in a fresh process; the file lies in the cache of the system. */
async function sideBySide(
  kind: 'read' | 'export',
  names: readonly string[],
  journal: MadeJournal,
  rounds: number,
): Promise<Costs> {
  const costs = new Map<string, OpeningCost[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const result = await runChild<OpeningCost>(
        'opening/child',
        [kind, name, JSON.stringify(journal)],
        120_000,
      );
      if ('answer' in result) costs.get(name)!.push(result.answer);
      else console.error(`${name}: ${result.failure} ${result.words}`);
    }
  }
  return costs;
}

function row(name: string, costs: Costs, limit: string): string[] {
  const of = (key: keyof OpeningCost) => median(costs.get(name)!.map((cost) => cost[key]));
  const all = (way: string) => costs.get(way)!.map((cost) => cost.all);
  const ratio = figures(medianRatio(all(name), all(limit)));
  return [duration(of('all')), ratio, duration(of('stall')), `${figures(of('memory'))} MB`];
}

const hundred = await makeJournal(join(temporaryFolder(), 'small'), 97_000);
const names = Object.keys(readers);
const LIMIT = names.at(-1)!;
const opened = await sideBySide('read', names, hundred, 5);
const openedRows = names.map((name) => {
  const first = median(opened.get(name)!.map((cost) => cost.first));
  const work = median(opened.get(name)!.map((cost) => cost.work));
  const screen = name === LIMIT ? ['', ''] : [duration(first), duration(work)];
  return [name, ...screen, ...row(name, opened, LIMIT)];
});
const megabytes = figures(hundred.bytes / 1e6);
const head = ['everything reachable', 'against the limit', 'longest stall', 'peak memory'];
console.log(`## Opening (${megabytes} MB, 97,000 messages)\n`);
console.log(`${markdownTable(['way', 'first 50 shown', 'processor until then', ...head], openedRows)}\n`);

const EXPORT_LIMIT = Object.keys(exporters).at(-1)!;
const exported = await sideBySide('export', Object.keys(exporters), hundred, 3);
const exportedRows = Object.keys(exporters).map((name) => [
  name,
  duration(median(exported.get(name)!.map((cost) => cost.work))),
  ...row(name, exported, EXPORT_LIMIT),
]);
console.log(
  `${markdownTable([`export of ${megabytes} MB`, 'processor', 'written after', ...head.slice(1)], exportedRows)}\n`,
);

const large = await makeJournal(join(temporaryFolder(), 'large'), 970_000);
const [ours] = names;
const openedLarge = await sideBySide('read', [ours!, LIMIT], large, 3);
const largeRows = [ours!, LIMIT].map((name) => [name, ...row(name, openedLarge, LIMIT)]);
console.log(`${markdownTable([`opening ${figures(large.bytes / 1e6)} MB`, ...head], largeRows)}\n`);
