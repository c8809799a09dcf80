import { textOf, type ChatMessage } from '../../../core/message.js';
import { picturesOf } from '../../../core/picture.js';
import { firstCodePoints } from '../../../core/text.js';

/** A history that is short enough for a further try, and how much was left out for it. */
export interface CompactedHistory {
  readonly messages: readonly ChatMessage[];
  /** Messages that are no longer sent. */
  readonly dropped: number;
  /** Tool answers of which only the beginning is sent, or no picture. */
  readonly shortened: number;
}

/** Tells the model where something is missing. */
const NOTE: ChatMessage = {
  role: 'user',
  content: '[Earlier messages are left out here: they no longer fit.]',
};

/** How much of a tool's answer stays when it must be shortened, in code points. */
const ANSWER_LENGTH = 2_000;

/** What a picture takes, in characters: about a thousand tokens. */
const PICTURE_WEIGHT = 4_000;

/**
 * About half of a history, for a model that cannot read all of it: instructions, first and last prompt stay, so
 * do the latest messages, and calls stay with their answers. Where nothing can be dropped, long answers of tools are cut.
 * Undefined when there is nothing left to leave out. Expects a valid history; the record keeps everything.
 */
export function compactHistory(messages: readonly ChatMessage[]): CompactedHistory | undefined {
  const head = headOf(messages);
  const start = firstKept(messages, head);
  const prompt = messages.findLastIndex((message) => message.role === 'user' && message !== NOTE);
  const stays = prompt >= head && prompt < start ? messages.slice(prompt, prompt + 1) : [];
  const dropped = messages
    .slice(head, start)
    .filter((message) => message !== NOTE && message !== stays[0]).length;
  if (dropped > 0) {
    const kept = [...messages.slice(0, head), NOTE, ...stays, ...messages.slice(start)];
    return { messages: kept, dropped, shortened: 0 };
  }
  let shortened = 0;
  const cut = messages.map((message) => {
    const text = textOf(message.content);
    if (message.role !== 'tool') return message;
    const isLong = text.length > 2 * ANSWER_LENGTH;
    if (!isLong && picturesOf(message.content).length === 0) return message;
    shortened++;
    if (!isLong) return { ...message, content: `${text}\n[A picture is left out here.]` };
    const rest = text.length - ANSWER_LENGTH;
    return {
      ...message,
      content: `${firstCodePoints(text, ANSWER_LENGTH)}\n[${rest} more characters are left out here.]`,
    };
  });
  return shortened > 0 ? { messages: cut, dropped: 0, shortened } : undefined;
}

/** How many messages at the front always stay: the instructions and the first prompt. */
function headOf(messages: readonly ChatMessage[]): number {
  let head = 0;
  while (messages[head]?.role === 'system' || messages[head]?.role === 'developer') head++;
  return messages[head]?.role === 'user' ? head + 1 : head;
}

/** Where the kept end begins: not between a call and its answers, and never after the last message. */
function firstKept(messages: readonly ChatMessage[], head: number): number {
  const total = messages.slice(head).reduce((sum, message) => sum + weightOf(message), 0);
  let kept = 0;
  let start = messages.length;
  for (let index = messages.length - 1; index >= head; index--) {
    const message = messages[index];
    if (!message) break;
    kept += weightOf(message);
    if (message.role === 'tool') continue;
    if (kept > total / 2 && start < messages.length) break;
    start = index;
  }
  return start;
}

/** About how much a message takes, in characters. */
export function weightOf(message: ChatMessage): number {
  const calls = message.tool_calls ?? [];
  const texts = calls.reduce((sum, call) => sum + call.function.arguments.length, 0);
  const pictures = picturesOf(message.content).length * PICTURE_WEIGHT;
  return 20 + textOf(message.content).length + pictures + texts;
}
