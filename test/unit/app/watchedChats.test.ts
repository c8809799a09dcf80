import { expect } from 'vitest';
import { telegramTest as test, ADA } from '../../support/telegramBench.js';
import { soon } from '../../support/soon.js';
import { session, watching } from '../../support/watchedWindow.js';

test('who waits is told in a chat of Telegram, without words that are to stay here', async ({ bench }) => {
  const connector = bench.connector();
  await bench.delivered(connector);
  bench.server.says(ADA, '/start');
  const rules = [{ when: 'waits', then: `telegram: ${ADA}` }];
  const { goOn, log } = await watching(rules, { chat: connector });
  await goOn(4, session('Fix hunter2', 1, { reason: 'approval', words: 'echo hunter2' }));
  await soon(() =>
    expect(bench.server.chat(ADA).at(-1)).toBe('Logbook: A session (Claude Code): waits for your approval'),
  );
  expect(log.lines).toEqual([]);
});
