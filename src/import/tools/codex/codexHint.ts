import { spoken, fields, text, type Fields, type SessionHint } from '../hint.js';

/** What a line of a rollout tells of its session. */
export function codexHint({ type, payload }: Fields): SessionHint | undefined {
  const said = fields(payload);
  if (type === 'session_meta')
    return { id: text(said.id), workspace: text(said.cwd), agent: text(said.agent_nickname) };
  if (type === 'turn_context') return { workspace: text(said.cwd), model: text(said.model) };
  if (type === 'event_msg') {
    if (said.type === 'thread_name_updated') return { named: text(said.thread_name) ?? text(said.name) };
    if (said.type === 'error') return { end: 'error' };
    return said.type === 'task_complete' ? { end: 'answer' } : undefined;
  }
  if (type !== 'response_item') return undefined;
  if (said.type === 'message' || (said.type === undefined && said.role !== undefined)) {
    if (said.role === 'assistant') return { messages: 1, end: 'answer' };
    const isUser = said.role === 'user';
    return {
      messages: 1,
      prompt: isUser ? spoken(said.content) : undefined,
      ...(isUser && { end: 'prompt' }),
    };
  }
  // A call belongs to the words before it, where these are of the same answer.
  const isCall = /_call(?:_output)?$/.test(text(said.type) ?? '');
  if (!isCall) return undefined;
  // A script that is run may ask, too.
  const isAsking = /\brequest_user_input\b/.test(`${text(said.name) ?? ''} ${text(said.input) ?? ''}`);
  return { messages: 1, isUncertain: true, end: isAsking ? 'question' : 'call' };
}
