import { join } from 'node:path';
import { parentIsDone } from '../harness/startChild.js';
import { openFiles } from './openFiles.js';

/** Of each file that grows so many changes are seen before it counts: what is compiled first is compiled once in a session of hours. */
const WARM = 5;

/** What following took while the parent wrote. */
export interface FollowFigures {
  /** Of one processor, of 1: all threads of the process together. */
  readonly share: number;
}

/** Of how many of the files lines come. */
const [folder = '', grown = '', ...paths] = process.argv.slice(2);
const most = WARM * Number(grown);
const { files } = openFiles(join(folder, 'opened'));
let [begun, before] = [performance.now(), process.cpuUsage()];
const begin = () => {
  [begun, before] = [performance.now(), process.cpuUsage()];
};
let seen = 0;
for (const path of paths) {
  const { file } = await files.open(path, () => undefined);
  file.onDidChange(() => {
    if (++seen === most) begin();
  });
}
global.gc?.();
console.log('{}');
await parentIsDone();
if (seen < most) throw new Error('Too little was seen.');
const { user, system } = process.cpuUsage(before);
const figures: FollowFigures = {
  share: (user + system) / 1_000 / (performance.now() - begun),
};
await files.close();
console.log(JSON.stringify(figures));
