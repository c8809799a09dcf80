import { describe, expect, it } from 'vitest';
import { Cancelled } from '../../../src/core/cancelled.js';
import { Answerer, type RequestHandlers } from '../../../src/protocol/answerer.js';
import { Asker } from '../../../src/protocol/asker.js';
import type { EventName } from '../../../src/protocol/events.js';
import type { FromHost } from '../../../src/protocol/protocol.js';

/** Page and host joined by structured clones, as `postMessage` does; `handlers` are the few that the test needs. */
function connect(handlers: Partial<RequestHandlers>) {
  const problems: string[] = [];
  const heard: [EventName, unknown][] = [];
  const sent: FromHost[] = [];
  const host = new Answerer({
    handlers: handlers as RequestHandlers,
    post: (message) => {
      sent.push(message);
      page.receive(structuredClone(message));
      return Promise.resolve();
    },
    onProblem: (why) => problems.push(why),
  });
  const page: Asker = new Asker({
    post: (message) => void host.receive(structuredClone(message)),
    onEvent: (name, data) => heard.push([name, data]),
    onStray: (why) => problems.push(why),
  });
  return { page, host, problems, heard, sent };
}

describe('the protocol between page and host', () => {
  it('brings an answer back to its asker', async () => {
    const { page } = connect({ reveal: ({ position }) => ({ generation: 1, index: position * 2, id: 7 }) });
    expect(await page.ask('reveal', { position: 4 })).toEqual({ generation: 1, index: 8, id: 7 });
    expect(page.open).toBe(0);
  });

  it("brings a failure's words back to its asker", async () => {
    const { page } = connect({ stop: () => Promise.reject(new Error('Nothing is running.')) });
    await expect(page.ask('stop', {})).rejects.toThrow('Nothing is running.');
    expect(page.open).toBe(0);
  });

  it('tells that the person called it off, which is no problem of anybody', async () => {
    const { page, problems } = connect({ continue: () => Promise.reject(new Cancelled()) });
    await expect(page.ask('continue', { text: 'go' })).rejects.toBeInstanceOf(Cancelled);
    expect(problems).toEqual([]);
  });

  it('refuses a question with malformed parameters before any handler sees it', async () => {
    let seen = 0;
    const { page } = connect({ reveal: () => ({ generation: 0, index: ++seen, id: 0 }) });
    await expect(page.ask('reveal', { position: -1 })).rejects.toThrow('Malformed');
    expect(seen).toBe(0);
  });

  it('refuses a malformed answer', async () => {
    const { page } = connect({ reveal: () => ({ generation: 1, index: 'one' }) as never });
    await expect(page.ask('reveal', { position: 1 })).rejects.toThrow("answer to 'reveal' is malformed");
  });

  it.each([
    null,
    'text',
    7,
    [],
    { kind: 'request', id: 1, name: 'constructor', params: {} },
    { kind: 'event' },
  ])('answers nothing to %j', async (message) => {
    const sent: FromHost[] = [];
    const { host, problems } = connect({});
    await host.receive(message);
    expect(sent).toEqual([]);
    expect(problems).toEqual(['The page sent something that is not a question.']);
  });

  it('lets no two answers settle one question', async () => {
    const { page, problems } = connect({ expandAll: () => ({}) });
    await page.ask('expandAll', { expanded: true });
    page.receive({ kind: 'answer', id: 1, answer: {} });
    expect(problems).toEqual(['an answer that nobody asked for']);
  });

  it('hears events that are well-formed and no others', () => {
    const { page, host, heard, problems } = connect({});
    void host.tell('title', { title: 'New' });
    page.receive({ kind: 'event', name: 'title', data: { title: 5 } });
    page.receive({ kind: 'event', name: 'toString', data: {} });
    expect(heard).toEqual([['title', { title: 'New' }]]);
    expect(problems).toHaveLength(2);
  });
});
