import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { sideBySide } from '../harness/sideBySide.js';
import { median, medianRatio } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { openStore } from '../harness/openStore.js';
import { makeTranscript } from '../import/makeTranscript.js';
import { makeStore } from '../search/makeStore.js';
import { LIST_PLAINLY, PARSE_PLAINLY } from './plainScripts.js';
import { runProgram } from './runProgram.js';

const ROUNDS = 9;
/** How large the transcript is; those of one agent that has worked for days are about so large. */
const MEGABYTES = Number(process.env.CLI_MEGABYTES ?? 1_000);
const SESSIONS = Number(process.env.CLI_SESSIONS ?? 10_000);
/** Small ones: a list reads none of them again. */
const SESSION_BYTES = 3_000;

const program = 'dist/cli.cjs';
const folder = temporaryFolder();
// Beside the other: a store is found from every folder below it.
const many = join(folder, 'with-many');

/** A row of two ways beside each other, each a program that is run in a process of its own. */
async function timed(name: string, ours: readonly string[], plain: string, limit: string): Promise<string[]> {
  const samples = await sideBySide(
    [
      { name: 'ours', run: () => runProgram([program, ...ours], many, 'time') },
      { name: 'plain', run: () => runProgram(['-e', plain], many, 'time') },
    ],
    ROUNDS,
  );
  const [own = [], bare = []] = ['ours', 'plain'].map((way) => samples.get(way));
  const times = `${figures(medianRatio(own, bare))} ×`;
  return [name, duration(median(own)), duration(median(bare)), times, limit];
}

const store = join(many, '.agent-logbook');
makeStore(store, SESSIONS, SESSION_BYTES);
const made = await openStore(store);
await made.catalog.refresh();
await made.close();
const rows = [
  await timed('start: `--version`', ['--version'], '', '80 ms'),
  await timed(`\`list\` of ${figures(SESSIONS)} sessions`, ['list'], LIST_PLAINLY, '500 ms'),
];
const head = ['from nothing to the end of the process', 'ours', 'bare Node', 'ours beside it', 'limit'];
console.log(`## The command line\n\n${markdownTable(head, rows)}\n`);

const file = join(folder, 'large.jsonl');
makeTranscript(file, 'session of Claude Code', MEGABYTES * 1e6);
const size = `${figures(statSync(file).size / 1e6)} MB`;
const target = join(folder, 'with-large');
mkdirSync(target);
const bare = await runProgram(['-e', PARSE_PLAINLY, file], target, 'memory');
const nothing = await runProgram(['-e', ''], target, 'memory');
const measured: string[][] = [];
for (const [name, words] of [
  ['`stats` of the file', ['stats', file]],
  ["`query --count 'is:error'` of the file", ['query', '--count', 'is:error', file]],
  ['`export` of the file as Markdown', ['export', '--format', 'markdown', file]],
  ['`export` of the file as JSON', ['export', '--format', 'json', file]],
  ['`import` of the file', ['import', file]],
  ['`stats` of the conversation', ['stats', 'latest']],
  ["`query --count 'is:error'` of the conversation", ['query', '--count', 'is:error', 'latest']],
  ['`show -n 5` of the conversation', ['show', '-n', '5', 'latest']],
] as const) {
  const { megabytes, milliseconds } = await runProgram([program, ...words], target, 'memory');
  const own = `${figures(megabytes)} MB`;
  const less = `${figures(megabytes - nothing.megabytes)} MB`;
  measured.push([name, own, less, `${figures(bare.megabytes)} MB`, duration(milliseconds), '200 MB']);
}
const heads = [
  'memory at most',
  'ours',
  'above a process that does nothing',
  '`JSON.parse` of each line',
  'time',
  'limit',
];
console.log(`A transcript of ${size}:\n\n${markdownTable(heads, measured)}\n`);
