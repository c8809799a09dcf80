import { join } from 'node:path';
import { from, JSON_LINES, roots, type ToolHome } from '../home.js';
import { endOfCalls, has, parts, spoken, fields, text, type Fields, type SessionHint } from '../hint.js';

/** Goose: a database, and files that older versions left. */
export const gooseHome: ToolHome<'goose'> = {
  id: 'goose',
  formats: ['goose'],
  name: 'Goose',
  hintOf: gooseHint,
  places({ home, platform, env }, folders) {
    const root = from(env, 'GOOSE_PATH_ROOT');
    const roaming = from(env, 'APPDATA') ?? join(home, 'AppData', 'Roaming');
    const shared = from(env, 'XDG_DATA_HOME') ?? join(home, '.local', 'share');
    const usual =
      root !== undefined
        ? join(root, 'data')
        : platform === 'win32'
          ? join(roaming, 'Block', 'goose', 'data')
          : join(shared, 'goose');
    return roots([join(usual, 'sessions')], folders).flatMap((folder) => [
      { folder, names: [/^sessions\.db$/], workspaceAt: undefined },
      { folder, names: [JSON_LINES], workspaceAt: undefined },
    ]);
  },
  // One may be in the database, and in a file that an older version left.
  sessionOf: (path) => path.replace(/^.*[\\/]/, '').replace(JSON_LINES, ''),
};

/** What a line of a stored session tells of it. */
export function gooseHint(line: Fields): SessionHint | undefined {
  const { role, content } = line;
  if (role === undefined)
    return {
      made: text(line.name) ?? text(line.description),
      workspace: text(line.working_dir),
      model: text(fields(line.model_config).model_name),
    };
  if (has(content, 'toolResponse')) return { messages: 1, end: 'call' };
  if (role === 'user') return { messages: 1, prompt: spoken(content), end: 'prompt' };
  const calls = parts(content).filter((part) => part.type === 'toolRequest');
  return { messages: 1, end: endOfCalls(calls.map(({ toolCall }) => fields(fields(toolCall).value).name)) };
}
