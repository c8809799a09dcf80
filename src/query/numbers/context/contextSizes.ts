import { isObject, textOf } from '../../../core/message.js';
import { imageTokens } from '../imageTokens.js';
import { compactJson } from '../jsonText.js';
import { rawArgumentsOf, type LooseCall } from '../toolCalls.js';
import type { UntypedMessage } from '../transcriptItem.js';
import { numberOr, textOr } from '../values.js';
import { aboutTokens, aboutTokensOf } from './aboutTokens.js';

/** About how many tokens a message is in a window, without its tool calls. */
export interface ContextSizes {
  /** Of its content, without pictures, and of its refusal. */
  readonly content: number;
  readonly reasoning: number;
  readonly images: number;
}

/** The size of what is no message. */
export const NO_SIZES: ContextSizes = { content: 0, reasoning: 0, images: 0 };

/** See `ContextSizes`; `spill`: what its record says of texts that it keeps in files of their own, which count whole. */
export function contextSizesOf(message: UntypedMessage, spill: unknown): ContextSizes {
  const { content, refusal } = message;
  const refused = aboutTokens(textOr(refusal));
  const reasoning = textOr(message.reasoning_content);
  const sizes = {
    content: tokensOf(contentText(content), spill, 'content') + refused,
    reasoning: reasoning === '' ? 0 : tokensOf(reasoning, spill, 'reasoning'),
    images: 0,
  };
  if (Array.isArray(content)) for (const part of content as unknown[]) addPart(sizes, part);
  return sizes;
}

/** Adds a part of a content that is no text, of which only the size counts. */
export function addPart(sizes: { content: number; images: number }, part: unknown): void {
  if (!isObject(part) || part.type === 'text') return;
  if (part.type === 'image_url') sizes.images += imageTokens(part.image_url);
  else sizes.content += aboutTokens(compactJson(part));
}

/** About how many tokens a tool call is, the one with this number in its message; `spill` as for `contextSizesOf`. */
export function callTokens({ name, input }: Omit<LooseCall, 'id'>, spill: unknown, at: number): number {
  return aboutTokens(name) + tokensOf(rawArgumentsOf(input), spill, 'arguments', at);
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  return isObject(content) ? compactJson(content) : textOf(content);
}

function tokensOf(text: string, spill: unknown, field: string, index?: number): number {
  return (Array.isArray(spill) ? spilledTokens(spill, field, index, text) : undefined) ?? aboutTokens(text);
}

/** About how many tokens a text is that is kept in a file of its own; undefined where `spill` names none. */
export function spilledTokens(
  spill: readonly unknown[],
  field: string,
  index: number | undefined,
  beginning: string,
): number | undefined {
  const found = spill.find((ref) => isObject(ref) && ref.field === field && ref.index === index);
  const bytes = isObject(found) ? numberOr(found.bytes) : undefined;
  return bytes === undefined ? undefined : aboutTokensOf(beginning, bytes);
}
