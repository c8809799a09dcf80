/** Lines of JSON. */
export const J = (...values: readonly unknown[]) =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('');

let count = 0;
/** A line of Claude Code. */
export const cc = (type: string, content: unknown, more: object = {}) => ({
  type,
  uuid: `u${++count}`,
  sessionId: 's',
  cwd: '/srv/bakery',
  timestamp: '2026-09-01T10:00:00Z',
  message: { role: type, content, ...(type === 'assistant' && { id: `m${count}`, model: 'claude-opus-5' }) },
  ...more,
});
/** A line of Codex, and one that says something. */
const cx = (type: string, payload: object) => ({ timestamp: '2026-09-01T10:00:00Z', type, payload });
export const cmsg = (role: string, ...texts: readonly string[]) =>
  cx('response_item', {
    type: 'message',
    role,
    content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
  });
/** Spans of OpenTelemetry, and their attributes. */
export const spans = (all: readonly object[]) =>
  JSON.stringify({ resourceSpans: [{ resource: { attributes: [] }, scopeSpans: [{ spans: all }] }] });
export const at = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => ({
    key,
    value:
      typeof value === 'number'
        ? { intValue: value }
        : { stringValue: typeof value === 'string' ? value : JSON.stringify(value) },
  }));

export const talk = (messages: readonly unknown[]) => JSON.stringify(messages);

export const OK = cc('assistant', [{ type: 'text', text: 'ok' }]);
export const MILL = cx('session_meta', { id: 't', cwd: '/srv/mill' });
export const BAKE = { role: 'user', content: 'Bake' };
export const RYE = { role: 'user', content: 'Bake rye' };
export const BAKED = { role: 'assistant', content: 'Baked' };

/** A request to a model, and what was said in it. */
export const CHAT = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'm' };
export const told = (role: string, content: string) => [{ role, parts: [{ type: 'text', content }] }];
