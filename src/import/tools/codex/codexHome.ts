import { basename, join } from 'node:path';
import { from, roots, type ToolHome } from '../home.js';
import { rolloutName, rolloutsOnce } from './rolloutName.js';

const ROLLOUT = /^rollout-.*\.jsonl(?:\.zst)?$/;

/** Codex: a folder of rollouts for each day, which it packs after a week; several may be of one thread. */
export const codexHome: ToolHome<'codex'> = {
  id: 'codex',
  name: 'Codex',
  places({ home, env }, folders) {
    const own = from(env, 'CODEX_HOME') ?? join(home, '.codex');
    const archive = join(own, 'archived_sessions');
    const days = [/^\d{4}$/, /^\d\d$/, /^\d\d$/];
    return [
      ...[...roots([join(own, 'sessions')], folders), archive].map((folder) => ({
        folder,
        names: [...days, ROLLOUT],
        workspaceAt: undefined,
      })),
      { folder: archive, names: [ROLLOUT], workspaceAt: undefined },
    ];
  },
  sessionOf: (path) => rolloutName(path)?.thread ?? basename(path).replace(/\.zst$/, ''),
  partsOf(paths) {
    const parts = rolloutsOnce(paths);
    const isFirst = (path: string) => {
      const name = rolloutName(path);
      return name?.rollout === name?.thread;
    };
    return Promise.resolve({ path: parts.find(isFirst) ?? parts[0] ?? '', parts });
  },
  handOver: {
    format: 'codex-session',
    fileOf: ({ id, began }) =>
      join(began.slice(0, 10).replaceAll('-', '/'), `rollout-${began.replaceAll(':', '-')}-${id}.jsonl`),
    commandOf: ({ id }) => `codex resume ${id}`,
  },
};
