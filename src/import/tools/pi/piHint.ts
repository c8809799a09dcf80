import { textOf } from '../../../core/message.js';
import { endOfCalls, namesIn, fields, text, type Fields, type SessionHint } from '../hint.js';

/** What a line tells of its session. */
export function piHint(line: Fields): SessionHint | undefined {
  if (line.type === 'session')
    return { id: text(line.id), workspace: text(line.cwd), model: text(line.modelId) };
  if (line.type === 'model_change') return { model: text(line.modelId) };
  if (line.type === 'session_info') return { named: text(line.name) };
  if (line.type !== 'message') return undefined;
  const { role, content, model, stopReason } = fields(line.message);
  if (role === 'user') return { prompt: textOf(content), messages: 1, end: 'prompt' };
  if (role !== 'assistant') return { messages: 1, end: 'call' };
  const end = stopReason === 'error' ? 'error' : endOfCalls(namesIn(content, 'toolCall'));
  return { messages: 1, model: text(model), end };
}
