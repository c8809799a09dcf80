import { expect, onTestFinished, test } from 'vitest';
import { ConversationCosts } from '../../../src/app/views/conversationCosts.js';
import { silentLog } from '../../../src/core/ports/log.js';
import type { CatalogEntry } from '../../../src/core/ports/transcript.js';

const NO_CALLS = new Map<string, never>();

/** The costs of a list, what was read for it, and which conversations it was told of. */
function listed(read: (conversation: string) => Promise<void> = () => Promise.resolve(), short?: string) {
  const asked: string[] = [];
  const costs = new ConversationCosts(async (conversation) => {
    asked.push(conversation);
    await read(conversation);
    return { short: short ?? `$${asked.length}`, explained: '', calls: NO_CALLS };
  }, silentLog);
  const told: string[] = [];
  costs.onDidChange((conversations) => told.push(...conversations));
  onTestFinished(() => costs.dispose());
  return { costs, asked, told };
}

const entry = (conversation: string, rest: Partial<CatalogEntry> = {}): CatalogEntry => ({
  conversation,
  title: '',
  agents: [],
  startedAt: 1,
  endedAt: 2,
  messages: 1,
  runs: 1,
  recordedHere: true,
  tokens: 0,
  tokensEstimated: false,
  state: 'done',
  scripted: false,
  damaged: 0,
  bytes: 100,
  ...rest,
});

test('what is not known is read once, one after the other, and told together', async () => {
  const { costs, asked, told } = listed();
  for (const id of ['a', 'b', 'a']) expect(costs.of(entry(id))).toBeUndefined();
  await expect.poll(() => told).toEqual(['a', 'b']);
  expect(costs.of(entry('a'))?.short).toBe('$1');
  expect(asked).toEqual(['a', 'b']);
});

test('a conversation that has grown is read again, and says what was known until then', async () => {
  const { costs, asked, told } = listed();
  costs.of(entry('a'));
  await expect.poll(() => told).toEqual(['a']);
  expect(costs.of(entry('a', { bytes: 200 }))?.short).toBe('$1');
  await expect.poll(() => told).toEqual(['a', 'a']);
  expect(costs.of(entry('a', { bytes: 200 }))?.short).toBe('$2');
  expect(asked).toEqual(['a', 'a']);
});

test('where prices have changed, what was known is told, and read again when it is asked for', async () => {
  const { costs, asked, told } = listed();
  costs.of(entry('a'));
  await expect.poll(() => told).toEqual(['a']);
  costs.reprice();
  await expect.poll(() => told).toEqual(['a', 'a']);
  expect(asked).toEqual(['a']);
  expect(costs.of(entry('a'))?.short).toBe('$1');
  await expect.poll(() => told).toEqual(['a', 'a', 'a']);
  expect(costs.of(entry('a'))?.short).toBe('$2');
});

test('a cost that nothing is known of is no news, because nothing is shown of it', async () => {
  const { costs, asked, told } = listed(undefined, '');
  costs.of(entry('a'));
  await expect.poll(() => costs.of(entry('a'))).toBeDefined();
  expect([asked, told]).toEqual([['a'], []]);
});

test('while an agent is at work nothing is read', () => {
  const { costs, asked } = listed();
  expect(costs.of(entry('a', { state: 'running' }))).toBeUndefined();
  expect(asked).toEqual([]);
});

test('one that cannot be read holds up no other and is not asked for again and again', async () => {
  const { costs, asked, told } = listed((id) =>
    id === 'a' ? Promise.reject(new Error('no')) : Promise.resolve(),
  );
  costs.of(entry('a'));
  costs.of(entry('b'));
  await expect.poll(() => told).toEqual(['b']);
  expect(costs.of(entry('a'))).toBeUndefined();
  expect(asked).toEqual(['a', 'b']);
});
