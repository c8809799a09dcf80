import assert from 'node:assert/strict';
import { extensionApi, journal, runAgent } from './support/extension.js';
import { withSettings } from './support/settings.js';

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

  it('answers questions about what was said so far, afresh each time, and counts its tokens', async () => {
    const { messages } = await extensionApi();
    const query = await messages;
    const before = query.length;
    const tokens = query.stats().totalTokens;
    await runAgent('Pickle', 'Why were there so few cookies on Monday?');
    assert(query.length > before);
    assert(query.filter({ role: 'tool' }).length > 0);
    assert.equal(query.filter({ content: 'cookies on Monday' }).length > 0, true);
    assert(query.stats().totalTokens > tokens);
  });

  it('keeps no message in memory while that is switched off, and every one on the disk', async () => {
    const { accumulator } = await extensionApi();
    await withSettings({ 'recording.accumulator': false }, async () => {
      const before = accumulator.all();
      const { conversation } = await runAgent('Pickle', 'Why were there so few cookies on Tuesday?');
      assert.deepEqual(accumulator.all(), before);
      assert((await journal(conversation)).filter(({ type }) => type === 'message').length > 5);
    });
    await runAgent('Pickle', 'And on Wednesday?');
    assert(accumulator.all().some(({ message }) => message.content === 'And on Wednesday?'));
  });
});
