import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WrittenFiles } from '../../../src/app/transcripts/writtenFiles.js';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

const MINUTE = 60_000;

function written() {
  const files = new WrittenFiles((error) => {
    throw error;
  });
  const told: string[] = [];
  files.onDidChange((path) => told.push(`${path} ${files.has(path) ? 'is written' : 'rests'}`));
  return { files, told, note: (path: string, ago = 0) => files.note(path, Date.now() - ago, Date.now()) };
}

test('a file is being written until nothing was written for two minutes', () => {
  const { files, told, note } = written();
  note('a', MINUTE);
  vi.advanceTimersByTime(0.9 * MINUTE);
  note('a');
  vi.advanceTimersByTime(1.9 * MINUTE);
  expect(files.has('a')).toBe(true);
  expect(told).toEqual(['a is written']);
  vi.advanceTimersByTime(0.2 * MINUTE);
  expect(told).toEqual(['a is written', 'a rests']);
});

test('one that was written long ago rests, one of the future is written now', () => {
  const { files, told, note } = written();
  note('old', 3 * MINUTE);
  note('tomorrow', -1_440 * MINUTE);
  expect(told).toEqual(['tomorrow is written']);
  vi.advanceTimersByTime(2 * MINUTE);
  expect(files.has('tomorrow')).toBe(false);
});

test('nothing is told after the end', () => {
  const { files, told, note } = written();
  note('a');
  files.dispose();
  vi.advanceTimersByTime(5 * MINUTE);
  expect(told).toEqual(['a is written']);
});
