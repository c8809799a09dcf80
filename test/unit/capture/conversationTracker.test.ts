import { describe, expect, test } from 'vitest';
import { ConversationTracker } from '../../../src/capture/proxy/conversationTracker.js';
import { asksModel } from '../../../src/capture/proxy/recordingProxy.js';

const user = (content: string) => ({ role: 'user', content });
const reply = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] });
const answer = (text: string) => ({ ...reply(text), type: 'message' });
const response = (id: string, more: object = {}) => ({ id, object: 'response', output: [], ...more });

/** Conversations of requests as they begin; what a request is answered may come later. */
function tracked() {
  const tracker = new ConversationTracker();
  const begin = (body: object, isRetry = false) => tracker.begin({ body, isRetry });
  return {
    begin,
    ask: (body: object, said: unknown, isFailed = false): number => {
      const turn = begin(body);
      turn.end({ isFailed, answer: said });
      return turn.conversation;
    },
  };
}

describe('agents that are asked the same', () => {
  test('go on with what each was answered, also when they take turns', () => {
    const { begin, ask } = tracked();
    const first = { messages: [user('Do it.')] };
    const turns = ['a', 'b', 'c'].map((name) => ({ name, turn: begin(first) }));
    for (const { name, turn } of turns) turn.end({ isFailed: false, answer: answer(name) });
    for (const { name, turn } of turns) {
      const second = [...first.messages, reply(name), user('Go on.')];
      expect(ask({ messages: second }, answer(`${name} 2`))).toBe(turn.conversation);
      const third = [...second, reply(`${name} 2`), user('Go on.')];
      expect(ask({ messages: third }, answer(`${name} 3`))).toBe(turn.conversation);
    }
    expect(new Set(turns.map(({ turn }) => turn.conversation)).size).toBe(3);
  });

  test('are others where their instructions are, although they are asked the same', () => {
    const { begin, ask } = tracked();
    const [main, title] = ['MAIN', 'TITLE'].map((system) => begin({ system, messages: [user('Fix it.')] }));
    main!.end({ isFailed: false, answer: answer('ok') });
    title!.end({ isFailed: false, answer: answer('ok') });
    const next = [user('Fix it.'), reply('ok'), user('More.')];
    expect(ask({ system: 'MAIN', messages: next }, answer('x'))).toBe(main!.conversation);
  });

  test('stay with their conversation when their instructions change', () => {
    const { ask } = tracked();
    const first = ask({ system: 'Monday', messages: [user('hi')] }, answer('ok'));
    const messages = [user('hi'), reply('ok'), user('more')];
    expect(ask({ system: 'Tuesday', messages }, answer('x'))).toBe(first);
  });
});

describe('requests that repeat what was asked, but no answer', () => {
  const first = { messages: [user('Do it.')] };
  const more = [user('Do it.'), user('Now.')];
  test.each([
    ['are others where that was answered', answer('Done.'), more, false],
    ['go on where it was not', undefined, more, true],
    [
      'go on where another answer follows',
      answer('Done.'),
      [user('Do it.'), reply('Well.'), user('Now.')],
      true,
    ],
  ])('%s', (_, said, messages, isSame) => {
    const { ask } = tracked();
    const before = ask(first, said);
    expect(ask({ messages }, answer('ok')) === before).toBe(isSame);
  });
});

describe('requests that name an answer', () => {
  test('go on with it while it is on its way, each with its own', () => {
    const { begin } = tracked();
    const [one, other] = [begin({ input: 'a' }), begin({ input: 'b' })];
    one!.names('r1');
    other!.names('r2');
    const next = begin({ input: 'c', previous_response_id: 'r2' });
    expect(next.conversation).toBe(other!.conversation);
    expect(begin({ input: 'd', previous_response_id: 'r2' }).conversation).not.toBe(other!.conversation);
    next.names('r3');
    other!.end({ isFailed: false, answer: response('r2') });
    expect(begin({ input: 'e', previous_response_id: 'r3' }).conversation).toBe(other!.conversation);
  });

  const events = (id: string) => ({ type: 'response.created', response: { object: 'response', id } });
  test.each([
    ['in one piece', response('r1')],
    ['as a stream', `data: ${JSON.stringify(events('r1'))}\n\n`],
    ['as a stream with spaces', `data: ${JSON.stringify(events('r1'), null, 1).replaceAll('\n', ' ')}\n\n`],
  ])('go on with it: %s', (_, body) => {
    const { ask } = tracked();
    const first = ask({ input: 'a' }, body);
    expect(ask({ input: 'b', previous_response_id: 'r1' }, response('r2'))).toBe(first);
    expect(ask({ input: 'b', previous_response_id: 'r2' }, response('r3'))).toBe(first);
  });

  test('are two conversations where both go on with the same one, at once or later', () => {
    const { begin, ask } = tracked();
    const first = ask({ input: 'a' }, response('r1'));
    const [left, right] = ['left', 'right'].map((input) => begin({ input, previous_response_id: 'r1' }));
    expect(left!.conversation).toBe(first);
    expect(right!.conversation).not.toBe(first);
    left!.end({ isFailed: false, answer: response('r2') });
    expect(ask({ input: 'later', previous_response_id: 'r1' }, response('r4'))).not.toBe(first);
  });

  test('are tried again in the same conversation', () => {
    const { ask } = tracked();
    const first = ask({ input: 'a' }, response('r1'));
    expect(ask({ input: 'b', previous_response_id: 'r1' }, {}, true)).toBe(first);
    expect(ask({ input: 'b', previous_response_id: 'r1' }, response('r2'))).toBe(first);
  });

  test('may name a conversation that the server keeps', () => {
    const { ask } = tracked();
    const first = ask({ input: 'a', conversation: 'c1' }, response('r1'));
    expect(ask({ input: 'b', conversation: { id: 'c1' } }, response('r2'))).toBe(first);
    expect(ask({ input: 'a', conversation: 'c2' }, response('r3'))).not.toBe(first);
  });
});

test.each([
  ['/v1/chat/completions', true],
  ['/v1/messages', true],
  ['/v1/responses/', true],
  ['/openai/deployments/d/completions', true],
  ['/v1beta/models/gemini:streamGenerateContent', true],
  ['/v1/messages/count_tokens', false],
  ['/v1/embeddings', false],
  ['/api/event_logging/batch', false],
  ['/v1/responses/r1/cancel', false],
])('%s asks a model: %j', (path, isAsked) => expect(asksModel(path)).toBe(isAsked));
