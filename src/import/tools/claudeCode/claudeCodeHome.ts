import { join } from 'node:path';
import { ANY, from, roots, type ToolHome } from '../home.js';

/** Claude Code: a folder of sessions for each workspace. */
export const claudeCodeHome: ToolHome<'claude-code'> = {
  id: 'claude-code',
  name: 'Claude Code',
  places: ({ home, env }, folders) =>
    roots([join(from(env, 'CLAUDE_CONFIG_DIR') ?? join(home, '.claude'), 'projects')], folders).map(
      (folder) => ({
        folder,
        names: [ANY, /^(?!agent-).*\.jsonl$/],
        workspaceAt: 0,
      }),
    ),
  handOver: {
    format: 'claude-session',
    fileOf: ({ id, folder }) => join(folder.replaceAll(/[^A-Za-z0-9]/g, '-'), `${id}.jsonl`),
    commandOf: ({ id }) => `claude --resume ${id}`,
  },
};
