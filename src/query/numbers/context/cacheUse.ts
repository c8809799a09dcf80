import type { Usage } from '../../../core/usage.js';

/** Why a cached prefix was not read again, as far as the record proves it. */
export type CacheReason = 'compaction' | 'model' | 'system' | 'tools' | 'hour' | 'fiveMinutes';

/** A request that read less from the cache than the one before it had left there. */
export interface CacheBreak {
  /** The tokens that the cache held for it, and those that were read; what is between was paid for again. */
  readonly held: number;
  readonly read: number;
  /** What the record says of it; empty where it does not say why. */
  readonly reasons: readonly CacheReason[];
  /** How long nothing had been asked, in milliseconds; undefined where no time is known. */
  readonly idleMs: number | undefined;
}

/** What is known of a request besides its tokens. */
export interface CachedRequest {
  readonly model: string;
  /** When it was sent and when it was answered, in milliseconds since 1970; 0 where that is unknown. */
  readonly sentAt: number;
  readonly answeredAt: number;
  /** Whether the window was compacted, or its instructions or tools changed, since the request before. */
  readonly compacted: boolean;
  readonly systemChanged: boolean;
  readonly toolsChanged: boolean;
}

/**
 * Providers cache no shorter prefix: OpenAI from 1,024 tokens on, Anthropic from as many or more. What is lost of one must be
 * as long, because only the last messages differ elsewhere.
 */
const MIN_CACHED = 1_024;

const MINUTE_MS = 60_000;
const FIVE_MINUTES_MS = 5 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Follows what the requests of one window read from a cache and wrote to it. */
export class CacheUse {
  /** How long a prefix the cache holds by now. */
  #held = 0;
  #model = '';
  #answeredAt = 0;
  #hasHourly = false;

  /**
   * Takes the next request that reports its tokens; tells whether the prefix was broken. What the request before has read
   * and written is there for the next one, unless that is shorter itself. Writes count only where they are told: of caches
   * that a provider keeps by itself, only what was read before is known to be there.
   */
  next(usage: Usage, request: CachedRequest): CacheBreak | undefined {
    const read = Math.min(usage.cachedInputTokens ?? 0, usage.inputTokens);
    const written = usage.cacheWriteTokens ?? 0;
    const held = Math.min(this.#held, usage.inputTokens);
    const isBroken = held >= MIN_CACHED && held - read >= MIN_CACHED;
    const idleMs = this.#idle(request);
    const broken = isBroken ? { held, read, reasons: this.#reasons(request, idleMs), idleMs } : undefined;
    this.#held = Math.min(read + written, usage.inputTokens);
    this.#model = request.model;
    this.#answeredAt = request.answeredAt || request.sentAt || this.#answeredAt;
    this.#hasHourly ||= (usage.cacheWrite1hTokens ?? 0) > 0;
    return broken;
  }

  #idle({ sentAt, answeredAt }: CachedRequest): number | undefined {
    const at = sentAt || answeredAt;
    return at > 0 && this.#answeredAt > 0 && at >= this.#answeredAt ? at - this.#answeredAt : undefined;
  }

  #reasons(request: CachedRequest, idleMs = 0): CacheReason[] {
    const { compacted, model, systemChanged, toolsChanged } = request;
    const isOther = model !== '' && this.#model !== '' && model !== this.#model;
    const isLong = idleMs > HOUR_MS;
    const isExpired = idleMs > FIVE_MINUTES_MS && !this.#hasHourly;
    return [
      ...(compacted ? (['compaction'] as const) : []),
      ...(isOther ? (['model'] as const) : []),
      ...(systemChanged ? (['system'] as const) : []),
      ...(toolsChanged ? (['tools'] as const) : []),
      ...(isLong ? (['hour'] as const) : isExpired ? (['fiveMinutes'] as const) : []),
    ];
  }
}
