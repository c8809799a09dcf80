import { spoken, parts, fields, text, type Fields, type SessionHint } from '../hint.js';

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
  const isOpen = calls.some(
    ({ status }) => status !== 'success' && status !== 'error' && status !== 'cancelled',
  );
  return {
    model: text(value.model),
    message: text(id),
    messages: 1 + calls.length,
    end: isOpen || (calls.length > 0 && spoken(content) === undefined) ? 'call' : 'answer',
  };
}
