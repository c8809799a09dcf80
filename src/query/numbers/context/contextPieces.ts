import type { FactCall, Facts } from '../facts.js';
import { isPromptRole } from '../transcriptItem.js';
import { isOutput } from '../messageSize.js';
import { clipName } from '../values.js';
import type { CalledTools } from './calledTools.js';
import { namedTool, NOBODY, type ContextKind, type Contributor, type Named } from './contextKinds.js';

/** A part of a message, or of what else fills a window, and about how many tokens it is. */
export interface Piece extends Contributor {
  readonly estimate: number;
}

/** Takes the parts of a window, one by one. */
export type TakePiece = (kind: ContextKind, estimate: number, of: Named) => void;

function calledTool({ name, files }: FactCall): Named {
  return namedTool(clipName(name), clipName(files[0]?.path));
}

/**
 * Gives the pieces of a message in a window, one at least. `called` knows what a tool's result answers, and learns which tools
 * the message calls. Reasoning is a piece of its own. `asSummary`: it stands for what a compaction took out.
 */
export function eachPiece(
  facts: Facts,
  position: number,
  called: CalledTools,
  asSummary: boolean,
  take: TakePiece,
): void {
  const { role, calls, contentTokens, reasoningTokens, imageTokens } = facts;
  const isResult = role === 'tool' || role === 'function';
  const isAnswer = isOutput(role ?? '');
  const of = isResult ? answeredTool(facts, position, called) : NOBODY;
  const kind = isResult ? (of.path === '' ? 'results' : 'files') : kindOf(role, isAnswer);
  const thinks = isAnswer && reasoningTokens > 0;
  if (thinks) take(asSummary ? 'summary' : 'thinking', reasoningTokens, NOBODY);
  const hasMore = thinks || imageTokens > 0 || (isAnswer && calls.length > 0);
  if (contentTokens > 0 || !hasMore) take(asSummary ? 'summary' : kind, contentTokens, of);
  if (imageTokens > 0) take('images', imageTokens, of);
  if (!isAnswer) return;
  for (const call of calls) {
    const named = calledTool(call);
    called.add(call.id, named);
    take(asSummary ? 'summary' : 'calls', call.tokens, named);
  }
}

function kindOf(role: string | null | undefined, isAnswer: boolean): ContextKind {
  if (isAnswer) return 'answers';
  return isPromptRole(role) ? 'prompts' : 'system';
}

function answeredTool(facts: Facts, position: number, called: CalledTools): Named {
  return called.answer(facts.answers, position) ?? namedTool(clipName(facts.toolName));
}
