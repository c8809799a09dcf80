import { join } from 'node:path';
import { from, JSON_LINES, roots, type ToolHome } from '../home.js';
import { chatLogHint } from '../hint.js';

/** Hermes: a database, and files that older versions left. */
export const hermesHome: ToolHome<'hermes'> = {
  id: 'hermes',
  formats: ['hermes'],
  name: 'Hermes',
  hintOf: chatLogHint,
  places: ({ home, env }, folders) =>
    roots([from(env, 'HERMES_HOME') ?? join(home, '.hermes')], folders).flatMap((folder) => [
      { folder, names: [/^state\.db$/], workspaceAt: undefined },
      { folder: join(folder, 'sessions'), names: [JSON_LINES], workspaceAt: undefined },
      { folder: join(folder, 'sessions'), names: [/^session_.*\.json$/], workspaceAt: undefined },
    ]),
  // Where one is in the database and in a file, the database tells more.
  sessionOf: (path) => path.replace(/^.*[\\/](?:session_)?/, '').replace(/\.jsonl?$/, ''),
};
