import { endOfCalls, spoken, parts, fields, text, type Fields, type SessionHint } from '../hint.js';

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
