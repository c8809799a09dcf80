import { join } from 'node:path';
import { from, roots, type ToolHome } from '../home.js';

/** Codex: a folder of rollouts for each day. */
export const codexHome: ToolHome<'codex'> = {
  id: 'codex',
  name: 'Codex',
  places({ home, env }, folders) {
    const own = from(env, 'CODEX_HOME') ?? join(home, '.codex');
    const rollout = /^rollout-.*\.jsonl$/;
    const byDay = { names: [/^\d{4}$/, /^\d\d$/, /^\d\d$/, rollout], workspaceAt: undefined };
    return [
      ...roots([join(own, 'sessions')], folders).map((folder) => ({ folder, ...byDay })),
      { folder: join(own, 'archived_sessions'), names: [rollout], workspaceAt: undefined },
    ];
  },
  handOver: {
    format: 'codex-session',
    fileOf: ({ id, began }) =>
      join(began.slice(0, 10).replaceAll('-', '/'), `rollout-${began.replaceAll(':', '-')}-${id}.jsonl`),
    commandOf: ({ id }) => `codex resume ${id}`,
  },
};
