import { join } from 'node:path';
import { ANY, from, JSON_LINES, roots, type ToolHome } from '../home.js';

/** Copilot CLI: a folder or a file for each session. */
export const copilotCliHome: ToolHome<'copilot-cli'> = {
  id: 'copilot-cli',
  name: 'Copilot CLI',
  places: ({ home, env }, folders) =>
    roots([join(from(env, 'COPILOT_HOME') ?? join(home, '.copilot'), 'session-state')], folders).flatMap(
      (folder) => [
        { folder, names: [ANY, /^events\.jsonl$/], workspaceAt: undefined },
        { folder, names: [JSON_LINES], workspaceAt: undefined },
      ],
    ),
};
