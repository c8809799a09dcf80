import { expect, test } from 'vitest';
import { readParts } from '../../../src/app/models/readParts.js';
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

/** A stream as VS Code makes it: whoever has not taken a part when it fails does not get it any more. */
class ForgetfulStream implements AsyncIterable<string> {
  readonly #parts: string[] = [];
  #taken = 0;
  #error: Error | undefined;
  #wake = (): void => undefined;

  say(...parts: string[]): void {
    this.#parts.push(...parts);
    this.#wake();
  }

  fail(): void {
    this.#error = new Error('boom');
    this.#wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<string> {
    return {
      next: async () => {
        for (;;) {
          if (this.#error) throw this.#error;
          const value = this.#parts[this.#taken];
          if (value !== undefined) {
            this.#taken++;
            return { done: false, value };
          }
          await new Promise<void>((resolve) => (this.#wake = resolve));
        }
      },
    };
  }
}

test('what came before a failure is given, however slowly it is read', async () => {
  const stream = new ForgetfulStream();
  const time = new ManualTime();
  const parts = readParts(stream, { signal: new AbortController().signal, idleMs: 1_000, timers: time });
  const first = parts.next();
  stream.say('Once', ' upon', ' a time');
  expect((await first).value).toBe('Once');
  await settle();
  stream.fail();
  await settle();
  expect([(await parts.next()).value, (await parts.next()).value]).toEqual([' upon', ' a time']);
  await expect(parts.next()).rejects.toThrow('boom');
  expect(time.waiting).toBe(0);
});
