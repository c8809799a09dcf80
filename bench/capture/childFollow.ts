import { join } from 'node:path';
import { parentIsDone } from '../harness/startChild.js';
import { openFiles } from './openFiles.js';

/** What following took while the parent wrote. */
export interface FollowFigures {
  /** Of one processor, of 1: all threads of the process together. */
  readonly share: number;
  /** How often what was written was seen. */
  readonly changes: number;
}

const [folder = '', ...paths] = process.argv.slice(2);
const { files } = openFiles(join(folder, 'opened'));
let changes = 0;
let [begun, before] = [performance.now(), process.cpuUsage()];
const begin = () => {
  changes = 0;
  [begun, before] = [performance.now(), process.cpuUsage()];
};
/** Of each file so many changes are seen before it counts: what is compiled first is compiled once in a session of hours. */
const WARM = 5;
let seen = 0;
for (const path of paths) {
  const { file } = await files.open(path, () => undefined);
  file.onDidChange(() => {
    changes++;
    if (++seen === WARM * paths.length) begin();
  });
}
global.gc?.();
console.log('{}');
await parentIsDone();
if (seen < WARM * paths.length) throw new Error('Too little was seen.');
const { user, system } = process.cpuUsage(before);
const figures: FollowFigures = {
  changes,
  share: (user + system) / 1_000 / (performance.now() - begun),
};
await files.close();
console.log(JSON.stringify(figures));
