import { endIn, endOfCode, endOfHead, wordsOfResult, type CallEnd } from './callEnd.js';
import { isObject } from '../../core/message.js';
import { pictureAsPart } from '../../core/picture.js';
import { asText, fields, list, text, type Fields } from '../reading/fields.js';
import { contentParts, linkedPicture, chatMessage, toolCall, toolMessage } from './chatMessage.js';

/** A list of Anthropic's content blocks, converted: a chat message, and the tool results among them. */
export interface ConvertedBlocks {
  /** Undefined where all blocks are results. */
  readonly message: Record<string, unknown> | undefined;
  readonly results: readonly ConvertedResult[];
}

/** The result of a tool call as a chat message. */
interface ConvertedResult {
  readonly message: Record<string, unknown>;
  /** What tells how the call ended, see `ended`. */
  readonly ends: readonly (CallEnd | undefined)[];
}

/** A message that blocks stand for; `isResult` is what a tool gave. */
export interface OrderedMessage {
  readonly message: Record<string, unknown>;
  readonly isResult: boolean;
  /** What tells how the call ended, see `ended`. */
  readonly ends: readonly (CallEnd | undefined)[];
}

/**
 * The messages of a content in the order in which they were said. What a model says behind the result of a tool that its
 * provider ran is a message of its own; what clients answer stands before a person's words.
 */
export function messagesOfBlocks(role: string, content: unknown): readonly OrderedMessage[] {
  const turns =
    role === 'assistant' && Array.isArray(content)
      ? partTurns(content as unknown[], (block) => (isResult(fields(block).type) ? 'result' : 'said'))
      : [content];
  return (turns.length === 0 ? [content] : turns).flatMap((turn) => {
    const { message, results } = convertBlocks(role, turn);
    const said = message ? [{ message, isResult: false, ends: [] }] : [];
    const given = results.map((each) => ({ ...each, isResult: true }));
    return role === 'assistant' ? [...said, ...given] : [...given, ...said];
  });
}

/** Converts a message's content, a text or blocks, to chat-completions messages. Unknown blocks are kept as parts. */
export function convertBlocks(role: string, content: unknown): ConvertedBlocks {
  if (typeof content === 'string') return { message: { role, content }, results: [] };
  const parts: Fields[] = [];
  const calls: Fields[] = [];
  const results: ConvertedResult[] = [];
  let reasoning = '';
  for (const block of contentParts(content)) {
    const { type } = block;
    if (type === 'thinking') reasoning = lines(reasoning, text(block.thinking));
    // Roo's word for what other models than Anthropic's think.
    else if (type === 'reasoning' && typeof block.text === 'string') reasoning = lines(reasoning, block.text);
    else if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use')
      calls.push(toolCall(block.id, block.name, block.input));
    else if (isResult(type)) results.push(toolResult(block));
    else parts.push(contentPart(block));
  }
  const isSpoken = parts.length > 0 || calls.length > 0 || reasoning !== '' || results.length === 0;
  if (!isSpoken) return { message: undefined, results };
  return { message: chatMessage(role, contentOf(parts), { reasoning, calls }), results };
}

function isResult(type: unknown): boolean {
  return typeof type === 'string' && /(^|_)tool_result$/.test(type);
}

/** Adds the content of a later line to a message that an earlier line started. */
export function mergeMessages(message: Record<string, unknown>, more: Fields): void {
  const parts = [...partsOf(message.content), ...partsOf(more.content)];
  message.content = contentOf(parts);
  const reasoning = lines(text(message.reasoning_content) ?? '', text(more.reasoning_content));
  if (reasoning !== '') message.reasoning_content = reasoning;
  const calls = [...list(message.tool_calls), ...list(more.tool_calls)];
  if (calls.length > 0) message.tool_calls = calls;
}

function partsOf(content: unknown): Fields[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return list(content).filter(isObject);
}

/** A single text part becomes its text, no parts become null, anything else stays a list. */
export function contentOf(parts: readonly Fields[]): unknown {
  const [only] = parts;
  if (!only) return null;
  const isPlain = parts.length === 1 && only.type === 'text' && Object.keys(only).length === 2;
  return isPlain ? only.text : parts;
}

function contentPart(block: Fields): Fields {
  if (block.type !== 'image') return block;
  const source = fields(block.source);
  return source.type === 'base64'
    ? { ...pictureAsPart({ mimeType: asText(source.media_type), base64: asText(source.data) }) }
    : linkedPicture(asText(source.url));
}

function toolResult(block: Fields): ConvertedResult {
  const { tool_use_id, content } = block;
  const { error_code: code, return_code: exit } = fields(content);
  const ends: (CallEnd | undefined)[] = [
    endIn(block),
    typeof code === 'string' ? 'failed' : undefined,
    endOfCode(exit),
    endOfHead(wordsOfResult(content)),
  ];
  return { message: toolMessage(tool_use_id, resultContent(content)), ends };
}

/** Parts that a person can see stay parts; what else a tool may answer (an object, a list of other things) is JSON. */
function resultContent(content: unknown): unknown {
  if (!Array.isArray(content)) return asText(content);
  const isShown = content.some(
    (part) => typeof part === 'string' || ['text', 'image'].includes(asText(fields(part).type)),
  );
  if (isShown) return contentOf(contentParts(content).map((part) => contentPart(part)));
  return content.length === 0 ? '' : asText(content);
}

function lines(before: string, more: string | undefined): string {
  return more === undefined ? before : before === '' ? more : `${before}\n${more}`;
}

/** What a part of a message is, as far as its place among the others goes. */
export type PartPlace = 'said' | 'result' | 'answered' | 'step';

/**
 * The parts of one message in the turns in which they were said: each ends with what tools gave, and whatever stands behind
 * that begins the next, so that no word moves before the result that it speaks of. `answered` is a call with its result in
 * it, of which several may be made at once; a `step` only marks where one begins or ends, and says nothing.
 */
export function partTurns<Part>(
  parts: readonly Part[],
  placeOf: (part: Part) => PartPlace,
): readonly (readonly Part[])[] {
  const turns: Part[][] = [];
  let last: PartPlace = 'said';
  let isStepOver = false;
  for (const part of parts) {
    const place = placeOf(part);
    const turn = turns.at(-1);
    const isGiven = place === 'result' || (place === 'answered' && last === 'answered' && !isStepOver);
    const isOver = place !== 'step' && !isGiven && (last === 'result' || last === 'answered');
    if (!turn || isOver) turns.push([part]);
    else turn.push(part);
    isStepOver = place === 'step';
    if (!isStepOver) last = place;
  }
  return turns;
}
