import { textOf } from '../core/message.js';
import { proseOfPart } from '../core/prose.js';
import { envelopeOf, messageIn, type UntypedMessage } from './numbers/transcriptItem.js';
import { callsOf, rawArgumentsOf } from './numbers/toolCalls.js';

/** Longer JSON, in UTF-16 code units, is searched only as it is written. */
const MAX_DECODED = 200_000;

/**
 * What is shown of an item besides the text of `contentTextOf`, on lines of its own: the reasoning, the refusal, the calls
 * and the parts of unknown kinds of a message; the task of a dispatch, the subject of an approval, a title, the texts in what an import kept as it was.
 */
export function restOfText(item: unknown): string {
  const message = messageIn(item);
  const texts = message ? textsOfMessage(message) : textsOfRecord(envelopeOf(item));
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n');
}

function textsOfMessage(message: UntypedMessage): unknown[] {
  const { reasoning_content: reasoning, refusal, role, content } = message;
  const texts: unknown[] = [reasoning, refusal];
  for (const { name, input } of callsOf(message)) {
    const raw = rawArgumentsOf(input);
    texts.push(name, raw, decoded(raw));
  }
  if (role === 'tool') texts.push(decoded(textOf(content)));
  if (Array.isArray(content)) for (const part of content as unknown[]) texts.push(proseOfPart(part));
  return texts;
}

/**
 * What is shown of a tool call, on lines of its own: its name and arguments, and the result of the message that answers
 * it, where one does.
 */
export function textOfCall(name: string, input: unknown, result: UntypedMessage | undefined): string {
  const raw = rawArgumentsOf(input);
  const answer = result ? textOf(result.content) : '';
  return [name, raw, decoded(raw), answer, decoded(answer)].filter((text) => text !== '').join('\n');
}

function textsOfRecord(record: UntypedMessage | undefined): unknown[] {
  switch (record?.type) {
    case 'dispatch':
      return [record.task];
    case 'approval':
      return [record.toolName, record.subject];
    case 'title':
      return [record.title];
    case 'imported':
      return textsIn(record.value, MAX_DECODED);
    default:
      return [];
  }
}

/** The texts in JSON as they are shown, where that is not how they are written: with quotes and line breaks. */
function decoded(json: string): string {
  if (!json.includes('\\') || json.length > MAX_DECODED || !/^\s*[[{]/.test(json)) return '';
  try {
    return textsIn(JSON.parse(json)).join('\n');
  } catch {
    // Models do write arguments that are not JSON; they are searched as they are written.
    return '';
  }
}

/** The texts in a JSON value, in their order, as many as have so many UTF-16 code units. */
function textsIn(value: unknown, most = Infinity): string[] {
  const texts: string[] = [];
  const waiting = [value];
  let length = 0;
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === 'string') {
      length += next.length;
      if (length <= most) texts.push(next);
    } else if (typeof next === 'object' && next !== null)
      for (const entry of Object.values(next).reverse()) waiting.push(entry);
  }
  return texts;
}
