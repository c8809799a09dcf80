import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importFile } from '../../../src/import/importFile.js';
import { projectOf } from '../../../src/import/projectOf.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { TranscriptStore } from '../../../src/store/transcriptStore.js';

const folder = join(import.meta.dirname, '../../../../shared/transcripts');

/** Whether the transcripts of other tools are there: they are not part of the project. */
export const hasRealTranscripts = existsSync(folder);

/** Transcripts of several tools, each with something that the others lack. */
export const REAL_TRANSCRIPTS: readonly string[] = [
  'claude-code/copilot-chat-project/50a7220d-7250-46f3-b38e-b716ce25032e.jsonl',
  'claude-code/obra-large.jsonl',
  'claude-code/web-export-loglines.json',
  'codex/agent-sessions-052-raw.jsonl',
  'codex/vibe-codex-with-custom-tool.jsonl',
  'gemini-cli/agentsview-tool_calls_with_results.json',
  'copilot/cli-events-163k.jsonl',
  'copilot/chatreplay-480k.json',
  'inspect/popularity-43k.json',
  'langfuse/langfuse-1-82k.json',
  'otlp/rag-earnings-98k.json',
  'openai-chat/swe-agent/ctf-forensics-flash.traj',
  'openai-chat/openhands/events-demo1.json',
  'multi-agent/whowhen-magentic/41.json',
];

/** The store of a workspace, as another process opens it. */
export async function storeOf(workspace: string): Promise<TranscriptStore> {
  return TranscriptStore.open({
    root: join(workspace, '.agent-logbook'),
    log: silentLog,
    onProblem: ({ title, detail }) => {
      throw new Error(`${title}: ${detail}`);
    },
  });
}

/** A conversation of a real transcript, as it was read. */
export async function readReal(name: string) {
  const path = join(folder, name);
  const result = await importFile(path);
  return { ...result, path };
}

/** Imports them all into the store of a workspace, as the extension does; gives their titles by their names. */
export async function importReal(workspace: string): Promise<ReadonlyMap<string, string>> {
  const store = await storeOf(workspace);
  const titles = new Map<string, string>();
  for (const name of REAL_TRANSCRIPTS) {
    const { conversations, format, path } = await readReal(name);
    for (const [at, conversation] of conversations.entries()) {
      const { id, title, records } = conversation;
      const project = projectOf(records);
      const source = { tool: format, path, session: id, title, ...(project !== undefined && { project }) };
      await store.importSession({ source, records });
      if (at === 0) titles.set(name, conversation.title);
    }
  }
  await store.close();
  return titles;
}

/** How many small conversations `importMany` imports. */
export const MANY = 1_000;

const DAY = 24 * 60 * 60 * 1000;
const SOURCES = [
  { tool: 'claude-code', agent: 'Claude', project: 'bakery' },
  { tool: 'codex', agent: 'Codex', project: 'timetable' },
  { tool: 'gemini-cli', agent: 'Gemini', project: 'kitchen-scales' },
];

/** Imports conversations of three tools, of this year's days, each of a prompt and an answer. */
export async function importMany(workspace: string): Promise<void> {
  const store = await storeOf(workspace);
  const now = Date.now();
  for (let at = 0; at < MANY; at++) {
    const { tool, agent, project } = SOURCES[at % SOURCES.length] ?? { tool: '', agent: '', project: '' };
    const time = now - Math.floor((at * at) / 2_800) * DAY - at * 1_000;
    const title = `Order ${at}: bring the flour to shelf ${at % 17}`;
    const record = (seq: number, role: 'user' | 'assistant', content: string) => ({
      seq,
      id: `m${seq}`,
      time,
      conversation: `s${at}`,
      run: 'r1',
      call: 'k1',
      agent,
      depth: 0,
      type: 'message' as const,
      message: { role, content },
    });
    const source = { tool, session: `s${at}`, title, project };
    await store.importSession({
      source,
      records: [record(1, 'user', title), record(2, 'assistant', 'Done.')],
    });
  }
  await store.close();
}
