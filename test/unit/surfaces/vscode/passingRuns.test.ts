import { expect, test, vi } from 'vitest';
import { PassingRuns } from '../../../../src/surfaces/vscode/reading/compareEditors.js';

vi.mock('vscode', () => ({ l10n: { t: (text: string) => text } }));

test('what is replayed for a comparison that is closed meanwhile is forgotten at once', async () => {
  const replays = new Map<string, (replayed: object | Promise<never>) => void>();
  const forgotten: string[] = [];
  const passing = new PassingRuns({
    replays: {
      passing: (conversation: string) => new Promise((resolve) => replays.set(conversation, resolve)),
      forget: (conversation: string) => Promise.resolve(void forgotten.push(conversation)),
    },
    panels: { panelsOf: () => [] },
  } as unknown as ConstructorParameters<typeof PassingRuns>[0]);
  const reading = passing.readable(
    ['one', 'two', 'three'].map((conversation) => ({ kind: 'replay', root: '', conversation })),
  );
  replays.get('one')?.({ root: '', conversation: 'as one' });
  replays.get('two')?.(Promise.reject(new Error('It is gone.')));
  await expect(reading).rejects.toThrow('It is gone.');
  passing.dispose();
  expect(forgotten).toEqual(['as one']);
  replays.get('three')?.({ root: '', conversation: 'as three' });
  await vi.waitFor(() => expect(forgotten).toEqual(['as one', 'as three']));
});
