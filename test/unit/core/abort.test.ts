import { expect, test } from 'vitest';
import { ABORTED, linkedController, onAbort, orAborted, raceAbort } from '../../../src/core/abort.js';

/** A signal that counts its listeners, and its controller. */
function watched() {
  const controller = new AbortController();
  const { signal } = controller;
  let listeners = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...given: unknown[]) => {
    listeners++;
    Reflect.apply(add, signal, given);
  };
  signal.removeEventListener = (...given: unknown[]) => {
    listeners--;
    Reflect.apply(remove, signal, given);
  };
  return { controller, signal, listeners: () => listeners };
}

const never = new Promise<string>(() => undefined);

test('what waits for an abort is called once, whether the abort comes later or was before', () => {
  const calls: string[] = [];
  const later = new AbortController();
  onAbort(later.signal, () => calls.push('later'));
  onAbort(AbortSignal.abort(), () => calls.push('before'));
  later.abort();
  later.abort();
  expect(calls).toEqual(['before', 'later']);
});

test('whoever has left is not called, and leaves no listener behind', () => {
  const { controller, signal, listeners } = watched();
  const leave = onAbort(signal, () => expect.unreachable());
  expect(listeners()).toBe(1);
  leave();
  expect(listeners()).toBe(0);
  controller.abort();
});

test('without a signal nothing ever happens', () => {
  onAbort(undefined, () => expect.unreachable())();
});

test('work that is done in time leaves no listener behind', async () => {
  const { signal, listeners } = watched();
  expect(await raceAbort(Promise.resolve('done'), signal)).toBe('done');
  expect(await orAborted(Promise.resolve('done'), signal)).toBe('done');
  await expect(orAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
  expect(listeners()).toBe(0);
});

test('an abort ends a wait for work that never ends', async () => {
  const { controller, signal } = watched();
  const race = raceAbort(never, signal);
  const work = orAborted(never, signal);
  const reason = new Error('enough');
  controller.abort(reason);
  expect(await race).toBe(ABORTED);
  await expect(work).rejects.toBe(reason);
  await expect(orAborted(never, signal)).rejects.toBe(reason);
  expect(await raceAbort(never, signal)).toBe(ABORTED);
});

test('a linked controller is aborted with the outer signal and its reason, until it is unlinked', () => {
  const outer = new AbortController();
  const linked = linkedController(outer.signal);
  const unlinked = linkedController(outer.signal);
  unlinked.unlink();
  outer.abort('why');
  expect(linked.controller.signal.reason).toBe('why');
  expect(unlinked.controller.signal.aborted).toBe(false);
  expect(linkedController(outer.signal).controller.signal.aborted).toBe(true);
});
