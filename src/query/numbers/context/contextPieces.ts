import type { FactCall, Facts } from '../facts.js';
import { isPromptRole } from '../transcriptItem.js';
import { isOutput } from '../messageSize.js';
import { clipName } from '../values.js';
import { namedTool, NOBODY, type ContextKind, type Contributor, type Named } from './contextKinds.js';
import { GenerationMap } from '../../../core/generationMap.js';
import { textHash } from '../argumentHash.js';
import { GrowingColumn } from '../growingColumn.js';

const CAPACITY = 16;

/**
 * The positions of messages by the ids of their source, see `Facts#sourceId`; of an id that comes again, the last. Every
 * message has one and only compactions ask, so they are put in order once somebody does.
 */
export class SourceIds {
  readonly #ids = new GrowingColumn(CAPACITY);
  readonly #positions = new GrowingColumn(CAPACITY);
  #length = 0;
  /** As many of them as somebody has asked for. */
  readonly #found = new Map<number, number>();
  #ordered = 0;

  add(id: number, position: number): void {
    this.#ids.set(this.#length, id);
    this.#positions.set(this.#length, position);
    this.#length++;
  }

  positionOf(id: number): number | undefined {
    for (; this.#ordered < this.#length; this.#ordered++)
      this.#found.set(this.#ids.get(this.#ordered), this.#positions.get(this.#ordered));
    return this.#found.get(id);
  }
}

/** So many calls of a window, and at most twice as many, are known when their results come: these follow soon. */
const REMEMBERED = 10_000;

/** The tools that are called in a window, by the ids of their calls; of those long ago only where their results stand. */
export class CalledTools {
  readonly #called = new GenerationMap<string, Named>(REMEMBERED);
  readonly #results = new SourceIds();

  /** Adds a call of a tool. */
  add(id: string, of: Named): void {
    this.#called.set(id, of);
  }

  /** What the result at a position answers; undefined where no call has the id. */
  answer(id: string, position: number): Named | undefined {
    const of = this.#called.get(id);
    if (of) this.#results.add(textHash(id), position);
    return of;
  }

  /** Where the result of a call stands; undefined where there is none. */
  resultAt(id: string): number | undefined {
    return this.#results.positionOf(textHash(id));
  }
}

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
