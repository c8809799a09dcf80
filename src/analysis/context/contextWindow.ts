import type { Usage } from '../../core/usage.js';
import { apportion } from './apportion.js';
import { CacheUse, type CacheBreak } from './cacheUse.js';
import type { Compaction, Dropped } from './compaction.js';
import { CONTEXT_KINDS, KIND_INDEX, type ContextKind, type WholeProvenance } from './contextKinds.js';
import type { Piece } from './contextPieces.js';

/** A request to a model: what filled its window. */
export interface ContextRequest {
  /** The position of the record with its answer. */
  readonly position: number;
  readonly model: string;
  /** In milliseconds since 1970; 0 where it is unknown. */
  readonly time: number;
  /** The tokens of all of it, and how they are known. */
  readonly total: number;
  readonly provenance: WholeProvenance;
  /** The tokens of each of `CONTEXT_KINDS`; they add up to `total`. */
  readonly parts: readonly number[];
  /** Of `total`, those read from and written to a cache; undefined where no request of the window tells of a cache. */
  readonly read: number | undefined;
  readonly written: number | undefined;
  readonly broken: CacheBreak | undefined;
  /** How many compactions there were since the request before. */
  readonly compactions: number;
}

/** A piece as a window has it, from one request on and up to a compaction. */
interface Held {
  readonly piece: Piece;
  readonly position: number;
  size: number;
  /** The number of the request that it was first sent with, from 0; -1 until then. */
  sentWith: number;
  /** The number of the first request without it. */
  until: number;
  /** The number of the compaction that took it out, among those of the window. */
  droppedBy: number;
}

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

/** Up to this part of its estimate, new text may be larger than estimated; what is beyond it is not recorded. */
const MAX_OVER_ESTIMATE = 0.5;
/** A request with less than this part of the window before it is one beside it, like for a title, if it is the only one. */
const BESIDE = 0.5;
/** So many compactions of one window look at each message; further ones are noted only. */
const MAX_EXACT_COMPACTIONS = 1_000;

const THINKING = KIND_INDEX.thinking;
const UNRECORDED = KIND_INDEX.unrecorded;
const STAYS: ReadonlySet<ContextKind> = new Set(['system', 'tools']);

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
  readonly requests: ContextRequest[] = [];
  readonly compactions: WindowCompaction[] = [];
  /** Everything that was ever in it, in the order of positions. */
  readonly #all: Held[] = [];
  #alive: Held[] = [];
  #pending: Held[] = [];
  readonly #sums = CONTEXT_KINDS.map(() => 0);
  /** What the last whole was, of those that the window grew to; undefined where the next one is a first. */
  #whole: number | undefined;
  #wasBeside = false;
  #reportsCache = false;
  #compacted = 0;
  #systemChanged = false;
  #toolsChanged = false;
  readonly #cache = new CacheUse();
  /** The positions of messages by the ids of their source, and of results by their calls. */
  readonly #sourceIds = new Map<string, number>();
  readonly #results = new Map<string, number>();

  /** How much waits for a request to be sent with. */
  get pending(): number {
    return this.#pending.length;
  }

  /** Adds what is sent from the next request on. */
  add(pieces: readonly Piece[], position: number): void {
    for (const piece of pieces) {
      const held = { piece, position, size: 0, sentWith: -1, until: Infinity, droppedBy: -1 };
      this.#all.push(held);
      this.#pending.push(held);
    }
  }

  /** Replaces what there is of a kind: instructions, or the schemas of tools. */
  replace(kind: 'system' | 'tools', pieces: readonly Piece[], position: number): void {
    const isOld = ({ piece }: Held) => piece.kind === kind;
    const before = [...this.#alive, ...this.#pending].filter(isOld);
    if (isSame(before, pieces)) return;
    this.#drop(isOld, -1);
    const changed = before.length > 0 && this.requests.length > 0;
    this.add(pieces, position);
    if (kind === 'system') this.#systemChanged = changed;
    else this.#toolsChanged = changed;
  }

  /** Notes by which ids compactions may name what is at a position. */
  name(position: number, sourceId: string, answeredCall: string): void {
    if (sourceId !== '') this.#sourceIds.set(sourceId, position);
    if (answeredCall !== '') this.#results.set(answeredCall, position);
  }

  /**
   * Adds a request with the first `pending` of what waits; `usage` is what its source reports of it alone. What it is
   * may become known late, when its answer waits already.
   */
  request(answered: AnsweredRequest, usage: Usage | undefined, pending = this.#pending.length): void {
    const reported = reportedWhole(usage);
    const isBeside = this.#isBeside(reported);
    this.#wasBeside = isBeside;
    if (!isBeside) this.#send(reported, pending);
    const parts = this.#partsOf(reported);
    const { position, model, time } = answered;
    const cache = isBeside ? NO_CACHE : this.#cacheOf(answered, usage);
    // One plain literal: there is one for each request of every transcript.
    this.requests.push({
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

  /** Takes out of the window what a compaction does. */
  compact(compaction: Compaction, position: number, time: number): void {
    const number = this.compactions.length;
    const isDropped = number < MAX_EXACT_COMPACTIONS ? this.#chosen(compaction.dropped) : () => false;
    const { messages, tokens } = this.#drop(isDropped, number);
    this.compactions.push({
      ...compaction,
      ...{ position, time, requestsBefore: this.requests.length, messages, tokens },
    });
    this.#compacted++;
    this.#whole = undefined;
    this.#sums[UNRECORDED] = 0;
  }

  /** The messages that a compaction took out, in order. */
  droppedBy(compaction: number): SizedMessage[] {
    return byPosition(this.#all.filter((held) => held.droppedBy === compaction));
  }

  /** What a request was sent with; the sizes add up to the request's whole, those of `unrecorded` included. */
  sentWith(request: number): SentPiece[] {
    const parts = this.requests[request]?.parts ?? [];
    const sent = this.#all.filter(
      ({ sentWith, until }) => sentWith >= 0 && sentWith <= request && until > request,
    );
    return CONTEXT_KINDS.flatMap((kind, index): SentPiece[] => {
      const ofKind = sent.filter(({ piece }) => piece.kind === kind);
      const whole = parts[index] ?? 0;
      const weights = ofKind.map(({ size }) => size);
      if (weights.every((weight) => weight === 0)) {
        return whole > 0 ? [{ piece: undefined, position: -1, tokens: whole }] : [];
      }
      const sizes = apportion(weights, whole);
      return ofKind.map(({ piece, position }, at) => ({ piece, position, tokens: sizes[at] ?? 0 }));
    });
  }

  /**
   * The position of the message at which the first `tokens` of a request end, counted in the order in which windows are
   * sent: instructions and tools first, and what is not recorded with them. Undefined where they end among these.
   */
  positionAt(request: number, tokens: number): number | undefined {
    const sent = this.sentWith(request);
    const isFront = ({ piece }: SentPiece) => piece === undefined || STAYS.has(piece.kind);
    let left = tokens;
    for (const each of sent) if (isFront(each)) left -= each.tokens;
    if (left < 0) return undefined;
    const rest = sent.filter((each) => !isFront(each)).sort((a, b) => a.position - b.position);
    return rest.find((each) => (left -= each.tokens) < 0)?.position ?? rest.at(-1)?.position;
  }

  /** Whether a request is one beside the window, with a prompt of its own. */
  #isBeside(reported: number | undefined): boolean {
    if (reported === undefined || this.#whole === undefined || this.#wasBeside) return false;
    return reported < this.#whole * BESIDE;
  }

  /** Gives what is sent for the first time its size. */
  #send(reported: number | undefined, count: number): void {
    const sent = this.#pending;
    this.#pending = sent.splice(count);
    let estimate = 0;
    let thoughts = 0;
    for (const { piece } of sent) {
      if (piece.kind === 'thinking') thoughts += piece.estimate;
      else estimate += piece.estimate;
      if (piece.kind === 'system' && this.requests.length > 0) this.#systemChanged = true;
    }
    const { said, thought } = this.#grow(reported, estimate, thoughts);
    const sizes = said === estimate ? undefined : apportion(sent.map(estimateOf), said);
    const thoughtSizes = thought === 0 ? undefined : apportion(sent.map(thoughtOf), thought);
    for (let at = 0; at < sent.length; at++) {
      const held = sent[at];
      if (!held) break;
      held.size = (sizes?.[at] ?? (sizes ? 0 : estimateOf(held))) + (thoughtSizes?.[at] ?? 0);
      held.sentWith = this.requests.length;
      this.#count(held, held.size);
      this.#alive.push(held);
    }
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

  #count({ piece }: Held, tokens: number): void {
    const index = KIND_INDEX[piece.kind];
    this.#sums[index] = (this.#sums[index] ?? 0) + tokens;
  }

  #partsOf(whole: number | undefined): number[] {
    const parts = [...this.#sums];
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

  #drop(isDropped: (held: Held) => boolean, number: number): { messages: number; tokens: number } {
    const positions = new Set<number>();
    let tokens = 0;
    const stays = (held: Held): boolean => {
      if (!isDropped(held)) return true;
      held.until = this.requests.length;
      held.droppedBy = number;
      positions.add(held.position);
      // What was never sent has no size yet, and was added just before.
      if (held.sentWith < 0) held.size = estimateOf(held);
      else this.#count(held, -held.size);
      tokens += held.size;
      return false;
    };
    this.#alive = this.#alive.filter(stays);
    this.#pending = this.#pending.filter(stays);
    return { messages: positions.size, tokens };
  }

  /** Which of what is in the window is dropped. */
  #chosen(dropped: Dropped): (held: Held) => boolean {
    const isMessage = ({ piece }: Held) => !STAYS.has(piece.kind);
    switch (dropped.what) {
      case 'all':
        return isMessage;
      case 'before': {
        const from = this.#sourceIds.get(dropped.id) ?? Infinity;
        return (held) => isMessage(held) && held.position < from;
      }
      case 'allBut': {
        const from = this.#sourceIds.get(dropped.from) ?? Infinity;
        const to = this.#sourceIds.get(dropped.to) ?? -1;
        return (held) => isMessage(held) && !(held.position >= from && held.position <= to);
      }
      case 'oldest':
      case 'oldestBetweenPrompts': {
        const chosen = this.#oldest(dropped.messages, dropped.what === 'oldestBetweenPrompts');
        return (held) => isMessage(held) && chosen.has(held.position);
      }
      case 'results': {
        const positions = new Set(dropped.ids.map((id) => this.#results.get(id)));
        return (held) => isMessage(held) && positions.has(held.position);
      }
      case 'unknown':
        return () => false;
    }
  }

  #oldest(messages: number, keepsPrompts: boolean): ReadonlySet<number> {
    const held = [...this.#alive, ...this.#pending].filter(({ piece }) => !STAYS.has(piece.kind));
    const prompts = keepsPrompts ? held.filter(({ piece }) => piece.kind === 'prompts') : [];
    const kept = new Set([prompts[0]?.position, prompts.at(-1)?.position]);
    const chosen = new Set<number>();
    for (const { position } of held) {
      if (kept.has(position)) continue;
      if (chosen.size >= messages && !chosen.has(position)) break;
      chosen.add(position);
    }
    return chosen;
  }
}

const NO_CACHE = { read: undefined, written: undefined, broken: undefined };

/** More tokens than any window has: what reports as many is no usage, and sums of it would be wrong. */
const MAX_WHOLE = 1e12;

/** The whole of a request, as its provider reported it; undefined where it did not. */
function reportedWhole(usage: Usage | undefined): number | undefined {
  if (!usage || usage.estimated || usage.inputTokens === 0 || usage.inputTokens > MAX_WHOLE) return undefined;
  return usage.inputTokens;
}

function isSame(held: readonly Held[], pieces: readonly Piece[]): boolean {
  return (
    held.length === pieces.length &&
    held.every(({ piece }, at) => piece.tool === pieces[at]?.tool && piece.estimate === pieces[at].estimate)
  );
}

/** Reasoning counts only as far as there is room for it. */
function estimateOf({ piece }: Held): number {
  return piece.kind === 'thinking' ? 0 : piece.estimate;
}

function thoughtOf({ piece }: Held): number {
  return piece.kind === 'thinking' ? piece.estimate : 0;
}

function sumOf(numbers: readonly number[]): number {
  let sum = 0;
  for (const number of numbers) sum += number;
  return sum;
}

function byPosition(held: readonly Held[]): SizedMessage[] {
  const messages = new Map<number, SizedMessage>();
  for (const { position, size, piece } of held) {
    const { tool, path } = piece;
    const known = messages.get(position) ?? { position, tokens: 0, tool, path };
    messages.set(position, { ...known, tokens: known.tokens + size });
  }
  return [...messages.values()].sort((a, b) => a.position - b.position);
}
