import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { ChannelClosed } from '../../../src/node/portCalls.js';
import { Thread, type ThreadOptions } from '../../../src/node/thread.js';
import { RecordingLog } from '../../support/recordingLog.js';

/** What the thread of these tests answers. */
interface Calls {
  /** Its number, which no other thread has. */
  self(): number;
  data(): unknown;
  wait(): Promise<never>;
  asks(): Promise<string>;
  logs(): void;
  refuses(): never;
  breaks(): void;
  exits(code: number): void;
}

const PROGRAM = `
  import { threadId, workerData } from 'node:worker_threads';
  import { serveThread } from ${JSON.stringify(fileURLToPath(new URL('../../../src/node/serveThread.ts', import.meta.url)))};
  const { host, log } = serveThread({
    self: () => threadId,
    data: () => workerData,
    wait: () => new Promise(() => undefined),
    asks: () => host.call('name', 'pickle'),
    logs: () => log.warn('It is late:', new Error('no pickles')),
    refuses: () => { throw Object.assign(new Error('Not today.'), { code: 'ENOPICKLE' }); },
    breaks: () => { setTimeout(() => { throw new Error('out of pickles'); }); },
    exits: (code) => { setTimeout(() => process.exit(code)); },
  });
`;

let script: URL;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'thread-'));
  writeFileSync(join(folder, 'program.js'), PROGRAM);
  const outfile = join(folder, 'bundle.mjs');
  await build({
    entryPoints: [join(folder, 'program.js')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });
  script = pathToFileURL(outfile);
});

/** A thread of that program, and why it ended each time. */
function aThread(options: Partial<ThreadOptions> = {}) {
  const ends: (string | undefined)[] = [];
  const thread = new Thread<Calls>({
    name: 'pickles',
    script,
    onEnd: (error) => ends.push(error?.message),
    ...options,
  });
  onTestFinished(() => thread.dispose());
  return { thread, ends };
}

test('it starts with the first call and is the same for the next, with its data and what it may ask', async () => {
  const host = { name: (of: string) => `a ${of}` };
  const { thread } = aThread({ host, data: () => ({ jar: 1 }) });
  expect(thread.isRunning).toBe(false);
  const first = await thread.call('self');
  expect(thread.isRunning).toBe(true);
  expect(await thread.call('self')).toBe(first);
  expect(await thread.call('data')).toEqual({ jar: 1 });
  expect(await thread.call('asks')).toBe('a pickle');
  await expect(thread.call('refuses')).rejects.toMatchObject({ message: 'Not today.', code: 'ENOPICKLE' });
});

test('what it logs is logged here, at its level', async () => {
  const log = new RecordingLog();
  const { thread } = aThread({ log });
  await thread.call('logs');
  expect(log.lines).toEqual(['warn: It is late: no pickles']);
});

test.each([
  ['throws', (thread: Thread<Calls>) => thread.call('breaks'), 'out of pickles'],
  ['exits', (thread: Thread<Calls>) => thread.call('exits', 7), "The thread 'pickles' ended with code 7."],
])('one that %s fails what waits, tells why once, and the next call has another', async (_, break_, why) => {
  const { thread, ends } = aThread();
  const before = await thread.call('self');
  const waiting = thread.call('wait').catch((error: unknown) => error);
  // Its own answer may still be on its way when it ends.
  await Promise.allSettled([break_(thread)]);
  const failure = await waiting;
  expect(failure).toBeInstanceOf(ChannelClosed);
  expect(failure).toMatchObject({ cause: { message: why } });
  expect(await thread.call('self')).not.toBe(before);
  expect(ends).toEqual([why]);
});

test('idle, it ends after its time, but not while somebody works with it or it is needed', async () => {
  let isNeeded = true;
  const { thread, ends } = aThread({ idleMs: 1, isNeeded: () => isNeeded });
  const held = thread.hold();
  await held.calls.call('self');
  isNeeded = false;
  thread.restSoon();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(thread.isRunning).toBe(true);
  isNeeded = true;
  held.dispose();
  held.dispose();
  expect(thread.users).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(thread.isRunning).toBe(true);
  isNeeded = false;
  thread.restSoon();
  await expect.poll(() => thread.isRunning).toBe(false);
  expect(ends).toEqual([undefined]);
  expect(await thread.call('self')).toBeGreaterThan(0);
});

test('stopped, it rejects what waits and starts anew; disposed, it starts no more', async () => {
  const { thread, ends } = aThread();
  const waiting = thread.call('wait');
  const stopped = thread.stop();
  await expect(waiting).rejects.toThrow('The thread that was asked has ended.');
  await stopped;
  thread.tell('self');
  expect(thread.isRunning).toBe(false);
  await thread.call('self');
  thread.dispose();
  expect(ends).toEqual([undefined, undefined]);
  await expect(thread.call('self')).rejects.toBeInstanceOf(ChannelClosed);
});
