import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { duration, figures, markdownTable } from '../harness/markdown.js';
import { runChild } from '../harness/runChild.js';
import { median } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';

const ROUNDS = 7;
const FILES = 10_000;
const SESSIONS = Number(process.env.BLAME_SESSIONS ?? 1_000);
/** How many files a session edits, how long they are, in lines, and of how many sessions one edits the file that is asked about. */
const EDITS = 20;
const LINES = 200;
const EVERY = 20;
const COMMITS = 50;
const LIMIT_MS = 200;

interface Answer {
  readonly ms: number;
  /** Of this process; what git takes is apart. */
  readonly processorMs: number;
  readonly lines: number;
  readonly proved: number;
  readonly edits: number;
  readonly versions: number;
  readonly reads: number;
}

const folder = temporaryFolder();
const repository = join(folder, 'repository');
const pathOf = (file: number) => join(repository, `src/${file % 100}/file${file}.ts`);
const textOf = (file: number) =>
  Array.from({ length: LINES }, (_, line) => `export const value${file}of${line} = ${line * 7919};\n`);
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'gc.auto=0', ...words], {
    cwd: repository,
    env: { ...process.env, GIT_COMMITTER_DATE: new Date(time).toISOString() },
  });

let time = Date.UTC(2026, 0, 1);
for (let file = 0; file < FILES; file++) {
  mkdirSync(dirname(pathOf(file)), { recursive: true });
  writeFileSync(pathOf(file), textOf(file).join(''));
}
git('init', '-q');
git('add', '-A');
git('commit', '-q', '-m', 'all');

// Each session replaces a line of each of its files; the last one of those that edit the asked file is what stands there.
const asked = textOf(0);
mkdirSync(join(folder, 'sessions'));
let commits = 0;
for (let session = 0; session < SESSIONS; session++) {
  const id = `${String(session).padStart(8, '0')}-0000-4000-8000-000000000000`;
  time += 60_000;
  const edited = Array.from({ length: EDITS }, (_, at) => 1 + ((session * 31 + at * 101) % (FILES - 1)));
  if (session % EVERY === 0) edited[0] = 0;
  const lines = [sessionLine(id, 'u', undefined, { role: 'user', content: `Change value ${session}` })];
  for (const [at, file] of edited.entries()) {
    const before = file === 0 ? asked : textOf(file);
    const line = (Math.floor(session / EVERY) * 13) % LINES;
    const old = before[line] ?? '';
    const now = `export const changed${session}of${line} = ${session};\n`;
    lines.push(...editLines(id, at, { path: pathOf(file), before: before.join(''), old, now, line }));
    if (file === 0) asked[line] = now;
  }
  writeFileSync(join(folder, 'sessions', `${id}.jsonl`), `${lines.join('\n')}\n`);
  if (session % Math.ceil(SESSIONS / COMMITS) !== 0) continue;
  writeFileSync(pathOf(0), asked.join(''));
  git('commit', '-q', '-a', '-m', `state ${++commits}`);
}
writeFileSync(pathOf(0), asked.join(''));

function sessionLine(sessionId: string, uuid: string, result: object | undefined, message: object): string {
  const type = (message as { role: string }).role;
  const about = { sessionId, cwd: repository, version: '2.1.0', timestamp: new Date(time).toISOString() };
  return JSON.stringify({
    ...about,
    type,
    uuid: `${sessionId}${uuid}`,
    ...(result && { toolUseResult: result }),
    message,
  });
}

function editLines(
  id: string,
  at: number,
  { path, before, old, now, line }: { path: string; before: string; old: string; now: string; line: number },
): string[] {
  const input = { file_path: path, old_string: old, new_string: now };
  const call = { type: 'tool_use', id: `toolu_${id}_${at}`, name: 'Edit', input };
  const lines = [`-${old.trimEnd()}`, `+${now.trimEnd()}`];
  const structuredPatch = [{ oldStart: line + 1, oldLines: 1, newStart: line + 1, newLines: 1, lines }];
  const result = { filePath: path, originalFile: before, structuredPatch };
  const answer = { type: 'tool_result', tool_use_id: call.id, content: 'done' };
  return [
    sessionLine(id, `c${at}`, undefined, { role: 'assistant', model: 'claude-sonnet-4-5', content: [call] }),
    sessionLine(id, `r${at}`, result, { role: 'user', content: [answer] }),
  ];
}

async function ask(way: 'git' | 'no git'): Promise<Answer> {
  const child = await runChild<Answer>('blame/childBlame', [folder, way], 300_000);
  if (!('answer' in child)) throw new Error(child.words);
  return child.answer;
}

const first = await ask('git');
const answers = { git: [] as Answer[], 'no git': [] as Answer[] };
for (let round = 0; round < ROUNDS; round++)
  for (const way of ['git', 'no git'] as const) answers[way].push(await ask(way));
const all = [first, ...answers.git];
const [last = first] = answers.git;
if (all.some(({ proved }) => proved !== first.proved) || last.reads > 0)
  throw new Error('What is kept answers otherwise, or was read again.');
const rowOf = (name: string, of: readonly Answer[], limit: string) => [
  name,
  duration(median(of.map(({ ms }) => ms))),
  duration(median(of.map(({ processorMs }) => processorMs))),
  limit,
];
const rows = [
  rowOf('nothing kept', [first], ''),
  rowOf('kept, with what git is asked', answers.git, ''),
  rowOf('kept, without git', answers['no git'], duration(LIMIT_MS)),
];
console.log(
  `## What is kept of blame\n\nA file of ${figures(LINES)} lines, ${figures(first.versions)} versions and ${figures(first.edits)} edits, in a repository of ${figures(FILES)} files with ${figures(SESSIONS)} sessions; ${figures(first.proved)} lines are proved:\n\n${markdownTable(['from the question to the answer, in a new process', 'time', 'processor, without git', 'limit'], rows)}\n`,
);
