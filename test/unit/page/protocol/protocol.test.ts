import { describe, expect, it } from 'vitest';
import { Cancelled } from '../../../../src/core/cancelled.js';
import type { EventName } from '../../../../src/page/protocol/events.js';
import type { FromHost, PanelContract } from '../../../../src/page/protocol/protocol.js';
import { RequestClient } from '../../../../src/page/protocol/requestClient.js';
import {
  RequestHandlers,
  RequestServer,
  type RequestHandler,
} from '../../../../src/page/protocol/requestServer.js';
import { requests, type RequestName } from '../../../../src/page/protocol/requests.js';

/** Page and host joined by structured clones, as `postMessage` does; `handlers` are the few that the test needs. */
function connect(given: { readonly [N in RequestName]?: RequestHandler<PanelContract, N> }) {
  const handlers = RequestHandlers.ofPanel();
  for (const [name, handler] of Object.entries(given)) handlers.add(name as RequestName, handler as never);
  const problems: string[] = [];
  const heard: [EventName, unknown][] = [];
  const sent: FromHost[] = [];
  const host = new RequestServer<PanelContract>({
    handlers,
    post: (message) => {
      sent.push(message);
      page.receive(structuredClone(message));
      return Promise.resolve();
    },
    onProblem: (why) => problems.push(why),
  });
  const page: RequestClient = new RequestClient({
    post: (message) => void host.receive(structuredClone(message)),
    onEvent: ({ name, data }) => heard.push([name, data]),
    onUnexpected: (why) => problems.push(why),
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
    expect(problems).toEqual(['The page sent something that is not a request.']);
  });

  it('lets no two answers settle one question', async () => {
    const { page, problems, sent } = connect({ expandAll: () => ({}) });
    await page.ask('expandAll', { expanded: true });
    for (const answer of sent) page.receive(answer);
    expect(problems).toEqual(['an answer that nobody asked for']);
  });

  it('takes no answer to a page before for one to its own questions', async () => {
    const before = connect({ expandAll: () => ({}) });
    await before.page.ask('expandAll', { expanded: true });
    const { page, problems } = connect({});
    void page.ask('expandAll', { expanded: true }).catch(() => undefined);
    for (const answer of before.sent) page.receive(answer);
    expect([problems, page.open]).toEqual([[], 1]);
  });

  it('brings events to the page', () => {
    const { page, host, heard, problems } = connect({});
    void host.notify('title', { title: 'New' });
    expect(heard).toEqual([['title', { title: 'New' }]]);
    expect([problems, page.open]).toEqual([[], 0]);
  });

  it('fails a request that nobody answers, and says which those are', async () => {
    const { page } = connect({ stop: () => ({}) });
    await expect(page.ask('tools', {})).rejects.toThrow("Nobody answers the request 'tools'.");
    const handlers = RequestHandlers.ofPanel();
    handlers.add('stop', () => ({}));
    expect(handlers.missing).toEqual(Object.keys(requests).filter((name) => name !== 'stop'));
  });

  it('lets no two answer the same request', () => {
    const handlers = RequestHandlers.ofPanel();
    handlers.add('stop', () => ({}));
    expect(() => handlers.add('stop', () => ({}))).toThrow("Two handlers for the request 'stop'.");
  });
});
