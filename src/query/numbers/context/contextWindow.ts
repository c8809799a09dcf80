import type { Usage } from '../../../core/usage.js';
import { textHash } from '../argumentHash.js';
import { CacheUse } from './cacheUse.js';
import type { Compaction, Dropped } from './compaction.js';
import { CONTEXT_KINDS, KIND_INDEX, type ContextKind, type Named } from './contextKinds.js';
import { type Piece, SourceIds } from './contextPieces.js';
import { BufferedPieces, STAYS } from './bufferedPieces.js';
import { SentRequests, type ContextRequest } from './sentRequests.js';
import type { SizedTool } from './toolSchemas.js';
import { greatestOf } from '../../../core/lists.js';

/** A compaction of a window. */
export interface WindowCompaction extends Compaction {
  /** The position of the record that tells of it. */
  readonly position: number;
  readonly time: number;
  /** How many requests of the window there were before. */
  readonly requestsBefore: number;
  /** Of how many messages something is no longer sent, and about how many tokens that is. */
  readonly messages: number;
  readonly tokens: number;
}

/** A message, or what else is at a position, and how many tokens of a window it takes. */
export interface SizedMessage {
  readonly position: number;
  readonly tokens: number;
  /** The tool and the file that it is of; '' for none. */
  readonly tool: string;
  readonly path: string;
}

/** A piece of a request; without one, what the request has of a kind and no record holds. */
export interface SentPiece {
  readonly piece: Piece | undefined;
  /** The position of its record; -1 for none. */
  readonly position: number;
  readonly tokens: number;
}

/** Takes what was sent with a request: `of` is undefined for what no record holds, whose position is -1. */
export type VisitSent = (
  kind: ContextKind,
  of: Named | undefined,
  position: number,
  tokens: number,
  estimate: number,
) => void;

/** Up to this part of its estimate, new text may be larger than estimated; what is beyond it is not recorded. */
const MAX_OVER_ESTIMATE = 0.5;
/** A request with less than this part of the window before it is one beside it, like for a title, if it is the only one. */
const BESIDE = 0.5;
/** So many compactions of one window look at each message; further ones are noted only. */
const MAX_EXACT_COMPACTIONS = 1_000;

const THINKING = KIND_INDEX.thinking;
const UNRECORDED = KIND_INDEX.unrecorded;
const SYSTEM = KIND_INDEX.system;
const IS_STAYING = CONTEXT_KINDS.map((kind) => STAYS.has(kind));

/** What of a request is known when it is answered. */
export interface AnsweredRequest {
  readonly position: number;
  readonly model: string;
  readonly time: number;
  readonly sentAt: number;
}

/**
 * What one agent's call sends with each of its requests, and how large each part of it is.
 *
 * The whole is what the provider reported. Of the first request, and of the first after a compaction, recorded parts have
 * their estimate (`aboutTokens`) and what is left is `unrecorded`. Of each further one, what was said since the request before is
 * as large as the two differ: shared by estimates, reasoning last, no part more than half over its estimate; what is beyond
 * that is `unrecorded` too. Where the whole is smaller than its parts, reasoning goes first and the rest is scaled. So parts
 * are estimates that always add up to the whole. Without a reported whole, it is the sum of the estimates, without reasoning.
 */
export class ContextWindow {
  readonly sent = new SentRequests();
  readonly compactions: WindowCompaction[] = [];
  readonly #held = new BufferedPieces();
  /** Those that stay when messages are taken out, by the indexes of their kinds. */
  readonly #staying: number[][] = CONTEXT_KINDS.map(() => []);
  /** All messages before this piece were taken out; all pieces from the other on wait for a request. */
  #firstMessage = 0;
  #firstPending = 0;
  readonly #sums = CONTEXT_KINDS.map(() => 0);
  /** What the last whole was, of those that the window grew to; undefined where the next one is a first. */
  #whole: number | undefined;
  #wasBeside = false;
  #reportsCache = false;
  #compacted = 0;
  #systemChanged = false;
  #toolsChanged = false;
  readonly #cache = new CacheUse();
  readonly #sourceIds = new SourceIds();

  /** Its requests, each made for whoever asks. */
  get requests(): readonly ContextRequest[] {
    return this.sent.all();
  }

  /** How many pieces were ever added. */
  get added(): number {
    return this.#held.length;
  }

  /** Adds what is sent from the next request on. */
  add(kind: ContextKind, estimate: number, of: Named, position: number): void {
    const index = KIND_INDEX[kind];
    if (IS_STAYING[index]) this.#staying[index]?.push(this.#held.length);
    this.#held.add(kind, estimate, of, position);
  }

  /** Replaces what there is of a kind: instructions, or the schemas of tools. */
  replace(kind: 'system' | 'tools', pieces: readonly SizedTool[], position: number): void {
    const index = KIND_INDEX[kind];
    const before = this.#staying[index] ?? [];
    if (this.#isSame(before, pieces)) return;
    const changed = before.length > 0 && this.sent.length > 0;
    for (const at of before) this.#drop(at, -1);
    this.#staying[index] = [];
    for (const { estimate, of } of pieces) this.add(kind, estimate, of, position);
    if (kind === 'system') this.#systemChanged = changed;
    else this.#toolsChanged = changed;
  }

  #isSame(before: readonly number[], pieces: readonly SizedTool[]): boolean {
    return (
      before.length === pieces.length &&
      before.every((at, index) => {
        const piece = pieces[index];
        const isAlike = this.#held.estimateAt(at) === piece?.estimate;
        return isAlike && this.#held.namedAt(at).tool === piece.of.tool;
      })
    );
  }

  /** Notes by which id of its source compactions may name a message. */
  name(position: number, sourceId: number): void {
    this.#sourceIds.add(sourceId, position);
  }

  /**
   * Adds a request with all that waits among the first `added` pieces; `usage` is what its source reports of it alone. What
   * it is may become known late, when its answer waits already.
   */
  request(answered: AnsweredRequest, usage: Usage | undefined, added = this.added): void {
    const reported = reportedWhole(usage);
    const isBeside = this.#isBeside(reported);
    this.#wasBeside = isBeside;
    if (!isBeside) this.#send(reported, added);
    const parts = this.#partsOf(reported);
    const { position, model, time } = answered;
    const cache = isBeside ? NO_CACHE : this.#cacheOf(answered, usage);
    // One plain literal: there is one for each request of every transcript.
    this.sent.add({
      position,
      model,
      time,
      total: reported ?? sumOf(parts),
      provenance: reported === undefined ? 'estimated' : 'reported',
      parts,
      read: cache.read,
      written: cache.written,
      broken: cache.broken,
      compactions: this.#compacted,
    });
    this.#compacted = 0;
    this.#systemChanged = false;
    this.#toolsChanged = false;
  }

  /** Takes out of the window what a compaction does; `resultAt`: where the result of the call with an id stands. */
  compact(
    compaction: Compaction,
    position: number,
    time: number,
    resultAt: (id: string) => number | undefined,
  ): void {
    const number = this.compactions.length;
    const isExact = number < MAX_EXACT_COMPACTIONS;
    const dropped = isExact ? this.#dropMessages(this.#chosen(compaction.dropped, resultAt), number) : NONE;
    this.compactions.push({
      ...compaction,
      position,
      time,
      requestsBefore: this.sent.length,
      ...dropped,
    });
    this.#compacted++;
    this.#whole = undefined;
    this.#sums[UNRECORDED] = 0;
  }

  /** The messages that a compaction took out, in order. */
  droppedBy(compaction: number): SizedMessage[] {
    const messages: SizedMessage[] = [];
    const held = this.#held;
    held.eachDroppedBy(compaction, (at) => {
      const [position, size, last] = [held.positionAt(at), held.sizeAt(at), messages.at(-1)];
      if (last?.position === position) messages.splice(-1, 1, { ...last, tokens: last.tokens + size });
      else {
        const { tool, path } = held.namedAt(at);
        messages.push({ position, tokens: size, tool, path });
      }
    });
    return messages;
  }

  /**
   * What a request was sent with, what no record holds first and the rest in the order of positions; the sizes add up to the
   * request's whole, those of `unrecorded` included.
   */
  sentWith(request: number): SentPiece[] {
    const found: SentPiece[] = [];
    this.eachSent(request, (kind, of, position, tokens, estimate) => {
      found.push({ piece: of && { kind, ...of, estimate }, position, tokens });
    });
    return found;
  }

  /** Visits the same, without a piece made for each. */
  eachSent(request: number, visit: VisitSent): void {
    const held = this.#held;
    const parts = this.sent.at(request)?.parts ?? [];
    const weights = this.#weights(request);
    for (const [index, kind] of CONTEXT_KINDS.entries()) {
      const whole = parts[index] ?? 0;
      if (weights[index] === 0 && whole > 0) visit(kind, undefined, -1, whole, 0);
    }
    const upTo = CONTEXT_KINDS.map(() => 0);
    held.eachSent(request, (at) => {
      const kind = held.kindAt(at);
      const weight = weights[kind] ?? 0;
      if (weight === 0) return;
      const before = upTo[kind] ?? 0;
      const next = before + held.sizeAt(at);
      upTo[kind] = next;
      // The borders between them are rounded, so that they add up.
      const whole = parts[kind] ?? 0;
      const tokens = Math.round((next / weight) * whole) - Math.round((before / weight) * whole);
      const name = CONTEXT_KINDS[kind] ?? 'unrecorded';
      visit(name, held.namedAt(at), held.positionAt(at), tokens, held.estimateAt(at));
    });
  }

  /** How much of each kind was sent with a request, by the sizes of its pieces. */
  #weights(request: number): number[] {
    const held = this.#held;
    const weights = CONTEXT_KINDS.map(() => 0);
    held.eachSent(request, (at) => {
      const kind = held.kindAt(at);
      weights[kind] = (weights[kind] ?? 0) + held.sizeAt(at);
    });
    return weights;
  }

  /**
   * The position of the message at which the first `tokens` of a request end, counted in the order in which windows are
   * sent: instructions and tools first, and what is not recorded with them. Undefined where they end among these.
   */
  positionAt(request: number, tokens: number): number | undefined {
    let left = tokens;
    const isFront = (kind: ContextKind, of: Named | undefined) => of === undefined || STAYS.has(kind);
    this.eachSent(request, (kind, of, _position, size) => {
      if (isFront(kind, of)) left -= size;
    });
    if (left < 0) return undefined;
    let found: number | undefined;
    this.eachSent(request, (kind, of, position, size) => {
      if (left < 0 || isFront(kind, of)) return;
      left -= size;
      found = position;
    });
    return found;
  }

  /** Whether a request is one beside the window, with a prompt of its own. */
  #isBeside(reported: number | undefined): boolean {
    if (reported === undefined || this.#whole === undefined || this.#wasBeside) return false;
    return reported < this.#whole * BESIDE;
  }

  /** Gives what is sent for the first time its size: what waits among the first `added` pieces. */
  #send(reported: number | undefined, added: number): void {
    const [held, request] = [this.#held, this.sent.length];
    const sent: number[] = [];
    let estimate = 0;
    let thoughts = 0;
    for (let at = this.#firstPending; at < added; at++) {
      if (held.isDropped(at)) continue;
      sent.push(at);
      const kind = held.kindAt(at);
      if (kind === THINKING) thoughts += held.estimateAt(at);
      else estimate += held.estimateAt(at);
      if (kind === SYSTEM && request > 0) this.#systemChanged = true;
    }
    this.#firstPending = Math.max(this.#firstPending, added);
    const { said, thought } = this.#grow(reported, estimate, thoughts);
    if (sent.length === 1) {
      this.#sendPiece(sent[0] ?? 0, said + thought);
      return;
    }
    const unthought = sent.map((at) => this.#unthoughtAt(at));
    const sizes = said === estimate ? unthought : apportion(unthought, said);
    const thoughtAt = (at: number, index: number) => held.estimateAt(at) - (unthought[index] ?? 0);
    const thoughtSizes = thought === 0 ? [] : apportion(sent.map(thoughtAt), thought);
    for (const [index, at] of sent.entries())
      this.#sendPiece(at, (sizes[index] ?? 0) + (thoughtSizes[index] ?? 0));
  }

  #sendPiece(at: number, size: number): void {
    this.#held.send(at, size, this.sent.length);
    this.#count(at, size);
  }

  /** The estimate of a piece, without reasoning: that counts only as far as there is room for it. */
  #unthoughtAt(at: number): number {
    return this.#held.kindAt(at) === THINKING ? 0 : this.#held.estimateAt(at);
  }

  /** How much of a reported whole is what is said now, of these estimates; what is left of it is not recorded. */
  #grow(
    reported: number | undefined,
    estimate: number,
    thoughts: number,
  ): { readonly said: number; readonly thought: number } {
    if (reported === undefined) return { said: estimate, thought: 0 };
    const before = sumOf(this.#sums);
    const unrecorded = this.#sums[UNRECORDED] ?? 0;
    const last = this.#whole;
    this.#whole = reported;
    if (last === undefined) {
      this.#sums[UNRECORDED] = Math.max(0, reported - (before - unrecorded) - estimate);
      return { said: estimate, thought: 0 };
    }
    const grown = Math.max(0, reported >= before ? reported - before : reported - last);
    const thought = Math.min(Math.max(0, grown - estimate), thoughts);
    const said = Math.min(grown - thought, Math.floor(estimate * (1 + MAX_OVER_ESTIMATE)));
    this.#sums[UNRECORDED] = unrecorded + grown - thought - said;
    return { said, thought };
  }

  #count(at: number, tokens: number): void {
    const index = this.#held.kindAt(at);
    this.#sums[index] = (this.#sums[index] ?? 0) + tokens;
  }

  #partsOf(whole: number | undefined): number[] {
    const parts = this.#sums.slice();
    const over = whole === undefined ? 0 : sumOf(parts) - whole;
    if (whole === undefined || over === 0) return parts;
    if (over < 0) {
      parts[UNRECORDED] = (parts[UNRECORDED] ?? 0) - over;
      return parts;
    }
    const thinking = Math.min(parts[THINKING] ?? 0, over);
    parts[THINKING] = (parts[THINKING] ?? 0) - thinking;
    return thinking === over ? parts : apportion(parts, whole);
  }

  #cacheOf(
    answered: AnsweredRequest,
    usage: Usage | undefined,
  ): Pick<ContextRequest, 'read' | 'written' | 'broken'> {
    const { cachedInputTokens, cacheWriteTokens } = usage ?? {};
    this.#reportsCache ||= (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0) > 0;
    if (!usage || !this.#reportsCache) return { read: undefined, written: undefined, broken: undefined };
    const broken = this.#cache.next(usage, {
      model: answered.model,
      sentAt: answered.sentAt,
      answeredAt: answered.time,
      compacted: this.#compacted > 0,
      systemChanged: this.#systemChanged,
      toolsChanged: this.#toolsChanged,
    });
    const read = Math.min(cachedInputTokens ?? 0, usage.inputTokens);
    return { read, written: Math.min(cacheWriteTokens ?? 0, usage.inputTokens - read), broken };
  }

  #dropMessages(isDropped: IsDropped, number: number): { messages: number; tokens: number } {
    const held = this.#held;
    let [messages, tokens, last] = [0, 0, -1];
    let isBeginning = true;
    for (let at = this.#firstMessage; at < held.length; at++) {
      if (IS_STAYING[held.kindAt(at)]) continue;
      const isGone = held.isDropped(at) || isDropped(held.positionAt(at));
      if (isBeginning && isGone) this.#firstMessage = at + 1;
      isBeginning &&= isGone;
      if (!isGone || held.isDropped(at)) continue;
      tokens += this.#drop(at, number);
      if (held.positionAt(at) !== last) messages++;
      last = held.positionAt(at);
    }
    return { messages, tokens };
  }

  /** Takes out a piece; gives how large it is. */
  #drop(at: number, compaction: number): number {
    const held = this.#held;
    held.drop(at, this.sent.length, compaction, this.#unthoughtAt(at));
    const size = held.sizeAt(at);
    if (held.isSent(at)) this.#count(at, -size);
    return size;
  }

  /** Which messages are dropped, by their positions. */
  #chosen(dropped: Dropped, resultAt: (id: string) => number | undefined): IsDropped {
    switch (dropped.what) {
      case 'all':
        return () => true;
      case 'before': {
        const from = this.#named(dropped.id) ?? Infinity;
        return (position) => position < from;
      }
      case 'allBut': {
        const from = this.#named(dropped.from) ?? Infinity;
        const to = this.#named(dropped.to) ?? -1;
        return (position) => !(position >= from && position <= to);
      }
      case 'oldest':
      case 'oldestBetweenPrompts': {
        const chosen = this.#oldest(dropped.messages, dropped.what === 'oldestBetweenPrompts');
        return (position) => chosen.has(position);
      }
      case 'results': {
        const positions = new Set(dropped.ids.map(resultAt));
        return (position) => positions.has(position);
      }
      case 'unknown':
        return () => false;
    }
  }

  #named(sourceId: string): number | undefined {
    return this.#sourceIds.positionOf(textHash(sourceId));
  }

  #oldest(messages: number, keepsPrompts: boolean): ReadonlySet<number> {
    const held = this.#held;
    const alive: number[] = [];
    for (let at = this.#firstMessage; at < held.length; at++)
      if (!IS_STAYING[held.kindAt(at)] && !held.isDropped(at)) alive.push(at);
    const prompts = keepsPrompts ? alive.filter((at) => held.kindAt(at) === KIND_INDEX.prompts) : [];
    const kept = new Set([prompts[0], prompts.at(-1)].map((at) => at !== undefined && held.positionAt(at)));
    const chosen = new Set<number>();
    for (const at of alive) {
      const position = held.positionAt(at);
      if (kept.has(position)) continue;
      if (chosen.size >= messages && !chosen.has(position)) break;
      chosen.add(position);
    }
    return chosen;
  }
}

/** Whether what is at a position is dropped. */
type IsDropped = (position: number) => boolean;

const NONE = { messages: 0, tokens: 0 };
const NO_CACHE = { read: undefined, written: undefined, broken: undefined };

/** More tokens than any window has: what reports as many is no usage, and sums of it would be wrong. */
const MAX_WHOLE = 1e12;

/** The whole of a request, as its provider reported it; undefined where it did not. */
function reportedWhole(usage: Usage | undefined): number | undefined {
  if (!usage || usage.estimated || usage.inputTokens === 0 || usage.inputTokens > MAX_WHOLE) return undefined;
  return usage.inputTokens;
}

function sumOf(numbers: readonly number[]): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

/**
 * Whole numbers in proportion to `weights` (finite, not negative) that add up to `total`, a whole number; each is less than
 * one off. All zero where every weight is. The borders between them are rounded, so nothing has to be sorted.
 */
export function apportion(weights: readonly number[], total: number): number[] {
  const greatest = greatestOf(weights, 0);
  if (greatest === 0 || total <= 0) return weights.map(() => 0);
  // Divided first, so that no sum of large weights is infinite.
  const sum = weights.reduce((all, weight) => all + weight / greatest, 0);
  let upTo = 0;
  let border = 0;
  return weights.map((weight) => {
    upTo += weight / greatest;
    const next = Math.round((upTo / sum) * total);
    const part = next - border;
    border = next;
    return part;
  });
}
