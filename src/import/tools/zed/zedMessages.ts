import type { SpeakerMark } from '../../building/whoSpeaks.js';
import type { StoredSession, StoredMessage } from '../../messages/storedSession.js';
import { contentOf } from '../../messages/anthropicBlocks.js';
import { chatMessage, encodedPicture, toolCall, toolMessage } from '../../messages/chatMessage.js';
import { asText, fields, list, objects, text, type Fields } from '../../reading/fields.js';

/** The messages of a thread of Zed's agents: as it has written them since version 0.3.0 of its threads, and before. */
export function zedMessages(
  messages: readonly unknown[],
  model: string | undefined,
): StoredSession['messages'] {
  return messages.flatMap((message): StoredSession['messages'] => {
    const { User: asked, Agent: answered, role } = fields(message);
    if (asked !== undefined) return [askedMessage(message, objects(fields(asked).content))];
    if (answered !== undefined) return answerOf(message, fields(answered), model);
    if (typeof role === 'string') return olderMessages(fields(message), model);
    return [{ kept: typeof message === 'string' ? message : 'message', raw: message }];
  });
}

function askedMessage(raw: unknown, parts: readonly Fields[]): StoredMessage {
  const said = parts.flatMap(partOf);
  // What was mentioned, a file or a thread, was put there by Zed.
  const marks = parts
    .filter((part) => !('Image' in part))
    .map((part): SpeakerMark | undefined => ('Mention' in part ? { kind: 'context' } : undefined));
  return { message: chatMessage('user', contentOf(said), {}), marks, raw };
}

/** An answer with its calls, and the results of these; what was said behind a call is a message behind its result. */
function answerOf(raw: unknown, answered: Fields, model: string | undefined): StoredMessage[] {
  const results = fields(answered.tool_results);
  const told = new Set<string>();
  const found: StoredMessage[] = [];
  let parts: Fields[] = [];
  const finish = () => {
    const calls = parts.flatMap(({ ToolUse: use }) => (use === undefined ? [] : [fields(use)]));
    const said = parts.flatMap(partOf);
    const thoughts = parts.flatMap(({ Thinking: thought }) => {
      const words = typeof thought === 'string' ? thought : text(fields(thought).text);
      return words ?? [];
    });
    if (parts.length === 0) return;
    const message = chatMessage('assistant', said.length === 0 ? null : contentOf(said), {
      reasoning: thoughts.join('\n'),
      calls: calls.map(({ id, name, input, raw_input }) => toolCall(id, name, input ?? raw_input)),
    });
    found.push({ message, model, raw });
    for (const { id, name } of calls) {
      const result = results[asText(id)];
      if (result !== undefined && !told.has(asText(id))) found.push(resultOf(id, name, fields(result), raw));
      told.add(asText(id));
    }
    parts = [];
  };
  for (const part of objects(answered.content)) {
    if (parts.some((before) => 'ToolUse' in before) && !('ToolUse' in part)) finish();
    parts.push(part);
  }
  finish();
  for (const [id, result] of Object.entries(results))
    if (!told.has(id)) found.push(resultOf(id, fields(result).tool_name, fields(result), raw));
  return found;
}

function resultOf(id: unknown, name: unknown, result: Fields, raw: unknown): StoredMessage {
  const { content, output, is_error } = result;
  const said = objects(Array.isArray(content) ? content : [content]).flatMap(partOf);
  const words = typeof content === 'string' ? content : said.length > 0 ? contentOf(said) : asText(output);
  return {
    message: toolMessage(id, words),
    toolName: text(name) ?? text(result.tool_name),
    isError: is_error === true || undefined,
    raw,
  };
}

/** What a part says or shows. */
function partOf(part: Fields): Fields[] {
  const { Text: words, Mention: mention, Image: image } = part;
  if (words !== undefined) return [{ type: 'text', text: asText(words) }];
  if (image !== undefined) return [encodedPicture(asText(fields(image).source))];
  if (mention === undefined) return [];
  const { uri, content } = fields(mention);
  return [{ type: 'text', text: text(content) ?? asText(uri) }];
}

/** A message of version 0.2.0: who speaks, what in segments, and the calls with their results beside. */
function olderMessages(message: Fields, model: string | undefined): StoredMessage[] {
  const segments = objects(message.segments);
  const wordsOf = (kind: string) =>
    segments.filter(({ type }) => type === kind).map(({ text: words }) => asText(words));
  const calls = objects(message.tool_uses);
  const said = wordsOf('text').join('\n');
  const isAnswer = message.role === 'assistant';
  const own = chatMessage(message.role, said === '' && calls.length > 0 ? null : said, {
    reasoning: wordsOf('thinking').join('\n'),
    calls: calls.map(({ id, name, input }) => toolCall(id, name, input)),
  });
  const names = new Map(calls.map(({ id, name }) => [asText(id), name]));
  const results = objects(list(message.tool_results)).map((result) =>
    resultOf(result.tool_use_id, names.get(asText(result.tool_use_id)), result, message),
  );
  const isOnlyResults = !isAnswer && said === '' && results.length > 0;
  // Results that stand in a person's message are those of the answer before it.
  const spoken = isOnlyResults ? [] : [{ message: own, model: isAnswer ? model : undefined, raw: message }];
  return isAnswer ? [...spoken, ...results] : [...results, ...spoken];
}
