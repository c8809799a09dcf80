import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { nodeBundle } from '../../../../scripts/nodeBundle.mjs';
import { ADA } from '../../../support/telegramBench.js';
import { TelegramServer } from '../../../support/telegramServer.js';
import { soon } from '../../../support/soon.js';

let folder: string;
let server: TelegramServer;
let child: ChildProcess | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'killed-'));
  const entry = {
    entryPoints: ['test/support/connectorChild.ts'],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
  };
  await build({ ...nodeBundle, ...entry, sourcemap: false });
});

afterAll(() => rm(folder, { recursive: true }));

beforeEach(async () => {
  server = new TelegramServer();
  await server.up();
});

afterEach(async () => {
  child?.kill('SIGKILL');
  await server.down();
});

function startChild(memory: string): ChildProcess {
  const args = [join(folder, 'connectorChild.mjs'), server.root, server.token, memory, `telegram:${ADA}`];
  return spawn(process.execPath, args, { stdio: 'inherit' });
}

/** Where in the story of one question the process is killed: at which call, and before or after it is carried out. */
test.each([
  { method: 'getUpdates', nth: 1, phase: 'after' },
  { method: 'getUpdates', nth: 2, phase: 'before' },
  { method: 'sendMessage', nth: 1, phase: 'before' },
  { method: 'sendMessage', nth: 2, phase: 'after' },
  { method: 'sendMessage', nth: 3, phase: 'before' },
  { method: 'sendMessage', nth: 3, phase: 'after' },
] as const)(
  'killed $phase $method number $nth, the question is answered once after the next start',
  async ({ method, nth, phase }) => {
    const memory = join(folder, `${method}-${nth}-${phase}.json`);
    let calls = 0;
    server.onCall = (called, at) => {
      if (called === method && at === phase && ++calls === nth) child?.kill('SIGKILL');
    };
    child = startChild(memory);
    const killed = once(child, 'exit');
    await soon(() => expect(server.calls).toContain('getUpdates'));
    server.says(ADA, 'one');
    await killed;
    server.onCall = () => undefined;

    child = startChild(memory);
    server.says(ADA, 'two');
    const done = () => expect(server.chat(ADA)).toContain('Logbook: answer to two');
    await soon(done);
    const chat = server.chat(ADA);
    expect(chat.filter((line) => line === 'Logbook: answer to one')).toHaveLength(1);
    // The server has taken the third post, which is the answer, but the process could not know.
    const asked = chat.filter((line) => line.includes('/again'));
    expect(asked).toHaveLength(method === 'sendMessage' && nth === 3 ? 1 : 0);
  },
  60_000,
);
