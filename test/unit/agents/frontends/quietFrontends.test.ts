import { expect, test } from 'vitest';
import {
  DispatchesOnlyFrontend,
  SilentFrontend,
} from '../../../../src/agents/frontends/dispatchesOnlyFrontend.js';
import type { Frontend } from '../../../../src/core/ports/frontend.js';
import { RecordingFrontend } from '../../../support/recordingFrontend.js';

function tellEverything(frontend: Frontend): unknown[] {
  return [
    frontend.showDispatchStart('Cookie', 'Crumb', 'sift'),
    frontend.showDispatchResult('Cookie', 'Crumb', 'sifted'),
    frontend.showDispatchFailure('Cookie', 'Crumb', 'no sieve'),
    frontend.showText('Cookie', 'I am baking.'),
    frontend.showToolActivity('Cookie', 'read_file', 'start', 'a.ts'),
    frontend.showApproval('Cookie', 'Write a.ts'),
  ];
}

test('a silent frontend has nothing to wait for', () => {
  expect(tellEverything(new SilentFrontend()).every((answer) => answer === undefined)).toBe(true);
});

test('of a child only what concerns others is shown', () => {
  const shown = new RecordingFrontend();
  tellEverything(new DispatchesOnlyFrontend(shown));
  expect(shown.lines).toEqual([
    'start Cookie Crumb sift',
    'result Cookie Crumb sifted',
    'failure Cookie Crumb no sieve',
    'approval Cookie Write a.ts',
  ]);
});
