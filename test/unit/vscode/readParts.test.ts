import { expect, test } from 'vitest';
import { readParts } from '../../../src/vscode/models/readParts.js';
import { ManualTime, settle } from '../../support/manualTime.js';

/** Reads a stream of these parts that then hangs for ever; says what came and how it ended. */
function reading(parts: readonly string[]) {
  const time = new ManualTime();
  const controller = new AbortController();
  const state = { ended: false };
  const stream: AsyncIterable<string> = {
    [Symbol.asyncIterator]: () => {
      const left = [...parts];
      return {
        next: () => {
          const value = left.shift();
          return value === undefined
            ? new Promise<never>(() => undefined)
            : Promise.resolve({ done: false as const, value });
        },
        return: async () => {
          state.ended = true;
          return Promise.reject(new Error('does not want to'));
        },
      };
    },
  };
  const got: string[] = [];
  const all = async (): Promise<string> => {
    const patience = { signal: controller.signal, idleMs: 1_000, timers: time };
    for await (const part of readParts(stream, patience)) got.push(part);
    return 'ended';
  };
  return { time, controller, got, state, result: all().catch((error: unknown) => String(error)) };
}

test('a stream that hangs is given up in time, and is told to end', async () => {
  const { time, got, state, result } = reading(['a', 'b']);
  await time.advance(999);
  expect(state.ended).toBe(false);
  await time.advance(1);
  expect(await result).toBe('Error: The model timed out: it said nothing more for 1 s.');
  expect(got).toEqual(['a', 'b']);
  expect(state.ended).toBe(true);
  expect(time.waiting).toBe(0);
});

test('a stream that hangs ends at once when it is aborted', async () => {
  const { time, controller, state, result } = reading(['a']);
  await settle();
  controller.abort();
  expect(await result).toBe('ended');
  expect(state.ended).toBe(true);
  expect(time.waiting).toBe(0);
});
