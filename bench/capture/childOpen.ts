import { statSync } from 'node:fs';
import { join } from 'node:path';
import { openFiles } from './openFiles.js';

/** What opening one file where it is cost. */
export interface OpenFigures {
  readonly bytes: number;
  /** Until its first rows can be read, in milliseconds. */
  readonly firstRows: number;
  /** Until all of it was read and stored. */
  readonly allRead: number;
}

const [path = '', folder = ''] = process.argv.slice(2);
const { files, store } = openFiles(join(folder, 'opened'));
const begun = performance.now();
const { report } = await files.open(path, () => undefined);
const allRead = performance.now() - begun;
const transcript = await store().openTranscript(report.conversations[0]?.conversation ?? '');
const rows = await transcript.read(0, 100);
if (rows.length !== 100) throw new Error('Its first rows are not there.');
const figures: OpenFigures = {
  ...{ bytes: statSync(path).size, allRead },
  // Nothing of a file is shown before all of it is stored.
  firstRows: performance.now() - begun,
};
await transcript.close();
await files.close();
console.log(JSON.stringify(figures));
