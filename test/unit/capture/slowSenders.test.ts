import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { OtlpReceiver } from '../../../src/capture/otlp/otlpReceiver.js';

const HEAD = 'POST /v1/traces HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';

/** A receiver, and a way to send it the beginning of a request of so many bytes. */
async function receive(paceMs: number) {
  const folder = await mkdtemp(join(tmpdir(), 'otlp-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const problems: string[] = [];
  const onProblem = (words: string) => void problems.push(words);
  const receiver = await OtlpReceiver.listen({
    port: 0,
    folder,
    paceMs,
    onProblem,
    onGrown: () => undefined,
  });
  onTestFinished(() => receiver.close());
  const begin = (length: number) => {
    const socket = connect(Number(new URL(receiver.address).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`${HEAD}content-length: ${length}\r\n\r\n`);
    const answered = once(socket, 'data').then(([answer]) => String(answer).slice(9, 12));
    return { socket, answered };
  };
  return { problems, begin };
}

test('senders who stop in the middle of large requests keep others out for a moment only', async () => {
  const { problems, begin } = await receive(300);
  const large = Buffer.alloc(32 * 2 ** 20 - 1, 0x20);
  const answers = Array.from({ length: 4 }, () => {
    const { socket, answered } = begin(large.length + 1);
    socket.write(large);
    return answered;
  });
  expect(await Promise.all(answers)).toEqual(answers.map(() => '408'));
  expect(problems).toContain('POST /v1/traces: The request does not come on.');
  const { socket, answered } = begin(2);
  socket.write('{}');
  expect(await answered).toBe('200');
});

test('a sender who is slow but comes on is waited for', async () => {
  const { begin } = await receive(1_000);
  const body = JSON.stringify({ resourceSpans: [], padding: 'n'.repeat(200_000) });
  const { socket, answered } = begin(body.length);
  for (let at = 0; at < body.length; at += 40_000) {
    socket.write(body.slice(at, at + 40_000));
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(await answered).toBe('200');
});
