import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedEdit } from '../../src/provenance/recordedEdits.js';
import { changeTold, replacedLines, type HistoryWay, type TrueLine } from './generatedHistory.js';
import { randomNumbers } from './randomNumbers.js';

/** What people and git do to files besides writing lines. */
export type RepositoryDeed =
  | 'write'
  | 'rename'
  | 'rebase'
  | 'merge'
  | 'squash'
  | 'revert'
  | 'move'
  | 'windows'
  | 'together';

/** A file with lines of which it is known who wrote them; `end` is what ends each. */
interface TrueFile {
  readonly lines: readonly TrueLine[];
  readonly end: string;
}

type Tree = ReadonlyMap<string, TrueFile>;

/** A repository that git really has, and what is left for whoever asks who wrote its lines. */
export interface GeneratedRepository {
  readonly root: string;
  readonly files: Tree;
  /** Of each session in their order. */
  readonly edits: readonly RecordedEdit[];
  /** How often each deed was done. */
  readonly done: ReadonlyMap<RepositoryDeed, number>;
}

const TELLS: HistoryWay['tells'] = ['before', 'patch', 'texts', 'write'];

/** A repository after so many steps of agents and people, the same for the same seed. The caller removes its folder. */
export function generatedRepository(
  seed: number,
  steps: number,
  deeds: readonly RepositoryDeed[],
): GeneratedRepository {
  const draw = randomNumbers(seed);
  const below = (limit: number) => Math.floor(draw() * limit);
  const someOf = <T>(all: readonly T[]): T => all[below(all.length)] as T;
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'generated-')));
  let time = Date.UTC(2026, 2, 1);
  const git = (...words: string[]): boolean => {
    const date = new Date((time += 60_000)).toISOString();
    const env = {
      ...process.env,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_EDITOR: 'true',
    };
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'core.autocrlf=false'];
    try {
      execFileSync('git', [...who, ...words], { cwd: root, stdio: 'ignore', env });
      return true;
    } catch {
      // What git refuses, as what conflicts, was not done.
      return false;
    }
  };
  let number = 0;
  const newText = () =>
    draw() < 0.1 ? someOf(['}', '', '});']) : `const word${seed}x${++number} = ${below(9)};`;
  const written = (count: number, by: number): TrueLine[] =>
    Array.from({ length: count }, () => ({ text: newText(), by }));

  let files = new Map<string, TrueFile>(
    ['a.ts', 'b.ts'].map((path) => [path, { lines: written(8 + below(12), 0), end: '\n' }]),
  );
  const names = new Set(files.keys());
  /** What the commits hold, the newest last. */
  let commits: Tree[] = [];
  const textOf = ({ lines, end }: TrueFile) => lines.map(({ text }) => `${text}${end}`).join('');
  const save = () => {
    for (const [path, file] of files) writeFileSync(join(root, path), textOf(file));
  };
  const onDisk = (path: string) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined);
  const isAsOnDisk = (tree: Tree) =>
    [...tree].every(([path, file]) => onDisk(join(root, path)) === textOf(file));
  const commit = () => {
    git('add', '-A');
    if (git('commit', '-q', '-m', 'work')) commits.push(new Map(files));
  };
  const put = (path: string, lines: readonly TrueLine[], end?: string) => {
    files.set(path, { lines, end: end ?? files.get(path)?.end ?? '\n' });
    save();
  };

  const sessions: RecordedEdit[][] = [[], []];
  let calls = 0;
  /** Whether its session tells of it; what a tool could not tell was not done. */
  const agent = (session: number, path: string, at: number) => {
    const { lines: before = [] } = files.get(path) ?? {};
    const by = calls + 1;
    const from = below(before.length + 1);
    const made = replacedLines(
      before,
      from,
      Math.min(before.length, from + below(3)),
      written(1 + below(4), by),
    );
    const change = changeTold(someOf(TELLS), before, made);
    if (!change) return;
    calls = by;
    sessions[session]?.push({
      path: join(root, path),
      time: at,
      position: by,
      agent: session === 0 ? 'Claude' : 'Codex',
      tool: 'Edit',
      callId: String(by),
      change,
      isDone: true,
    });
    put(path, made.lines);
  };
  const paths = () => [...files.keys()];

  const beside = (bring: () => boolean): boolean => {
    commit();
    const depth = 1 + below(2);
    const base = commits.at(-1 - depth);
    if (!base) return false;
    const known = [...base.keys()].filter((path) => files.has(path));
    if (known.length === 0) return false;
    const path = someOf(known);
    const added = written(2, 0);
    const own = files.get(path);
    const old = base.get(path);
    if (!own || !old || own.end !== old.end) return false;
    git('checkout', '-q', '-b', 'side', `HEAD~${depth}`);
    writeFileSync(join(root, path), textOf({ ...old, lines: [...added, ...old.lines] }));
    git('commit', '-q', '-am', 'beside');
    git('checkout', '-q', 'main');
    const outcome = new Map(files).set(path, { ...own, lines: [...added, ...own.lines] });
    const isDone = bring() && isAsOnDisk(outcome);
    if (isDone) [files, commits] = [outcome, [outcome]];
    else git('reset', '-q', '--hard', 'kept');
    git('branch', '-q', '-D', 'side');
    return isDone;
  };
  const keep = () => git('tag', '-f', 'kept');

  const does: Record<RepositoryDeed, () => boolean> = {
    write: () => {
      const path = someOf(paths());
      const { lines = [] } = files.get(path) ?? {};
      const from = below(lines.length + 1);
      const to = Math.min(lines.length, from + below(3));
      // A line that is the same afterwards was not written, which nobody could see.
      put(path, replacedLines(lines, from, to, written(below(4), 0)).lines);
      return true;
    },
    rename: () => {
      // A name that git has never seen leads nowhere.
      commit();
      const path = someOf(paths());
      const free = [...names].filter((each) => !files.has(each));
      // Also a name that a file has had before, this one or another.
      const name = free.length > 0 && draw() < 0.5 ? someOf(free) : `renamed${++number}.ts`;
      const file = files.get(path);
      if (!file || !git('mv', path, name)) return false;
      names.add(name);
      files.delete(path);
      files.set(name, file);
      return true;
    },
    rebase: () =>
      beside(() => {
        keep();
        if (git('rebase', '-q', 'side')) return true;
        git('rebase', '--abort');
        return false;
      }),
    merge: () =>
      beside(() => {
        keep();
        if (git('merge', '-q', '--no-ff', '-m', 'merge', 'side')) return true;
        git('merge', '--abort');
        return false;
      }),
    squash: () => {
      commit();
      if (commits.length < 3 || !git('reset', '-q', '--soft', 'HEAD~2')) return false;
      git('commit', '-q', '-m', 'squashed');
      commits.splice(-2, 1);
      return true;
    },
    revert: () => {
      commit();
      const before = commits.at(-2);
      if (!before || !git('revert', '--no-edit', 'HEAD')) return false;
      files = new Map(before);
      commits.push(before);
      return true;
    },
    move: () => {
      const [one, other] = paths();
      const [from, to] = draw() < 0.5 ? [one, other] : [other, one];
      const { lines = [] } = files.get(from ?? '') ?? {};
      const target = files.get(to ?? '');
      if (from === undefined || to === undefined || !target || lines.length < 8) return false;
      const at = below(lines.length - 4);
      const moved = lines.slice(at, at + 4);
      put(from, lines.toSpliced(at, 4));
      put(to, target.lines.toSpliced(below(target.lines.length + 1), 0, ...moved));
      return true;
    },
    windows: () => {
      const path = someOf(paths());
      const file = files.get(path);
      put(path, file?.lines ?? [], file?.end === '\n' ? '\r\n' : '\n');
      return true;
    },
    together: () => {
      // Two at the same moment in the same file, told by two sessions of which neither knows of the other.
      const path = someOf(paths());
      time += 60_000;
      for (const session of draw() < 0.5 ? [0, 1] : [1, 0]) agent(session, path, time);
      return true;
    },
  };

  git('init', '-q', '-b', 'main');
  save();
  commit();
  const done = new Map<RepositoryDeed, number>();
  for (let step = 0; step < steps; step++) {
    const chance = draw();
    if (chance < 0.5) agent(below(2), someOf(paths()), (time += 60_000));
    else if (chance < 0.65) commit();
    else {
      const deed = someOf(deeds);
      if (does[deed]()) done.set(deed, (done.get(deed) ?? 0) + 1);
    }
  }
  return { root, files, edits: sessions.flat(), done };
}
