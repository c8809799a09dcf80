import { isObject } from '../../core/message.js';
import { fields, objects, text, type Fields } from '../../import/reading/fields.js';
import { isOllamaPiece, streamedObjects } from '../../import/reading/streamedObjects.js';
import { assembledAnswer } from '../../import/general/streamedAnswer.js';

/** What an answer says, and the names by which requests go on with it. */
export interface Answered {
  /** What it says as `saidBy` writes it; '' for nothing. */
  readonly said: string;
  /** Its id in the Responses API; '' for none. */
  readonly id: string;
  /** The id of the conversation that the server keeps; '' for none. */
  readonly conversation: string;
}

/** Reads an answer of any of the known APIs, in one piece or as the text of a stream. */
export function answeredIn(body: unknown): Answered {
  const events = typeof body === 'string' ? streamedObjects(body) : [body].filter(isOllamaPiece);
  const answer = events.length > 0 ? (assembledAnswer(events) ?? {}) : fields(body);
  return {
    said: saidBy(itemsOf(answer)),
    id: 'output' in answer ? (text(answer.id) ?? '') : '',
    conversation: idOf(answer.conversation),
  };
}

/** The id of what is named by it alone or as an object that has it; '' for none. */
export function idOf(value: unknown): string {
  return text(fields(value).id) ?? text(value) ?? '';
}

/** Whether a message or an item of a request is what a model answered. */
export function isAnswer(item: unknown): boolean {
  const { role, type } = fields(item);
  if (typeof role === 'string') return role === 'assistant' || role === 'model';
  return type === 'reasoning' || (typeof type === 'string' && type.endsWith('_call'));
}

/**
 * What messages or items of an answer say, as it stays when a client sends them again: their words and the ids of their
 * calls, without thoughts and whatever else clients leave out or write in another way. '' for nothing.
 */
export function saidBy(items: readonly unknown[]): string {
  const words: string[] = [];
  const calls: unknown[] = [];
  for (const item of objects(items)) {
    if (item.type === 'reasoning') continue;
    if (text(item.type)?.endsWith('_call') === true) calls.push(item.call_id ?? item.id ?? item.name);
    for (const part of [item.content, item.parts, item.refusal].flat()) {
      if (typeof part === 'string') words.push(part);
      if (!isObject(part) || part.thought === true) continue;
      words.push(text(part.text) ?? text(part.refusal) ?? '');
      if (part.type === 'tool_use') calls.push(part.id ?? part.name);
      if (isObject(part.functionCall)) calls.push(part.functionCall.name);
    }
    for (const call of objects(item.tool_calls)) calls.push(call.id ?? fields(call.function).name);
  }
  const said = words.join('').trim();
  return said === '' && calls.length === 0 ? '' : JSON.stringify([said, calls]);
}

function itemsOf(answer: Fields): readonly unknown[] {
  if (Array.isArray(answer.output)) return answer.output as unknown[];
  if (answer.type === 'message') return [answer];
  const [choice] = objects(answer.choices ?? answer.candidates);
  return [choice?.message ?? choice?.content].filter(isObject);
}
