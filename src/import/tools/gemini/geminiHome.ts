import { join } from 'node:path';
import { ANY, from, roots, type ToolHome } from '../home.js';

/** Gemini CLI: a folder of chats for each project. */
export const geminiHome: ToolHome<'gemini-cli'> = {
  id: 'gemini-cli',
  name: 'Gemini CLI',
  places: ({ home, env }, folders) =>
    roots([join(from(env, 'GEMINI_CLI_HOME') ?? home, '.gemini', 'tmp')], folders).map((folder) => ({
      folder,
      names: [ANY, /^chats$/, /^session-.*\.jsonl?$/],
      workspaceAt: 0,
    })),
};
