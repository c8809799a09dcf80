import { expect, test } from 'vitest';
import type { RuntimeEvent } from '../../../src/agents/loop/runtimeEvent.js';
import { LiveTexts, MAX_LIVE_CHARACTERS } from '../../../src/app/services/liveTexts.js';

/** The texts of a conversation `c`, and how often it was told that something changed. */
function listening() {
  const texts = new LiveTexts((error) => {
    throw error;
  });
  const fired: string[] = [];
  texts.onDidWrite((conversation) => fired.push(conversation));
  const place = (call: string) => ({ run: 'r', call, agent: `agent ${call}`, depth: 0 });
  const say = (text: string, call = 'k'): void =>
    texts.hear('c', { type: 'textDelta', place: place(call), text });
  const think = (text: string, call = 'k'): void =>
    texts.hear('c', { type: 'reasoningDelta', place: place(call), text });
  const end = (type: 'said' | 'retry' | 'runEnd', call = 'k'): void => {
    const rest = {
      said: { type: 'said' },
      retry: { type: 'retry', attempt: 1, delayMs: 1, reason: 'busy' },
      runEnd: { type: 'runEnd', outcome: 'done', text: '', durationMs: 1 },
    } as const;
    texts.hear('c', { place: place(call), ...rest[type] } satisfies RuntimeEvent);
  };
  return { texts, fired, say, think, end };
}

test('pieces become one text, with what was thought beside it', () => {
  const { texts, fired, say, think } = listening();
  think('Hm');
  think('m.');
  say('Hel');
  say('lo');
  expect(texts.in('c')).toEqual([
    { call: 'k', agent: 'agent k', depth: 0, text: 'Hello', reasoning: 'Hmm.', isCut: false },
  ]);
  expect(fired).toEqual(['c', 'c', 'c', 'c']);
  expect(texts.in('another')).toEqual([]);
});

test.each(['said', 'retry', 'runEnd'] as const)('nothing is left of a text after %s', (type) => {
  const { texts, fired, say, end } = listening();
  say('Hello');
  end(type);
  expect(texts.in('c')).toEqual([]);
  expect(fired).toHaveLength(2);
  say('again');
  expect(texts.in('c')).toMatchObject([{ text: 'again' }]);
});

test('the end of one call’s message leaves that of another', () => {
  const { texts, say, end } = listening();
  say('one', 'a');
  say('two', 'b');
  end('said', 'a');
  expect(texts.in('c')).toMatchObject([{ call: 'b', text: 'two' }]);
  end('runEnd', 'a');
  expect(texts.in('c')).toEqual([]);
});

test('an end without a text is passed on to nobody', () => {
  const { fired, end } = listening();
  end('said');
  end('retry');
  end('runEnd');
  expect(fired).toEqual([]);
});

test('of a long text only the end stays, in whole characters, and it is said that it was cut', () => {
  const { texts, say } = listening();
  const whole = '👍'.repeat(MAX_LIVE_CHARACTERS * 2);
  for (let at = 0; at < whole.length; at += 777) say(whole.slice(at, at + 777));
  say('.');
  const [text] = texts.in('c');
  expect(text?.isCut).toBe(true);
  expect(text?.text).toBe(`${'👍'.repeat((MAX_LIVE_CHARACTERS - 2) / 2)}.`);
});

test('half of a character waits for its other half', () => {
  const { texts, say } = listening();
  say('Yes \ud83d');
  expect(texts.in('c')).toMatchObject([{ text: 'Yes ' }]);
  say('\udc4d');
  expect(texts.in('c')).toMatchObject([{ text: 'Yes 👍', isCut: false }]);
});
