import { expect, test } from 'vitest';
import { StateChanges } from '../../../src/app/runs/runRegistry.js';

test('a run that another window ends is noticed once, and nothing else is', () => {
  const changes = new StateChanges();
  const running = { conversation: 'theirs', state: 'running' } as const;
  const old = { conversation: 'old', state: 'done' } as const;
  expect(changes.update([running, old])).toEqual([]);
  expect(changes.update([running, old, { conversation: 'new', state: 'running' }])).toEqual([]);
  const done = { conversation: 'theirs', state: 'done' } as const;
  expect(changes.update([done, old])).toEqual(['theirs']);
  expect(changes.update([done, old])).toEqual([]);
});
