import { vi } from 'vitest';

/**
 * What `look` gives as soon as it throws no more: for what files, sockets and threads take their time for. The limit is
 * not a part of any test: a machine that does much else at the same time makes nothing wrong, only late.
 */
export function soon<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: 60_000, interval: 5 });
}
