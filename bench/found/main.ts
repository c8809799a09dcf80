import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { loadPeer } from '../harness/loadPeer.js';
import { markdownTable, duration, figures } from '../harness/markdown.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { lineAt } from '../import/makeTranscript.js';

/** How many sessions of another tool are asked where they are. */
const SESSIONS = Number(process.env.FOUND_SESSIONS ?? 3_000);
/** Stands in three sessions. */
const RARE = 'quetzalcoatl';
/** How often what is remembered is asked for. */
const ROUNDS = 5;
const PROJECTS = 40;

/** What is asked of sessions of Claude Code, and what peers do about the same; undefined where there is none. */
interface Asked {
  readonly name: string;
  readonly ours: readonly string[];
  readonly peer?: readonly string[];
  readonly goal: string;
}

/**
 * A table of questions and sums over sessions of Claude Code in a home: the processor time of a process that works all of it out, of one
 * that finds it kept, and of a peer.
 */
async function foundSessions(home: string): Promise<string> {
  const program = resolve('dist/cli.cjs');
  const rg = (await loadPeer('@vscode/ripgrep').catch(() => undefined)) as { rgPath: string } | undefined;
  const ccusage = resolve('bench/node_modules/.bin/ccusage');
  const bytes = makeSessions(join(home, '.claude/projects'), SESSIONS);
  const folder = join(home, '.claude');
  const from = ['--from', 'claude-code'];
  const rows: Asked[] = [
    {
      name: 'a rare word',
      ours: ['search', RARE, ...from],
      ...(rg && { peer: [rg.rgPath, '-c', RARE, folder] }),
      goal: '0.6 s, kept',
    },
    {
      name: 'calls that failed, counted',
      ours: ['query', '--count', 'is:error', ...from],
      goal: '0.6 s, kept',
    },
    {
      name: '`cost` (peer: ccusage)',
      ours: ['cost', ...from],
      peer: [ccusage, 'monthly', '--offline'],
      goal: '2 × the peer',
    },
  ];
  const told = rows.map(({ name, ours, peer, goal }) => {
    const env = { ...process.env, HOME: home, AGENT_LOGBOOK_CACHE: join(home, 'cache', ours[0] ?? '') };
    const asked = [process.execPath, program, ...ours];
    const first = processorTime(asked, home, env) ?? NaN;
    const kept = least(asked, home, env) ?? NaN;
    const other = peer && least(peer, home, env);
    const times = other === undefined ? '–' : `${duration(other)} (kept: ${figures(kept / other)} ×)`;
    return [name, duration(first), duration(kept), times, goal];
  });
  const head = ['processor time', 'nothing kept', 'kept', 'peer', 'goal'];
  return `${figures(SESSIONS)} sessions of Claude Code, ${figures(bytes / 1e6)} MB:\n\n${markdownTable(head, told)}\n`;
}

/** Sessions that share nothing, most of them small; gives their bytes. */
function makeSessions(folder: string, sessions: number): number {
  let bytes = 0;
  for (let session = 0; session < sessions; session++) {
    const id = session.toString(16).padStart(8, '0');
    const project = join(folder, `-home-me-oven-${session % PROJECTS}`);
    mkdirSync(project, { recursive: true });
    const length = 10 + ((session * 7919) % 90) + (session % 50 === 0 ? 400 : 0);
    const lines = Array.from({ length }, (_, at) => {
      const json = JSON.stringify(lineAt(at))
        .replaceAll('00000000-', `${id}-`)
        .replaceAll(/(?<=session-|req_|msg_|toolu_)/g, `${id}-`)
        .replaceAll('a-model', 'claude-sonnet-4-5');
      return at === 0 && session % Math.ceil(sessions / 3) === 1 ? json.replace('Note', RARE) : json;
    });
    const text = `${lines.join('\n')}\n`;
    writeFileSync(join(project, `${id}-0000-4000-8000-000000000000.jsonl`), text);
    bytes += text.length;
  }
  return bytes;
}

/** What a process and all that it starts and waits for take of processors, in milliseconds; undefined where it cannot be run. */
function processorTime(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): number | undefined {
  const script = 'TIMEFORMAT="took %U %S"; time "$@" >/dev/null 2>&1';
  const { stderr, status } = spawnSync('bash', ['-c', script, 'bash', ...words], {
    cwd,
    env,
    encoding: 'utf8',
  });
  const [, user, system] = /took ([\d.]+) ([\d.]+)/.exec(stderr) ?? [];
  return status === 0 ? (Number(user) + Number(system)) * 1000 : undefined;
}

/** The least of several times; undefined where it cannot be run. */
function least(words: readonly string[], cwd: string, env: NodeJS.ProcessEnv): number | undefined {
  const times = Array.from({ length: ROUNDS }, () => processorTime(words, cwd, env) ?? NaN);
  return times.some(Number.isNaN) ? undefined : Math.min(...times);
}

console.log(`## Found sessions\n\n${await foundSessions(temporaryFolder())}`);
