import { expect, test } from 'vitest';
import { Cancelled } from '../../../src/core/cancelled.js';
import type { RequestClient } from '../../../src/page/protocol/requestClient.js';
import { Questions } from '../../../webview/questions.js';
import type { Store } from '../../../webview/store.js';

/** What the page tells when the host answers its question with this failure. */
async function toldAfter(failure: Error): Promise<unknown[]> {
  const told: unknown[] = [];
  const client = { ask: () => Promise.reject(failure) } as unknown as RequestClient;
  const store = { dispatch: (event: unknown) => told.push(event) } as unknown as Store;
  expect(await new Questions(client, store).ask('continue', { text: 'go' })).toBeUndefined();
  return told;
}

test('a failure is told, and what the person called off is not', async () => {
  expect(await toldAfter(new Error('No model.'))).toEqual([
    { type: 'notice', notice: { text: 'No model.', level: 'error' } },
  ]);
  expect(await toldAfter(new Cancelled())).toEqual([]);
});
