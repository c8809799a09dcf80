import { statSync } from 'node:fs';
import { importFile } from '../../src/import/importFile.js';

/** What reading one file cost. */
export interface ReadCost {
  readonly bytes: number;
  readonly records: number;
  readonly milliseconds: number;
  /** The largest memory that the process ever held, in bytes. */
  readonly peak: number;
}

const [path = ''] = process.argv.slice(2);
const begun = performance.now();
const { conversations } = await importFile(path, { alone: true });
const cost: ReadCost = {
  bytes: statSync(path).size,
  records: conversations.reduce((sum, { records }) => sum + records.length, 0),
  milliseconds: performance.now() - begun,
  peak: process.resourceUsage().maxRSS * 1024,
};
console.log(JSON.stringify(cost));
