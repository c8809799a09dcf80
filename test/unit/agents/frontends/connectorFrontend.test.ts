import { expect, test } from 'vitest';
import { ConnectorFrontend } from '../../../../src/agents/frontends/connectorFrontend.js';
import type { Frontend } from '../../../../src/core/ports/frontend.js';
import { ManualTime, settle } from '../../../support/manualTime.js';
import { RecordingLog } from '../../../support/recordingLog.js';

function chat(answer: (text: string) => Promise<void> = async () => undefined) {
  const posts: string[] = [];
  const log = new RecordingLog();
  const time = new ManualTime();
  const connector = {
    post: (name: string, text: string) => {
      posts.push(`${name}| ${text}`);
      return answer(text);
    },
  };
  return {
    frontend: new ConnectorFrontend(connector, { chat: 'telegram:1', log, timers: time }),
    posts,
    log,
    time,
  };
}

test('a dispatch is one line when it starts and one when it ends', async () => {
  const { frontend, posts } = chat();
  frontend.showDispatchStart('Pickle', 'Cookie', 'please bake');
  frontend.showToolActivity();
  frontend.showDispatchResult('Pickle', 'Cookie', 'baked\nwell');
  frontend.showText();
  await frontend.idle();
  expect(posts).toEqual(['telegram:1| Pickle: @cookie please bake', 'telegram:1| Cookie: - baked well']);
});

test('failures are said too, and that somebody waits for an approval, but not for what', async () => {
  const { frontend, posts } = chat();
  frontend.showDispatchFailure('Pickle', 'Cookie', 'no oven');
  const shown: Frontend = frontend;
  void shown.showApproval('Pickle', 'Run curl -H "Authorization: Bearer s3cret"');
  await frontend.idle();
  expect(posts).toEqual([
    'telegram:1| Cookie: - failed: no oven',
    'telegram:1| Pickle: waits for an approval. It is asked and given in VS Code only; /stop ends the run.',
  ]);
});

test('no method waits for the platform, and lines are posted one after another', async () => {
  const opens: (() => void)[] = [];
  const { frontend, posts } = chat(() => new Promise((resolve) => opens.push(resolve)));
  frontend.showDispatchStart('Pickle', 'Cookie', 'bake');
  frontend.showDispatchResult('Pickle', 'Cookie', 'baked');
  await settle();
  expect(posts).toHaveLength(1);
  opens[0]?.();
  await settle();
  expect(posts).toHaveLength(2);
});

test('a line that cannot be posted is a warning, and the next one is posted', async () => {
  const { frontend, posts, log } = chat(async (text) => {
    if (text.includes('@')) throw new Error('forbidden');
  });
  frontend.showDispatchStart('Pickle', 'Cookie', 'bake');
  frontend.showDispatchResult('Pickle', 'Cookie', 'baked');
  await frontend.idle();
  expect(posts).toHaveLength(2);
  expect(log.lines).toEqual(['warn: Posting a line to telegram:1 failed: forbidden']);
});

test('a flood while the platform hangs keeps the newest lines and says how many are missing', async () => {
  const { frontend, posts, time } = chat(() => new Promise(() => undefined));
  for (let n = 0; n < 10_000; n++) frontend.showDispatchStart('Pickle', 'Cookie', `${n}`);
  await time.advance(30_000 * 300);
  expect(posts).toHaveLength(202);
  expect(posts[200]).toBe('telegram:1| Pickle: @cookie 9999');
  expect(posts[201]).toContain('9799 older lines were left out');
});
