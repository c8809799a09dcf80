import { join } from 'node:path';
import { ANY, from, JSON_LINES, roots, userFolders, type ToolHome } from '../home.js';
import { textOf } from '../../../core/message.js';
import { endOfCalls, namesIn, fields, type Fields, type SessionHint } from '../hint.js';

/** Cursor: transcripts of agents for each project, and a database of chats. */
export const cursorHome: ToolHome<'cursor'> = {
  id: 'cursor',
  formats: ['cursor', 'cursor-chat'],
  name: 'Cursor',
  hintOf: cursorHint,
  approvals: 'untold',
  places(machine, folders) {
    const { home, env } = machine;
    const own = join(from(env, 'CURSOR_HOME') ?? join(home, '.cursor'), 'projects');
    const data = userFolders(machine).filter((folder) =>
      /[\\/](?:Cursor|\.cursor-server[\\/]data)[\\/]User$/.test(folder),
    );
    const chats = roots(
      data.map((folder) => join(folder, 'globalStorage')),
      folders,
    );
    return [
      ...roots([own], folders).flatMap((folder) => [
        { folder, names: [ANY, /^agent-transcripts$/, ANY, JSON_LINES], workspaceAt: 0 },
        { folder, names: [ANY, /^agent-transcripts$/, JSON_LINES], workspaceAt: 0 },
      ]),
      ...chats.map((folder) => ({ folder, names: [/^state\.vscdb$/], workspaceAt: undefined })),
    ];
  },
};

/** What a line of a transcript tells of its session. */
export function cursorHint({ role, message }: Fields): SessionHint | undefined {
  const { content } = fields(message);
  if (role === 'user') return { prompt: textOf(content), messages: 1, end: 'prompt' };
  if (role !== 'assistant') return undefined;
  return { messages: 1, end: endOfCalls(namesIn(content, 'tool_use')) };
}
