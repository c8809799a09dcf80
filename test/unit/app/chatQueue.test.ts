import { expect, test } from 'vitest';
import { Cancelled } from '../../../src/core/cancelled.js';
import { ChatQueue, type ChatTurn } from '../../../src/app/chat/chatQueue.js';
import { quiet } from '../../support/connectorBench.js';
import { RecordingLog } from '../../support/recordingLog.js';

/** A chat whose runs begin when they may and end when `end` is called for their conversation. */
function aChat() {
  const running = new Set<string>();
  const idle = new Map<string, (() => void)[]>();
  const asked: string[] = [];
  const problems: string[] = [];
  const waits: string[] = [];
  const kept: string[] = [];
  let refusal: string | Cancelled | undefined;
  let begins = Promise.resolve();
  const chat = new ChatQueue({
    isBusy: (conversation) => running.has(conversation),
    idle: (conversation) =>
      running.has(conversation)
        ? new Promise((resolve) => idle.set(conversation, [...(idle.get(conversation) ?? []), resolve]))
        : Promise.resolve(),
    begin: async ({ conversation, prompt }: ChatTurn) => {
      await begins;
      if (refusal !== undefined) throw refusal instanceof Cancelled ? refusal : new Error(refusal);
      asked.push(`${conversation}: ${prompt}`);
      running.add(conversation);
    },
    saveWaiting: (conversation, prompts) => {
      kept.push(`${conversation}: ${prompts.join(', ')}`);
      return Promise.resolve();
    },
    onNotRun: ({ prompt }, problem) => problems.push(`${prompt}: ${problem ?? 'no word'}`),
    log: new RecordingLog(),
  });
  chat.onDidChange((conversation) => waits.push(`${conversation} ${chat.waiting(conversation)}`));
  return {
    chat,
    asked,
    problems,
    waits,
    kept,
    /** An agent that somebody else began works in the conversation. */
    occupy: (conversation: string) => running.add(conversation),
    /** Nothing more begins until what is returned is called. */
    hold: () => {
      let go: () => void = () => undefined;
      begins = new Promise((resolve) => (go = resolve));
      return () => go();
    },
    refuse: (why: string | Cancelled | undefined) => (refusal = why),
    end: async (conversation: string) => {
      running.delete(conversation);
      for (const resolve of idle.get(conversation) ?? []) resolve();
      idle.delete(conversation);
      await quiet();
    },
  };
}

test('what is said where nobody works begins at once', async () => {
  const { chat, asked } = aChat();
  await chat.say('a', 'hello');
  expect(asked).toEqual(['a: hello']);
  expect(chat.waiting('a')).toBe(0);
});

test('what is said while an agent works waits its turn, in order, and other conversations do not wait', async () => {
  const { chat, asked, end } = aChat();
  await chat.say('a', 'one');
  await chat.say('a', 'two');
  await chat.say('a', 'three');
  await chat.say('b', 'other');
  expect(asked).toEqual(['a: one', 'b: other']);
  expect(chat.waiting('a')).toBe(2);
  await end('a');
  expect(asked).toEqual(['a: one', 'b: other', 'a: two']);
  expect(chat.waiting('a')).toBe(1);
  await end('a');
  expect(asked.at(-1)).toBe('a: three');
  expect(chat.waiting('a')).toBe(0);
});

test('a run that somebody else began is waited for too', async () => {
  const { chat, asked, occupy, end } = aChat();
  occupy('a');
  await chat.say('a', 'one');
  await quiet();
  expect(asked).toEqual([]);
  await end('a');
  expect(asked).toEqual(['a: one']);
});

test('a stop forgets what waits; the same words said again are said once', async () => {
  const { chat, asked, occupy, end } = aChat();
  occupy('a');
  await chat.say('a', 'one');
  await chat.say('a', 'two');
  chat.forget('a');
  expect(chat.waiting('a')).toBe(0);
  await chat.say('a', 'two');
  await end('a');
  expect(asked).toEqual(['a: two']);
});

test('who says something that cannot be begun is told, at once or when its turn came', async () => {
  const { chat, problems, refuse, occupy, end } = aChat();
  refuse('Choose a model first.');
  await expect(chat.say('a', 'one')).rejects.toThrow('Choose a model first.');
  expect(problems).toEqual([]);
  occupy('a');
  await chat.say('a', 'two');
  await end('a');
  expect(problems).toEqual(['two: Choose a model first.']);
});

test('what waited and was called off by the person comes back without a word', async () => {
  const { chat, problems, refuse, end } = aChat();
  await chat.say('a', 'one');
  await chat.say('a', 'two');
  refuse(new Cancelled());
  await end('a');
  expect(problems).toEqual(['two: no word']);
});

test('more than anybody types while waiting is refused, and nothing is lost silently', async () => {
  const { chat, asked, occupy, end } = aChat();
  occupy('a');
  for (let n = 0; n < 10; n++) await chat.say('a', `${n}`);
  await expect(chat.say('a', 'one more')).rejects.toThrow('10 messages wait here already.');
  for (let n = 0; n < 10; n++) await end('a');
  expect(asked).toHaveLength(10);
});

test('whoever shows it hears how many wait', async () => {
  const { chat, waits, occupy, end } = aChat();
  occupy('a');
  await chat.say('a', 'one');
  await end('a');
  expect(waits).toEqual(['a 1', 'a 0']);
});

test('a message that is being begun waits no more, and is kept until it is begun', async () => {
  const { chat, waits, kept, hold } = aChat();
  const go = hold();
  const first = chat.say('a', 'first');
  for (let n = 0; n < 10; n++) await chat.say('a', `${n}`);
  expect(chat.waiting('a')).toBe(10);
  expect(waits[0]).toBe('a 1');
  expect(kept.at(-1)).toMatch(/^a: first, 0, 1,/);
  await expect(chat.say('a', 'one more')).rejects.toThrow('10 messages wait here already.');
  go();
  await first;
  expect(kept.at(-1)).toMatch(/^a: 0, 1,/);
  expect(chat.waiting('a')).toBe(10);
});

test('stopped, it begins nothing more', async () => {
  const { chat, asked, occupy, end } = aChat();
  occupy('a');
  await chat.say('a', 'one');
  chat.dispose();
  await end('a');
  expect(asked).toEqual([]);
});

test('what waits is kept for another window until its run has begun', async () => {
  const { chat, kept, occupy, end } = aChat();
  occupy('a');
  await chat.say('a', 'one');
  await chat.say('a', 'two');
  expect(kept).toEqual(['a: one', 'a: one, two']);
  await end('a');
  expect(kept.at(-1)).toBe('a: two');
  chat.forget('a');
  expect(kept.at(-1)).toBe('a: ');
});

test('what waits when the window goes away stays kept, and nothing more begins', async () => {
  const { chat, asked, kept, occupy, end } = aChat();
  occupy('a');
  await chat.say('a', 'one');
  chat.close();
  await end('a');
  chat.dispose();
  expect(asked).toEqual([]);
  expect(kept).toEqual(['a: one']);
});
