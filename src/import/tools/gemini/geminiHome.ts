import { join } from 'node:path';
import { ANY, from, roots, type ToolHome } from '../home.js';
import { endOfCalls, spoken, parts, fields, text, type Fields, type SessionHint } from '../hint.js';

/** Gemini CLI: a folder of chats for each project. */
export const geminiHome: ToolHome<'gemini-cli'> = {
  id: 'gemini-cli',
  formats: ['gemini-cli'],
  name: 'Gemini CLI',
  hintOf: geminiHint,
  approvals: 'untold',
  places: ({ home, env }, folders) =>
    roots([join(from(env, 'GEMINI_CLI_HOME') ?? home, '.gemini', 'tmp')], folders).map((folder) => ({
      folder,
      names: [ANY, /^chats$/, /^session-.*\.jsonl?$/],
      workspaceAt: 0,
    })),
};

/** What a line, or a part of a file, tells of its session. */
export function geminiHint(value: Fields): SessionHint | undefined {
  const changed = fields(value.$set);
  if (changed.summary !== undefined) return { named: text(changed.summary) };
  if ('sessionId' in value) return { id: text(value.sessionId), named: text(value.summary) };
  const { type, content, id } = value;
  if (type === 'user') return { prompt: spoken(content), messages: 1, message: text(id), end: 'prompt' };
  if (type === 'error') return { end: 'error' };
  if (type !== 'gemini') return undefined;
  const calls = parts(value.toolCalls);
  const open = calls.filter(
    ({ status }) => status !== 'success' && status !== 'error' && status !== 'cancelled',
  );
  const isAsking =
    open.some(({ status }) => status === 'awaiting_approval') ||
    endOfCalls(open.map(({ name }) => name)) === 'question';
  const isCall = open.length > 0 || (calls.length > 0 && spoken(content) === undefined);
  return {
    model: text(value.model),
    message: text(id),
    messages: 1 + calls.length,
    end: isAsking ? 'question' : isCall ? 'call' : 'answer',
  };
}
