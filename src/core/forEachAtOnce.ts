/**
 * Does work for each item, for at most `limit` at a time; takes the next item only when there is room for it. After an
 * error it takes no further one, and rejects with that error once all work that had begun has ended.
 */
export async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const errors: unknown[] = [];
  const start = (item: T) => {
    const one = work(item)
      .catch((error: unknown) => void errors.push(error))
      .finally(() => running.delete(one));
    running.add(one);
  };
  try {
    for await (const item of items) {
      start(item);
      if (running.size >= limit) await Promise.race(running);
      if (errors.length > 0) break;
    }
  } finally {
    await Promise.all(running);
  }
  if (errors.length > 0) throw errors[0];
}
