import { asText, fields, list, number, objects, text, without, type Fields } from '../reading/fields.js';
import { callsOf } from '../messages/anyMessage.js';
import { chatMessage, encodedPicture } from '../messages/chatMessage.js';

/** Whether an address is where Ollama's own API is asked for an answer. */
export function asksOllama(url: string | undefined): boolean {
  return url !== undefined && /\/api\/(?:chat|generate)\/*$/.test(url);
}

/** The answer that pieces of Ollama's own API add up to, as one of chat completions; what it measured stays beside it. */
export function ollamaAnswer(pieces: readonly Fields[]): Fields {
  const parts = pieces.map(({ message, response, thinking }) =>
    message === undefined ? { content: response, thinking } : fields(message),
  );
  const joined = (key: string) => parts.map((part) => asText(part[key] ?? '')).join('');
  const { tool_calls: calls } = callsOf(parts.flatMap((part) => list(part.tool_calls)));
  const about: Record<string, unknown> = {};
  for (const piece of pieces) Object.assign(about, without(piece, 'message', 'response', 'thinking'));
  const [asked, answered] = [number(about.prompt_eval_count), number(about.eval_count)];
  const isCounted = asked !== undefined || answered !== undefined;
  const message = chatMessage('assistant', joined('content'), {
    reasoning: joined('thinking'),
    calls: objects(calls),
  });
  return {
    ...about,
    object: 'chat.completion',
    choices: [{ index: 0, finish_reason: about.done_reason, message }],
    ...(isCounted && { usage: { prompt_tokens: asked ?? 0, completion_tokens: answered ?? 0 } }),
  };
}

/**
 * Messages of Ollama's own API as those of chat completions: calls, which have no ids there, are numbered from 1 behind those
 * that stand in `before`, a result answers the call of its tool that has waited longest, and pictures are parts.
 */
export function ollamaMessages(messages: readonly Fields[], before: readonly Fields[] = []): Fields[] {
  const waiting: { readonly id: string; readonly name: string }[] = [];
  let count = before.reduce((sum, { tool_calls: calls }) => sum + objects(calls).length, 0);
  const named = (call: Fields): Fields => {
    const id = asText(call.id) === '' ? `call ${++count}` : asText(call.id);
    waiting.push({ id, name: asText(fields(call.function).name) });
    return { ...call, id };
  };
  const answeredId = (name: string | undefined) => {
    const at = waiting.findIndex((call) => call.name === name);
    return waiting.splice(Math.max(0, at), 1)[0]?.id;
  };
  return messages.map((message) => {
    const { thinking, images, ...said } = message;
    const calls = objects(said.tool_calls);
    const name = text(said.tool_name) ?? text(said.name);
    const id = said.role === 'tool' ? (text(said.tool_call_id) ?? answeredId(name)) : undefined;
    return {
      ...said,
      ...(list(images).length > 0 && { content: withPictures(said.content, list(images)) }),
      ...(text(thinking) !== undefined && { reasoning_content: thinking }),
      ...(calls.length > 0 && { tool_calls: calls.map(named) }),
      ...(id !== undefined && { tool_call_id: id }),
    };
  });
}

function withPictures(content: unknown, images: readonly unknown[]): unknown[] {
  const words = asText(content ?? '');
  const pictures = images.map((image) => encodedPicture(asText(image)));
  return [...(words === '' ? [] : [{ type: 'text', text: words }]), ...pictures];
}
