import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { CaptureThread } from '../../../src/capture/captureThread.js';
import { textOf } from '../../../src/core/message.js';
import { fields } from '../../../src/import/reading/fields.js';
import type { Growth } from '../../../src/capture/servers/recordingFiles.js';
import { importFile } from '../../../src/import/importFile.js';
import { silentLog } from '../../../src/core/ports/log.js';
import { buildWorker } from '../../support/buildWorker.js';
import { runs } from '../../support/fixedInputs.js';

let script: URL;

beforeAll(async () => {
  script = await buildWorker('capture/capture.worker.ts');
  await buildWorker('capture/proxy/proxy.worker.ts');
});

async function serving(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A model that says how much it was asked. */
async function model(): Promise<string> {
  const server = createServer((request, response) => {
    let length = 0;
    request.on('data', (chunk: Buffer) => (length += chunk.length));
    request.on('end', () => {
      const message = { role: 'assistant', content: `${length} bytes.` };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ object: 'chat.completion', choices: [{ index: 0, message }] }));
    });
  });
  return `http://127.0.0.1:${await serving(server)}`;
}

async function recording(address: string, port = 0) {
  const folder = await mkdtemp(join(tmpdir(), 'thread-'));
  const grown = new Map<string, Growth>();
  const problems: string[] = [];
  const thread = new CaptureThread({
    log: silentLog,
    script,
    onGrown: (growths) => growths.forEach((growth) => grown.set(growth.path, growth)),
    onProblem: (words) => problems.push(words),
    onEnd: (words) => problems.push(`ended: ${words}`),
  });
  onTestFinished(async () => {
    thread.dispose();
    await rm(folder, { recursive: true, force: true });
  });
  const options = { port, folder, environment: {}, addresses: { openai: address } };
  return { thread, folder, grown, problems, begun: await thread.calls.call('record', options) };
}

test('what is passed on by one thread is recorded by another, however large it is', async () => {
  const { thread, grown, problems, begun } = await recording(await model());
  const ask = async (messages: readonly object[]) => {
    const body = JSON.stringify({ model: 'm', messages });
    const answer = await fetch(`${begun}/openai/chat/completions`, { method: 'POST', body });
    return { role: 'assistant', content: `${body.length} bytes.`, text: await answer.text() };
  };
  const long = { role: 'user', content: 'Very long. '.repeat(runs(2_000_000)) };
  const { text, ...first } = await ask([long]);
  expect(text).toContain(first.content);
  await ask([long, first, { role: 'user', content: 'And?' }]);
  await thread.calls.call('stopRecording');
  await expect.poll(() => grown.size).toBe(1);
  const { conversations } = await importFile([...grown.keys()][0] ?? '');
  const said = conversations.flatMap(({ records }) =>
    records.flatMap((record) => (record.type === 'message' ? [textOf(fields(record.message).content)] : [])),
  );
  expect(said).toEqual([long.content, first.content, 'And?', expect.stringMatching(/^\d+ bytes\.$/)]);
  expect(problems).toEqual([]);
});

test('where it cannot listen, or is told a wrong address, it says so and can be asked again', async () => {
  const port = await serving(createServer());
  await expect(recording(await model(), port)).rejects.toThrow(/port/i);
  await expect(recording('no address')).rejects.toThrow(/address/);
  const { begun } = await recording(await model());
  expect(begun).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test('it serves a recording until it is told to end, and says what was given and refused', async () => {
  const { thread, folder, problems } = await recording('http://127.0.0.1:1');
  const url = 'https://api.openai.com/v1/chat/completions';
  const request = { model: 'm', messages: [{ role: 'user', content: 'Salt?' }] };
  const answer = { choices: [{ message: { role: 'assistant', content: 'Butter.' } }] };
  const path = join(folder, 'one.exchanges.jsonl');
  const lines = [
    { exchange: '1', url, request, startTime: '2026-11-20T08:00:00Z' },
    { exchange: '1', status: 200, response: answer },
  ];
  await mkdir(folder, { recursive: true });
  await writeFile(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await expect(thread.calls.call('serve', [join(folder, 'none.jsonl')])).rejects.toThrow('none.jsonl');
  const address = await thread.calls.call('serve', [path]);
  const ask = async (body: object) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return await fetch(`${address}/openai/v1/chat/completions`, init);
  };
  expect((await ask({ ...request, model: 'other' })).status).toBe(422);
  expect(await (await ask(request)).json()).toEqual(answer);
  expect(await thread.calls.call('served')).toMatchObject({ served: 1, unserved: [] });
  await vi.waitFor(() => expect(problems.join()).toContain('This is not in the recording'));
  expect(await thread.calls.call('stopServing')).toMatchObject({ served: 1, refused: [expect.any(String)] });
  expect(await thread.calls.call('stopServing')).toBeUndefined();
  await expect(ask(request)).rejects.toThrow();
});
