import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ExchangeRecorder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../../src/capture/proxy/recordingProxy.js';
import { upstreamsOf } from '../../../src/capture/proxy/upstreams.js';
import { RawServer, type RawAnswer } from '../../support/rawServer.js';

test.each([
  ['099', 'cannot be passed on: its status is 99.'],
  ['000', 'cannot be passed on: its status is 0.'],
])('an answer with the status %s is told as 502 and recorded, and others go on', async (status, why) => {
  const proxy = await proxyTo({ pieces: [`HTTP/1.1 ${status} Odd\r\ncontent-length: 0\r\n\r\n`] });
  expect(await proxy.ask()).toEqual({ status: 502, text: expect.stringContaining(why) as string });
  expect((await proxy.ask()).status).toBe(502);
  expect(await proxy.recorded()).toContain(why);
});

test.each(['end', 'hang'] as const)(
  'an answer that switches the protocol is told as 502 and recorded (%s)',
  async (then) => {
    const head = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
    const proxy = await proxyTo({ pieces: [head], then });
    const why = 'wants to speak another protocol, which is not passed on.';
    expect(await proxy.ask()).toEqual({ status: 502, text: expect.stringContaining(why) as string });
    expect(await proxy.recorded()).toContain(why);
  },
);

test.each([
  ['is no HTTP', ['nonsense\r\n\r\n']],
  ['ends before it begins', []],
  ['has two lengths', ['HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}']],
])('an answer that %s is told as 502', async (_, pieces) => {
  const proxy = await proxyTo({ pieces });
  expect((await proxy.ask()).status).toBe(502);
  expect(await proxy.recorded()).toContain('cannot be asked');
});

test('a hint before the answer does not stand in its way', async () => {
  const early = 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n';
  const proxy = await proxyTo({ pieces: [early, 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'] });
  expect(await proxy.ask()).toEqual({ status: 200, text: '{}' });
});

/** A proxy in front of a server that answers with these bytes. */
async function proxyTo(answer: RawAnswer) {
  const upstream = await RawServer.start(answer);
  onTestFinished(() => upstream[Symbol.asyncDispose]());
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const proxy = await RecordingProxy.listen({
    port: 0,
    upstreams: upstreamsOf({}, { openai: upstream.url }),
    onProblem: () => undefined,
    recorder: new ExchangeRecorder({ folder, onGrown: () => undefined, onProblem: () => undefined }),
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= proxy.close());
  onTestFinished(close);
  return {
    async ask() {
      const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
      const asked = await fetch(`${proxy.address}/openai/chat/completions`, { method: 'POST', body });
      return { status: asked.status, text: await asked.text() };
    },
    /** Ends the proxy; everything that it wrote. */
    async recorded(): Promise<string> {
      await close();
      const names = await readdir(folder);
      return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('');
    },
  };
}
