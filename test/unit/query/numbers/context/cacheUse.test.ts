import { describe, expect, it } from 'vitest';
import { CacheUse, type CachedRequest } from '../../../../../src/query/numbers/context/cacheUse.js';
import type { Usage } from '../../../../../src/core/usage.js';

const MINUTE = 60_000;
const usage = (input: number, read: number, written = 0, hourly = 0): Usage => ({
  inputTokens: input,
  outputTokens: 1,
  cachedInputTokens: read,
  cacheWriteTokens: written,
  estimated: false,
  cacheWrite1hTokens: hourly,
});
const at = (minutes: number, more: Partial<CachedRequest> = {}): CachedRequest => ({
  model: 'm',
  sentAt: 1 + minutes * MINUTE,
  answeredAt: 2 + minutes * MINUTE,
  compacted: false,
  systemChanged: false,
  toolsChanged: false,
  ...more,
});

/** What breaks between two requests. */
function between(first: Usage, second: Usage, when: CachedRequest) {
  const cache = new CacheUse();
  cache.next(first, at(0));
  return cache.next(second, when);
}

describe('a cached prefix', () => {
  it('is not broken where all that was there is read again', () => {
    expect(between(usage(9_000, 0, 8_990), usage(9_500, 8_990, 400), at(1))).toBeUndefined();
  });

  it('is broken where less of it is read, by as much as is paid for again', () => {
    const broken = between(usage(9_000, 4_000, 4_990), usage(9_500, 4_000, 5_000), at(1));
    expect(broken).toMatchObject({ held: 8_990, read: 4_000, reasons: [] });
  });

  it('is not called broken for less than any provider caches', () => {
    expect(between(usage(9_000, 0, 8_990), usage(9_500, 8_000, 400), at(1))).toBeUndefined();
    expect(between(usage(1_000, 0, 990), usage(1_100, 0, 900), at(1))).toBeUndefined();
  });

  it('of a cache that a provider keeps by itself is what was read before', () => {
    expect(between(usage(9_000, 0), usage(9_500, 0), at(1))).toBeUndefined();
    expect(between(usage(9_000, 8_960), usage(9_500, 0), at(1))).toMatchObject({ held: 8_960, read: 0 });
  });

  it('cannot be longer than the request itself', () => {
    expect(between(usage(9_000, 0, 8_990), usage(2_000, 1_500, 0), at(1))).toBeUndefined();
  });

  it.each<[string, CachedRequest, string[]]>([
    ['nothing that is recorded', at(1), []],
    ['another model', at(1, { model: 'other' }), ['model']],
    ['a compaction', at(1, { compacted: true }), ['compaction']],
    ['other instructions and tools', at(1, { systemChanged: true, toolsChanged: true }), ['system', 'tools']],
    ['more than five minutes', at(6), ['fiveMinutes']],
    ['more than an hour', at(61), ['hour']],
    ['six minutes of an unknown time', { ...at(6), sentAt: 0, answeredAt: 0 }, []],
  ])('is broken with %s', (_, when, reasons) => {
    expect(between(usage(9_000, 0, 8_990), usage(9_500, 0, 9_400), when)?.reasons).toEqual(reasons);
  });

  it('that was written for an hour does not expire after five minutes', () => {
    const hourly = usage(9_000, 0, 8_990, 8_990);
    expect(between(hourly, usage(9_500, 0, 9_400), at(6))?.reasons).toEqual([]);
    expect(between(hourly, usage(9_500, 0, 9_400), at(61))?.reasons).toEqual(['hour']);
  });
});
