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
const { file, report } = await files.open(path, () => undefined);
const transcript = await store().openTranscript(report.conversations[0]?.conversation ?? '');
const rows = await transcript.read(0, 100);
if (rows.length !== 100) throw new Error('Its first rows are not there.');
const firstRows = performance.now() - begun;
await transcript.close();
await new Promise<void>((resolve) => {
  const look = () => {
    if (file.report?.done === 1) resolve();
  };
  file.onDidChange(look);
  look();
});
const allRead = performance.now() - begun;
if (file.report?.failure !== undefined) throw new Error(file.report.failure);
const figures: OpenFigures = { bytes: statSync(path).size, allRead, firstRows };
await files.close();
console.log(JSON.stringify(figures));
