import assert from 'node:assert/strict';
import { extensionApi } from './support/extension.js';

describe('the API for other extensions', () => {
  it('has the accumulator of this window and the public classes', async () => {
    const api = await extensionApi();
    assert.equal(api.accumulator.size >= 0, true);
    const { MessageAccumulator, MessageQuery } = await api.library();
    assert(api.accumulator instanceof MessageAccumulator);
    assert.equal(
      new MessageQuery([{ role: 'user', content: 'hello' }]).filter({ content: 'HELLO' }).length,
      1,
    );
  });
});
