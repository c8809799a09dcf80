/**
 * What some pieces of work give, once all of them have ended: where one fails, none goes on behind whoever waits. Rejects as the first
 * of them in their order that failed.
 */
export async function allEnded<T extends readonly unknown[] | []>(
  work: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
