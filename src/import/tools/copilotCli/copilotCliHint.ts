import { endOfCalls, parts, fields, text, type Fields, type SessionHint } from '../hint.js';

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
