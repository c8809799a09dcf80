import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { BlamedFiles } from '../../src/app/sources/blamedFiles.js';
import { Sources } from '../../src/app/sources/sources.js';
import { silentLog } from '../../src/core/ports/log.js';

/** Asks once who wrote the lines of a file, as a program does that has just been started. */
const [folder = '', git = ''] = process.argv.slice(2);
const { signal } = new AbortController();
const sessions = join(folder, 'sessions');
const names = readdirSync(sessions).map((name) => join(sessions, name));
const sources = new Sources({
  cwd: folder,
  stdin: () => {
    throw new Error('Nothing is read from here.');
  },
  log: silentLog,
  mayBlock: true,
  signal,
  cache: { folder: join(folder, 'cache'), program: 'bench' },
  onProblem: ({ message }) => {
    throw new Error(message);
  },
});
const blamed = new BlamedFiles();
// What asks has loaded its parts.
await sources.keptOf(folder);
const [began, before] = [performance.now(), process.cpuUsage()];
const { lines, edits, versions } = await blamed.blame({
  file: join(folder, 'repository/src/0/file0.ts'),
  called: 'file0.ts',
  sessions: (isMeant) => sources.sessions(names, { isMeant }),
  asksGit: git === 'git',
  keeps: (root) => sources.keptOf(root),
  signal,
});
const [ms, { user, system }] = [performance.now() - began, process.cpuUsage(before)];
await sources.close();
const proved = lines.filter((edit) => edit !== undefined).length;
console.log(
  JSON.stringify({
    ms,
    processorMs: (user + system) / 1000,
    lines: lines.length,
    proved,
    edits,
    versions,
    reads: blamed.reads,
  }),
);
