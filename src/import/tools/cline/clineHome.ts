import { join } from 'node:path';
import { ANY, from, roots, userFolders, type Machine, type ToolFolder, type ToolHome } from '../home.js';
import {
  endOfCalls,
  namesIn,
  spoken,
  parts,
  fields,
  text,
  type Fields,
  type SessionEnd,
  type SessionHint,
} from '../hint.js';

/** Cline: tasks of the extension in any editor, and sessions of its command line. */
export const clineHome: ToolHome<'cline'> = {
  id: 'cline',
  name: 'Cline',
  hintOf: clineHint,
  approvals: 'record',
  places: (machine, folders) => [
    ...tasksOf('saoudrizwan.claude-dev', machine, []),
    ...roots([join(from(machine.env, 'CLINE_DIR') ?? join(machine.home, '.cline'), 'data')], folders).flatMap(
      (folder) => [
        ...tasksIn([folder]),
        {
          folder: join(folder, 'sessions'),
          names: [ANY, /\.messages\.json$/],
          workspaceAt: undefined,
        },
      ],
    ),
  ],
};

/** Roo Code, which was made of Cline. */
export const rooCodeHome: ToolHome<'roo-code'> = {
  id: 'roo-code',
  name: 'Roo Code',
  hintOf: clineHint,
  approvals: 'record',
  places: (machine, folders) => tasksOf('rooveterinaryinc.roo-cline', machine, folders),
};

/** What Cline, or a tool that was made of it, keeps of its tasks as an extension of any editor. */
export function tasksOf(
  extension: string,
  machine: Machine,
  folders: readonly string[],
): readonly ToolFolder[] {
  return tasksIn(
    roots(
      userFolders(machine).map((folder) => join(folder, 'globalStorage', extension)),
      folders,
    ),
  );
}

function tasksIn(folders: readonly string[]): readonly ToolFolder[] {
  return folders.map((folder) => ({
    folder: join(folder, 'tasks'),
    names: [ANY, /^ui_messages\.json$/],
    workspaceAt: undefined,
  }));
}

/** What Cline and Roo Code show of a task; the folder stands in what they tell the model about its surroundings. */
export function clineHint(value: Fields): SessionHint | undefined {
  const { type, say, ask, text: words, modelInfo } = value;
  if (typeof value.role === 'string' || Array.isArray(value.messages)) return clineSessionHint(value);
  const said = text(words);
  const model = text(fields(modelInfo).modelId);
  if (type === 'ask') {
    if (ask === 'completion_result' || ask === 'resume_completed_task')
      return { model, end: 'answer', life: [{ kind: 'finish' }] };
    if (ask === 'resume_task') return { model, messages: 1, end: 'call', life: [{ kind: 'end' }] };
    if (
      (ask === 'command' || ask === 'tool' || ask === 'browser_action_launch' || ask === 'use_mcp_server') &&
      value.partial !== true
    )
      return {
        model,
        messages: 1,
        end: 'question',
        life: [{ kind: 'ask', for: 'approval', ...(said !== undefined && { words: said }) }],
      };
    return { model, messages: 1, end: value.partial === true ? 'call' : endOfAsk(ask) };
  }
  if (say === 'task') return { model, prompt: said, messages: 1, end: 'prompt' };
  if (say === 'api_req_started')
    return { model, workspace: /Current W\w+ Directory \(([^)\\\n]+)\)/.exec(said ?? '')?.[1] };
  if (say === 'error') return { model, end: 'error' };
  if (say === 'user_feedback') return { model, messages: 1, end: 'prompt' };
  if (say === 'text' || say === 'completion_result') return { model, messages: 1, end: 'answer' };
  return { model };
}

/** What a task ends with that asks last: most asks wait for a person. */
function endOfAsk(ask: unknown): SessionEnd {
  if (ask === 'api_req_failed') return 'error';
  return ask === 'resume_task' || ask === 'command_output' ? 'call' : 'question';
}

/** The same in the sessions of Cline's command line: the session, or one of its messages, as they are sent to the model. */
function clineSessionHint({ role, content, modelInfo, agent, cwd }: Fields): SessionHint | undefined {
  const model = text(fields(modelInfo).id) ?? text(fields(modelInfo).modelId);
  if (role === undefined) return { agent: text(agent), workspace: text(cwd) };
  if (role === 'assistant') return { model, messages: 1, end: endOfCalls(namesIn(content, 'tool_use')) };
  if (role !== 'user') return undefined;
  const results = parts(content).filter((part) => part.type === 'tool_result').length;
  if (results > 0) return { messages: results, end: 'call' };
  const asked = spoken(content)?.replace(/^\s*<user_input[^>]*>|<\/user_input>\s*$/g, '');
  return { prompt: asked, messages: 1, end: 'prompt' };
}
