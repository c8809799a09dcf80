import { escapeRegExp } from '../core/escapeRegExp.js';
import { injectedOf, injectedWords, inParts, withoutInjected } from '../core/injected.js';
import { textOf } from '../core/message.js';
import { proseOfPart, textsIn } from '../core/prose.js';
import { failureTextOf } from './numbers/failures.js';
import { envelopeOf, messageIn, type UntypedMessage } from './numbers/transcriptItem.js';
import { deedLine, deedOf, inWords, jsonInWords, type Deed } from './numbers/deed.js';
import { argumentsOf, callsOf, rawArgumentsOf } from './numbers/toolCalls.js';

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

/** What a person is shown of a tool call where it was found: what it did, what came of it, and its arguments, as no JSON. */
export function shownTextOfCall(name: string, input: unknown, result: UntypedMessage | undefined): string {
  const answer = result ? jsonInWords(textOf(result.content)) : '';
  const deed = deedOf(name, input);
  return [deedLine(deed), answer, argumentWords(input, deed)].filter((text) => text !== '').join('\n');
}

/** The same of any item. */
export function shownTextOf(item: unknown): string {
  const message = messageIn(item);
  if (!message) {
    const told = [failureTextOf(item), ...textsOfRecord(envelopeOf(item))];
    return told.filter((text) => typeof text === 'string' && text !== '').join('\n');
  }
  const { reasoning_content: reasoning, refusal, role, content } = message;
  const said = role === 'tool' ? [jsonInWords(textOf(content))] : spokenTexts(item, content);
  const calls = callsOf(message).map(({ name, input }) => ({ input, deed: deedOf(name, input) }));
  const texts: unknown[] = [
    ...said,
    reasoning,
    refusal,
    ...calls.map(({ deed }) => deedLine(deed)),
    ...calls.map(({ input, deed }) => argumentWords(input, deed)),
    ...(Array.isArray(content) ? (content as unknown[]).map(proseOfPart) : []),
  ];
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n');
}

/** What whoever speaks says, and behind it what a tool put there, without its tags. */
function spokenTexts(item: unknown, content: unknown): string[] {
  const { text, spans } = inParts(content, injectedOf(item));
  return [withoutInjected(text, spans), ...injectedWords(text, spans).map((words) => words.text)];
}

/** The arguments in words, but for those that the line about the call is made of and tells whole: never a text that is only equal. */
function argumentWords(input: unknown, deed: Deed): string {
  const entries = Object.entries(argumentsOf(input));
  const raw = rawArgumentsOf(input);
  if (entries.length === 0) return isTold(raw, deed) ? '' : jsonInWords(raw);
  // Of a line that was cut, nothing says what is left of which argument.
  const headed = deed.headline.endsWith('…') ? [] : deed.headed;
  const rest = entries.filter(([name, value]) => !headed.includes(name) || !isTold(value, deed));
  return inWords(Object.fromEntries(rest));
}

/** Whether a text stands in a headline, as words of their own. */
function isTold(value: unknown, { headline }: Deed): boolean {
  if (typeof value !== 'string' || value === '' || value.length > headline.length) return false;
  return new RegExp(`(?<![\\p{L}\\p{N}])${escapeRegExp(value)}(?![\\p{L}\\p{N}])`, 'u').test(headline);
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
