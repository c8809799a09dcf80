import { isObject, textOf } from '../../core/message.js';
import { imageTokens } from '../imageTokens.js';
import { compactJson } from '../jsonText.js';
import { namedPaths } from '../namedPaths.js';
import { callsOf, MAX_READ_ARGUMENTS, rawArgumentsOf, resultNameOf, type LooseCall } from '../toolCalls.js';
import { answeredIdOf, envelopeOf, isPromptRole, type UntypedMessage } from '../transcriptItem.js';
import { clipName, numberOr, textOr } from '../values.js';
import { aboutTokens, aboutTokensOf } from './aboutTokens.js';
import { serverOfTool, type ContextKind, type Contributor } from './contextKinds.js';

/** A part of a message, or of what else fills a window, and about how many tokens it is. */
export interface Piece extends Contributor {
  readonly estimate: number;
}

/** What a tool's result needs to know of the call that it answers. */
export interface CalledTool {
  readonly tool: string;
  readonly path: string;
}

/** A piece that is of no tool. */
export function piece(kind: ContextKind, estimate: number): Piece {
  return { kind, tool: '', server: '', path: '', estimate };
}

/** A piece that is of a tool, and of a file where its call names one. */
export function toolPiece(kind: ContextKind, called: CalledTool, estimate: number): Piece {
  return { kind, tool: called.tool, server: serverOfTool(called.tool), path: called.path, estimate };
}

/** Arguments without any of these name no file, whatever else they hold. */
const MAY_NAME_FILE = /path|file|uri|\*\*\* Begin Patch/i;

/** What a tool call calls, and the first file that its arguments name. */
export function calledTool({ name, input }: LooseCall): CalledTool {
  const raw = typeof input === 'string' ? input : undefined;
  const isRead = raw === undefined || (raw.length <= MAX_READ_ARGUMENTS && MAY_NAME_FILE.test(raw));
  return { tool: clipName(name), path: isRead ? clipName(namedPaths(input)[0]) : '' };
}

/** The estimate of a text, of which a record may hold the beginning alone. */
type Estimate = (text: string, field: 'content' | 'reasoning' | 'arguments', index?: number) => number;

/** The texts that a record keeps in files of their own count as long as they are there. */
function estimateOf(item: unknown): Estimate {
  const spill = envelopeOf(item)?.spill;
  if (!Array.isArray(spill)) return aboutTokens;
  return (text, field, index) => {
    const isOfText = (ref: unknown) => isObject(ref) && ref.field === field && ref.index === index;
    const found: unknown = (spill as unknown[]).find(isOfText);
    const bytes = isObject(found) ? numberOr(found.bytes) : undefined;
    return bytes === undefined ? aboutTokens(text) : aboutTokensOf(text, bytes);
  };
}

/**
 * The pieces of a message in a window. `called` knows what a tool's result answers, and learns which tools the message
 * calls. Reasoning is a piece of its own.
 */
export function piecesOf(
  item: unknown,
  message: UntypedMessage,
  called: Map<string, CalledTool>,
): readonly Piece[] {
  const { role } = message;
  const estimate = estimateOf(item);
  if (role === 'tool' || role === 'function') {
    const answered = called.get(answeredIdOf(message)) ?? {
      tool: clipName(resultNameOf(message, envelopeOf(item))),
      path: '',
    };
    const kind = answered.path === '' ? 'results' : 'files';
    return contentPieces(message, toolPiece(kind, answered, 0), estimate);
  }
  if (role === 'system' || role === 'developer') return contentPieces(message, piece('system', 0), estimate);
  if (isPromptRole(role)) return contentPieces(message, piece('prompts', 0), estimate);
  return answerPieces(message, estimate, called);
}

function answerPieces(
  message: UntypedMessage,
  estimate: Estimate,
  called: Map<string, CalledTool>,
): readonly Piece[] {
  const said = contentPieces(message, piece('answers', 0), estimate);
  const calls = callsOf(message);
  const thought = textOr(message.reasoning_content);
  if (calls.length === 0 && thought === '') return said;
  return [
    ...(thought === '' ? [] : [piece('thinking', estimate(thought, 'reasoning'))]),
    ...said,
    ...calls.map((call, at) => {
      const tokens = estimate(rawArgumentsOf(call.input), 'arguments', at);
      const tool = calledTool(call);
      called.set(call.id, tool);
      return toolPiece('calls', tool, aboutTokens(call.name) + tokens);
    }),
  ];
}

/** The content of a message as pieces like `like`, and its pictures as pieces of their own. */
function contentPieces(
  { content, refusal }: UntypedMessage,
  like: Piece,
  tokensOf: Estimate,
): readonly Piece[] {
  if (typeof content === 'string') return [{ ...like, estimate: tokensOf(content, 'content') }];
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const refused = aboutTokens(textOr(refusal));
  const words = isObject(content) ? compactJson(content) : textOf(content);
  let estimate = tokensOf(words, 'content') + refused;
  let pictures = 0;
  for (const part of parts) {
    if (!isObject(part) || part.type === 'text') continue;
    if (part.type === 'image_url') pictures += imageTokens(part.image_url);
    else estimate += aboutTokens(compactJson(part));
  }
  const said = estimate > 0 ? [{ ...like, estimate }] : [];
  return pictures > 0 ? [...said, { ...like, kind: 'images' as const, estimate: pictures }] : said;
}
