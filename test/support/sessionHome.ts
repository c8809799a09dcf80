import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { OptInToolId } from '../../src/import/toolHomes.js';
import { databaseOfTool } from './toolDatabases.js';

const lines = (...values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join('');

/** What stands in a file. */
export type FileContent = string | Uint8Array;

/** A session of each tool in its usual place below a person's home, as a path and what stands in it. */
export const sessionsOfTools: Readonly<Record<OptInToolId, Readonly<Record<string, FileContent>>>> = {
  'claude-code': {
    '.claude/projects/-home-me-bakery/11111111-1111-1111-1111-111111111111.jsonl':
      claudeSession('Bake a cake'),
  },
  codex: {
    '.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-22222222-2222-2222-2222-222222222222.jsonl':
      lines(
        { type: 'session_meta', payload: { id: '2', cwd: '/home/me/mill' } },
        { type: 'turn_context', payload: { cwd: '/home/me/mill', model: 'gpt-5.5' } },
        { type: 'response_item', payload: spoken('message', 'user', 'input_text', 'Grind the corn') },
        { type: 'response_item', payload: spoken('message', 'assistant', 'output_text', 'It is ground.') },
      ),
  },
  'copilot-cli': {
    '.copilot/session-state/333/events.jsonl': lines(
      event('session.start', {
        sessionId: '333',
        producer: 'copilot-agent',
        context: { cwd: '/home/me/shop' },
      }),
      event('user.message', { content: 'Open the shop' }),
      event('assistant.message', { content: 'It is open.', model: 'claude-sonnet-4.6', toolRequests: [] }),
    ),
  },
  'vscode-chat': {
    '.config/Code/User/workspaceStorage/abc/workspace.json': '{"folder":"file:///home/me/oven"}',
    '.config/Code/User/workspaceStorage/abc/chatSessions/4.json': JSON.stringify({
      version: 3,
      sessionId: '4',
      responderUsername: 'GitHub Copilot',
      requests: [
        {
          requestId: 'r',
          modelId: 'copilot/gpt-5',
          message: { text: 'Heat the oven' },
          response: [{ value: 'It is hot.' }],
          result: {},
        },
      ],
    }),
  },
  'gemini-cli': {
    '.gemini/tmp/field/.project_root': '/home/me/field\n',
    '.gemini/tmp/field/chats/session-5.json': JSON.stringify({
      sessionId: '5',
      projectHash: 'x',
      messages: [
        { id: 'a', type: 'user', content: 'Sow the corn' },
        { id: 'b', type: 'gemini', content: 'It is sown.', model: 'gemini-3-pro' },
      ],
    }),
  },
  opencode: {
    '.local/share/opencode/storage/session/p1/ses_6.json': JSON.stringify({
      id: 'ses_6',
      projectID: 'p1',
      directory: '/home/me/barn',
      title: 'Clean the barn',
    }),
  },
  pi: {
    '.pi/agent/sessions/--home-me-well--/2026_7.jsonl': lines(
      { type: 'session', version: 3, id: '7', cwd: '/home/me/well' },
      { type: 'message', message: { role: 'user', content: [{ type: 'text', text: 'Draw water' }] } },
      {
        type: 'message',
        message: { role: 'assistant', model: 'pi-1', content: [{ type: 'text', text: 'Drawn.' }] },
      },
    ),
  },
  cursor: {
    '.cursor/projects/home-me-cart/agent-transcripts/8/8.jsonl': lines(
      { role: 'user', message: { content: [{ type: 'text', text: 'Load the cart' }] } },
      { role: 'assistant', message: { content: [{ type: 'text', text: 'It is loaded.' }] } },
    ),
  },
  cline: {
    '.config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/9/ui_messages.json': taskOf(
      'Milk the cow',
      'stable',
    ),
  },
  'roo-code': {
    '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/10/ui_messages.json': taskOf(
      'Feed the hens',
      'yard',
    ),
  },
  goose: {
    '.local/share/goose/sessions/20260101_11.jsonl': lines(
      { working_dir: '/home/me/pond', description: 'Count the fish', message_count: 2 },
      { role: 'user', created: 1, content: [{ type: 'text', text: 'Count the fish' }] },
      { role: 'assistant', created: 2, content: [{ type: 'text', text: 'Seven.' }] },
    ),
  },
  zed: { '.local/share/zed/threads/threads.db': databaseOfTool('zed') },
  crush: {
    '.local/share/crush/projects.json': '{"projects":[]}',
    '.crush/crush.db': databaseOfTool('crush'),
  },
  kiro: { '.local/share/kiro-cli/data.sqlite3': databaseOfTool('kiro') },
  kilo: { '.local/share/kilo/kilo.db': databaseOfTool('kilo') },
  mimo: { '.local/share/mimocode/mimocode.db': databaseOfTool('mimo') },
  icodemate: { '.local/share/icodemate/icodemate.db': databaseOfTool('icodemate') },
  zcode: { '.zcode/cli/db/db.sqlite': databaseOfTool('zcode') },
  'amazon-q': { '.local/share/amazon-q/data.sqlite3': databaseOfTool('amazon-q') },
  hermes: { '.hermes/state.db': databaseOfTool('hermes') },
};

/** What Claude Code writes of a short session, whose last word is an answer. */
export function claudeSession(prompt: string, cwd = '/home/me/bakery', sessionId = '1'): string {
  const about = { sessionId, cwd, timestamp: '2026-01-01T00:00:00Z' };
  return lines(
    { ...about, type: 'user', uuid: 'u', message: { role: 'user', content: prompt } },
    {
      ...about,
      type: 'assistant',
      uuid: 'a',
      message: {
        role: 'assistant',
        id: 'm',
        model: 'claude-opus-5',
        content: [{ type: 'text', text: 'Done.' }],
      },
    },
  );
}

/** Writes files below a folder, and gives their paths; `changed` is when they were last written to, in milliseconds since 1970. */
export async function writeAt(
  home: string,
  files: Readonly<Record<string, FileContent>>,
  changed?: number,
): Promise<readonly string[]> {
  const paths: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const path = join(home, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    if (changed !== undefined) await utimes(path, changed / 1000, changed / 1000);
    paths.push(path);
  }
  return paths;
}

function spoken(type: string, role: string, part: string, text: string) {
  return { type, role, content: [{ type: part, text }] };
}

function event(type: string, data: unknown) {
  return { type, id: type, timestamp: '2026-01-01T00:00:00Z', data };
}

function taskOf(prompt: string, folder: string): string {
  const surroundings = `<environment_details>\n# Current Working Directory (/home/me/${folder}) Files\n`;
  return JSON.stringify([
    { ts: 1, type: 'say', say: 'task', text: prompt },
    { ts: 2, type: 'say', say: 'api_req_started', text: JSON.stringify({ request: surroundings }) },
    { ts: 3, type: 'say', say: 'completion_result', text: 'It is done.', modelInfo: { modelId: 'sonnet-5' } },
  ]);
}
