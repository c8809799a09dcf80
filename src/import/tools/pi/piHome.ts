import { join } from 'node:path';
import { ANY, from, JSON_LINES, roots, type ToolHome } from '../home.js';

/** Pi: a folder of sessions for each workspace. */
export const piHome: ToolHome<'pi'> = {
  id: 'pi',
  name: 'Pi',
  places: ({ home, env }, folders) =>
    roots([join(from(env, 'PI_CODING_AGENT_DIR') ?? join(home, '.pi', 'agent'), 'sessions')], folders).map(
      (folder) => ({ folder, names: [ANY, JSON_LINES], workspaceAt: 0 }),
    ),
};
