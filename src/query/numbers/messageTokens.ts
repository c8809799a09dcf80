import { isObject, type ChatMessage } from '../../core/message.js';
import type { TokenCounter } from '../../core/ports/tokenCounter.js';
import { imageTokens } from './imageTokens.js';
import { compactJson } from './jsonText.js';
import { envelopeOf, type UntypedMessage } from './transcriptItem.js';

/** The overhead of a message: OpenAI's cookbook, "How to count tokens with tiktoken", `tokens_per_message`. */
const TOKENS_PER_MESSAGE = 3;

/** The overhead of a name: the same source, `tokens_per_name`. */
const TOKENS_PER_NAME = 1;

/** The overhead of a tool call. The cookbook says nothing about calls in a history; each counts like a message. */
const TOKENS_PER_CALL = 3;

/** A number of tokens and its source. */
export interface MessageTokens {
  /** Undefined where it is unknown: no counter, or one that failed. */
  readonly tokens: number | undefined;
  /** True where the provider reported it, false where it was counted locally. */
  readonly exact: boolean;
}

/**
 * The tokens of a message, given a count for texts: role, name, text parts, refusal, and the name, id and arguments of
 * each call, plus the constants above; images by their tiles; any other part as its JSON text. Reasoning does not count,
 * because it is not part of the history as most endpoints take it. Nor do the three tokens that prime an answer: they
 * belong to the request.
 */
export function countMessageTokens(message: UntypedMessage, count: (text: string) => number): number {
  let tokens = TOKENS_PER_MESSAGE + contentTokens(message.content, count);
  tokens += textTokens(message.role, count);
  tokens += textTokens(message.refusal, count) + textTokens(message.tool_call_id, count);
  if (typeof message.name === 'string') tokens += TOKENS_PER_NAME + count(message.name);
  if (Array.isArray(message.tool_calls)) {
    for (const call of message.tool_calls as unknown[]) tokens += callTokens(call, count);
  }
  return tokens;
}

/** Gives the tokens of `message`, which is `item` or the message it carries; never throws. */
export type TokensOfMessage = (item: unknown, message: UntypedMessage) => MessageTokens;

/** Prefers what the provider reported for an answer over what `counter` counts. */
export function tokensOfMessage(counter: TokenCounter | undefined): TokensOfMessage {
  const estimate = counter && estimateOf(counter);
  return (item, message) => {
    const exact = exactTokens(item, message);
    return { tokens: exact ?? estimate?.(message), exact: exact !== undefined };
  };
}

/** The output tokens that the provider reported for an assistant message. */
function exactTokens(item: unknown, message: UntypedMessage): number | undefined {
  if (message.role !== 'assistant') return undefined;
  const usage = envelopeOf(item)?.usage;
  if (!isObject(usage) || usage.estimated === true) return undefined;
  return tokenNumber(usage.outputTokens);
}

function estimateOf(counter: TokenCounter): (message: UntypedMessage) => number | undefined {
  const count = (text: string): number => counter.count(text);
  return (message) => {
    try {
      const tokens = counter.countMessage
        ? counter.countMessage(message as unknown as ChatMessage)
        : countMessageTokens(message, count);
      return tokenNumber(tokens);
    } catch {
      // A counter that fails leaves the count unknown, and results show it as unknown.
      return undefined;
    }
  };
}

/** Validates a number of tokens from outside: undefined unless finite and not negative. */
export function tokenNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
}

function contentTokens(content: unknown, count: (text: string) => number): number {
  if (typeof content === 'string') return textTokens(content, count);
  if (content === null || content === undefined) return 0;
  if (!Array.isArray(content)) return count(compactJson(content));
  let tokens = 0;
  for (const part of content as unknown[]) tokens += partTokens(part, count);
  return tokens;
}

function partTokens(part: unknown, count: (text: string) => number): number {
  if (!isObject(part)) return typeof part === 'string' ? count(part) : 0;
  if (part.type === 'text') return textTokens(part.text, count);
  if (part.type === 'image_url') return imageTokens(part.image_url);
  return count(compactJson(part));
}

function callTokens(call: unknown, count: (text: string) => number): number {
  if (!isObject(call)) return 0;
  const spec = isObject(call.function) ? call.function : call;
  const input = typeof spec.arguments === 'object' ? compactJson(spec.arguments) : spec.arguments;
  return (
    TOKENS_PER_CALL + textTokens(call.id, count) + textTokens(spec.name, count) + textTokens(input, count)
  );
}

function textTokens(text: unknown, count: (text: string) => number): number {
  return typeof text === 'string' && text !== '' ? count(text) : 0;
}
