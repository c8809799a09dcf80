import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ExchangeRecorder } from '../../../src/capture/proxy/exchangeRecorder.js';
import { RecordingProxy } from '../../../src/capture/proxy/recordingProxy.js';
import { upstreamsOf } from '../../../src/capture/proxy/upstreams.js';

test('what asks no model is passed on and told, but is no recording', async () => {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    paths.push(request.url ?? '');
    request.resume().on('end', () => response.end('{"input_tokens":10}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'proxy-'));
  onTestFinished(async () => {
    server.close();
    await rm(folder, { recursive: true });
  });
  const anthropic = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const problems: string[] = [];
  const proxy = await RecordingProxy.listen({
    port: 0,
    upstreams: upstreamsOf({}, { anthropic }),
    recorder: new ExchangeRecorder({ folder, onGrown: () => undefined, onProblem: () => undefined }),
    onProblem: (words) => problems.push(words),
  });
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
  for (const path of ['/v1/messages/count_tokens', '/v1/messages/count_tokens', '/v1/messages'])
    await (await fetch(`${proxy.address}/anthropic${path}`, { method: 'POST', body })).text();
  await proxy.close();
  expect(paths).toHaveLength(3);
  expect(await readdir(folder)).toHaveLength(1);
  expect(problems).toEqual([
    'What is sent to /v1/messages/count_tokens is passed on but not recorded: no model is asked there.',
    'Requests that ask no model were passed on but not recorded: 2.',
  ]);
});
