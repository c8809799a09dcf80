import { basename, dirname, join } from 'node:path';
import { ANY, from, JSON_LINES, roots, type ToolHome } from '../home.js';

/** Copilot CLI: a folder or a file for each session, and a database that has some of which these are gone. */
export const copilotCliHome: ToolHome<'copilot-cli'> = {
  id: 'copilot-cli',
  name: 'Copilot CLI',
  places({ home, env }, folders) {
    const own = from(env, 'COPILOT_HOME') ?? join(home, '.copilot');
    return [
      ...roots([join(own, 'session-state')], folders).flatMap((folder) => [
        { folder, names: [ANY, /^events\.jsonl$/], workspaceAt: undefined },
        { folder, names: [JSON_LINES], workspaceAt: undefined },
      ]),
      ...roots([own], folders).map((folder) => ({
        folder,
        names: [/^session-store\.db$/],
        workspaceAt: undefined,
      })),
    ];
  },
  // What its own log says is more than the database has of it.
  sessionOf: (path) =>
    basename(path) === 'events.jsonl' ? basename(dirname(path)) : basename(path).replace(JSON_LINES, ''),
};
