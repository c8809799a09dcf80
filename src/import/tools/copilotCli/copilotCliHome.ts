import { basename, dirname, join } from 'node:path';
import { ANY, from, JSON_LINES, roots, type ToolHome } from '../home.js';
import { endOfCalls, isAsking, parts, fields, text, type Fields, type SessionHint } from '../hint.js';
import type { LifeSign } from '../life.js';

/** Copilot CLI: a folder or a file for each session, and a database that has some of which these are gone. */
export const copilotCliHome: ToolHome<'copilot-cli'> = {
  id: 'copilot-cli',
  formats: ['copilot-events', 'copilot-timeline', 'copilot-store'],
  name: 'Copilot CLI',
  hintOf: (event) => ({ ...copilotCliHint(event), life: copilotLife(event) }),
  approvals: 'record',
  tellsCalls: true,
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

/** What an event tells of its session. */
export function copilotCliHint({ type, data }: Fields): SessionHint | undefined {
  const said = fields(data);
  switch (type) {
    case 'session.start':
      return {
        id: text(said.sessionId),
        workspace: text(fields(said.context).cwd),
        model: text(said.selectedModel),
      };
    case 'session.model_change':
      return { model: text(said.newModel) };
    case 'session.title_changed':
      return { named: text(said.title) };
    case 'session.error':
      return { end: 'error' };
    case 'user.message':
      return { prompt: text(said.content), messages: 1, end: 'prompt' };
    case 'assistant.message': {
      const end = endOfCalls(parts(said.toolRequests).map(({ name }) => name));
      return { messages: 1, model: text(said.model), end };
    }
    case 'permission.requested':
    case 'user_input.requested':
    case 'elicitation.requested':
      return { end: 'question' };
    case 'permission.completed':
    case 'user_input.completed':
    case 'elicitation.completed':
      return { end: 'call' };
    case 'tool.execution_complete':
      return { messages: 1, end: 'call' };
    case 'system.message':
      return { messages: 1 };
    default:
      return undefined;
  }
}

/** What an event says of what the session does. */
export function copilotLife({ type, data, agentId }: Fields): readonly LifeSign[] {
  const said = fields(data);
  const id = text(said.requestId) ?? '';
  const by = text(agentId) ?? text(said.agentId) ?? text(said.parentToolCallId);
  const agent = by === undefined ? {} : { agent: by };
  switch (type) {
    case 'user.message':
      return [{ kind: 'turn', ...agent }];
    case 'assistant.message': {
      const calls = parts(said.toolRequests);
      if (calls.length === 0) return [{ kind: 'said', ...agent }];
      return calls.map(({ toolCallId, name, arguments: args }): LifeSign => {
        const call = text(toolCallId) ?? '';
        if (isAsking(name)) {
          const words = text(fields(args).question);
          return { kind: 'ask', id: call, for: 'question', ...(words !== undefined && { words }), ...agent };
        }
        const [tool, what] = [text(name), text(fields(args).command) ?? JSON.stringify(args ?? {})];
        return { kind: 'call', id: call, ...(tool !== undefined && { tool }), text: what, ...agent };
      });
    }
    case 'tool.execution_complete':
      return [{ kind: 'result', id: text(said.toolCallId) ?? '', ...agent }];
    case 'permission.requested': {
      const { fullCommandText, intention } = fields(said.permissionRequest);
      const words = text(fullCommandText) ?? text(intention);
      return [{ kind: 'ask', id, for: 'approval', ...(words !== undefined && { words }), ...agent }];
    }
    case 'user_input.requested':
    case 'elicitation.requested': {
      const words = text(said.question) ?? text(said.message);
      const what = type === 'user_input.requested' ? 'question' : 'dialog';
      return [{ kind: 'ask', id, for: what, ...(words !== undefined && { words }), ...agent }];
    }
    case 'permission.completed':
    case 'user_input.completed':
    case 'elicitation.completed':
      return [{ kind: 'told', id, ...agent }];
    case 'assistant.turn_end':
      return [{ kind: 'settled', ...agent }];
    case 'assistant.turn_start':
    case 'tool.execution_start':
    case 'subagent.started':
      return [{ kind: 'step', ...agent }];
    case 'session.task_complete':
      return [{ kind: 'finish', ...agent }];
    case 'session.error':
      return [{ kind: 'break', by: 'error', words: text(said.message) ?? '', ...agent }];
    case 'abort':
      return [{ kind: 'break', by: 'person', ...agent }];
    case 'session.shutdown':
      return [{ kind: 'end' }];
    default:
      return [];
  }
}
