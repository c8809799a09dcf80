import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listModels, withDeadEndpoints, findLocalServers } from '../../../../src/agents/models/listModels.js';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A loopback server that answers everything the same way; returns its port. */
async function serverOf(status: number, body: string, headers: Record<string, string> = {}) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(body));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const endpointAt = (port: number) => ({ name: 'x', url: { base: `http://127.0.0.1:${port}/v1`, query: {} } });

test('servers of this machine are found by the models they list', async () => {
  const open = await serverOf(200, '{"object":"list","data":[{"id":"qwen3:8b"},{"id":"qwen3:8b"},{"id":5}]}');
  const locked = await serverOf(401, '{"error":{"message":"no key"}}');
  const stranger = await serverOf(404, '<html>hello</html>');
  const other = await serverOf(200, 'hello');
  const gone = await serverOf(200, '');
  closers.pop()?.();
  const found = await findLocalServers({}, [
    { name: 'Ollama', port: open },
    { name: 'LiteLLM', port: locked },
    { name: 'vLLM', port: stranger },
    { name: 'Jan', port: other },
    { name: 'llama.cpp', port: gone },
  ]);
  expect(found).toEqual([
    { endpoint: { name: 'Ollama', url: endpointAt(open).url }, models: ['qwen3:8b'], needsKey: false },
    { endpoint: { name: 'LiteLLM', url: endpointAt(locked).url }, models: [], needsKey: true },
  ]);
});

test("Ollama's own list is understood too", async () => {
  const port = await serverOf(200, '{"models":[{"name":"llama3"}]}');
  expect(await listModels(endpointAt(port))).toEqual(['llama3']);
});

test.each([
  [500, '{"error":"oops"}', {}, 'http'],
  [200, 'no json', {}, 'badResponse'],
  [200, '{"hello":"world"}', {}, 'badResponse'],
  [200, '', {}, 'badResponse'],
  [302, '', { location: 'http://127.0.0.1:1/' }, 'redirect'],
])('a list that answers %i %s is a failure', async (status, body, headers, code) => {
  expect(await listModels(endpointAt(await serverOf(status, body, headers)))).toMatchObject({ code });
});

test('models of an endpoint that does not answer say so, and one stands for an endpoint without any', async () => {
  const port = await serverOf(200, '{"data":[{"id":"llama3"}]}');
  const [alive, dead, unknown] = [
    { ...endpointAt(port), name: 'alive' },
    { ...endpointAt(1), name: 'dead' },
    { ...endpointAt(1), name: 'unknown' },
  ];
  const models = [{ endpoint: 'alive' }, { endpoint: 'dead' }];
  const marked = await withDeadEndpoints(models, [alive, dead, unknown], () => Promise.resolve(undefined));
  expect(marked).toMatchObject([
    { endpoint: 'alive' },
    { endpoint: 'dead', problem: expect.stringMatching(/./) as string },
    { id: '', endpoint: 'unknown', problem: expect.stringMatching(/./) as string },
  ]);
  expect(marked[0]).not.toHaveProperty('problem');
});
