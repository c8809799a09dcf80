import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { environmentOf, openWatch, type OpenWatchOptions } from '../../../src/app/discovery/openWatch.js';
import type { StatedSession } from '../../../src/capture/discovery/stateFinder.js';
import { Emitter } from '../../../src/core/event.js';
import { SessionSearch } from '../../../src/search/sessionSearch.js';
import { memorySettings } from '../../support/appHost.js';
import { buildWorker } from '../../support/buildWorker.js';
import { RecordingLog } from '../../support/recordingLog.js';
import { soon } from '../../support/soon.js';
import { temporaryStore } from '../../support/storeFixture.js';

let script: URL;
beforeAll(async () => {
  script = await buildWorker('search/search.worker.ts');
});

/** An address on the loopback interface that keeps what it is sent. */
async function anAddress() {
  const sent: Record<string, unknown>[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part) => (body += String(part)));
    request.on('end', () => {
      sent.push(JSON.parse(body) as Record<string, unknown>);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { sent, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

test('what is written is found by a question, sent to an address, and given to a command that was allowed once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watched-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'session.jsonl');
  // It is written after the watch began, however fast that is.
  const line = (uuid: string, type: string, content: unknown) =>
    `${JSON.stringify({ type, uuid, sessionId: 's1', timestamp: new Date(Date.now() + 5_000).toISOString(), message: { role: type, content } })}\n`;
  const failed = (id: string, text: string) =>
    line(`${id}-a`, 'assistant', [{ type: 'tool_use', id, name: 'Edit', input: { file_path: 'a' } }]) +
    line(`${id}-r`, 'user', [{ type: 'tool_result', tool_use_id: id, content: text, is_error: true }]);
  await writeFile(
    path,
    line('u1', 'user', 'Mend it') + failed('t1', 'no such line; key sk-proj-abcdefghij0123456789'),
  );
  const { sent, address } = await anAddress();
  const told = join(folder, 'told.json');
  const { root } = await temporaryStore();
  const search = new SessionSearch({
    script,
    log: new RecordingLog(),
    files: () => Promise.resolve([{ path, changed: Date.now() }]),
    keptFiles: join(folder, 'kept'),
    keptSessions: join(folder, 'kept.jsonl'),
    stores: () => Promise.resolve([{ root, readOnly: false }]),
  });
  onTestFinished(() => search.dispose());
  const looked = new Emitter<ReadonlyMap<string, StatedSession>>(() => undefined);
  const states = new Map<string, StatedSession>();
  const log = new RecordingLog();
  const asked: string[] = [];
  const memory = new Map<string, unknown>();
  const watching = openWatch({
    settings: memorySettings({
      watch: {
        says: 'words',
        rules: [
          {
            when: 'is:error tool:Edit',
            then: [`webhook: ${address}`, `command: printf %s "$AGENT_LOGBOOK_SESSIONS" > '${told}'`],
          },
        ],
      },
    }),
    workspace: { isTrusted: true },
    dialogs: {
      showWarning: (question: string) => {
        asked.push(question);
        return Promise.resolve('Allow');
      },
    },
    own: {
      entries: () => [],
      follow: () => ({ dispose: () => undefined }),
      stateOf: () => undefined,
      hold: () => undefined,
      rootOf: () => Promise.resolve(''),
    },
    discovery: { states, onDidLook: looked.event, watch: () => ({ dispose: () => undefined }) },
    view: {
      show: () => undefined,
      notify: () => Promise.resolve(undefined),
      isAway: () => true,
      isLookedAt: () => false,
      open: () => undefined,
      terminalOf: () => Promise.resolve(undefined),
    },
    log,
    storage: folder,
    memory: {
      get: (key: string) => memory.get(key),
      update: (key: string, value: unknown) => Promise.resolve(void memory.set(key, value)),
    },
    engine: () => Promise.resolve(search),
    stopRuns: () => undefined,
    shared: (text: string) => Promise.resolve(text.replace(/sk-proj-\w+/, '***')),
  } as unknown as OpenWatchOptions);
  onTestFinished(() => watching.dispose());
  const state = { state: 'working', source: 'record', since: Date.now(), marks: [], isLive: true };
  const session = {
    path,
    tool: 'claude-code',
    id: 's1',
    changed: Date.now() + 1,
    about: { title: 'Mend it' },
  };
  states.set(path, { ...session, state } as unknown as StatedSession);
  looked.fire(states);
  await soon(() => expect(sent).toHaveLength(1));
  // An excerpt may begin within a secret: it stays here.
  expect(sent[0]?.text).toBe('Mend it (Claude Code): is:error tool:Edit');
  await soon(async () =>
    expect(JSON.parse(await readFile(told, 'utf8'))).toMatchObject([{ title: 'Mend it', state: 'working' }]),
  );
  expect(asked).toEqual([expect.stringContaining(`printf %s`)]);
  expect(log.lines).toEqual([]);
});

test('a command waits for the trust of the workspace and for a yes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'watched-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { sent, address } = await anAddress();
  const runs = async (name: string, isTrusted: boolean, answer: string | undefined, tail = '') => {
    const looked = new Emitter<ReadonlyMap<string, StatedSession>>(() => undefined);
    const states = new Map<string, StatedSession>();
    const asked: string[] = [];
    const log = new RecordingLog();
    const rules = [
      { when: 'waits', then: [`command: echo x > '${join(folder, name)}'${tail}`, `webhook: ${address}`] },
    ];
    const watching = openWatch({
      settings: memorySettings({ watch: { rules, says: 'title' } }),
      workspace: { isTrusted },
      dialogs: {
        showWarning: (question: string) => {
          asked.push(question);
          return Promise.resolve(answer);
        },
      },
      own: { entries: () => [], follow: () => ({ dispose: () => undefined }) },
      discovery: {
        onDidLook: looked.event,
        states,
        watch: () => ({ dispose: () => undefined }),
      },
      view: { show: () => undefined, isAway: () => true, isLookedAt: () => false },
      log,
      storage: await mkdtemp(join(folder, 'storage-')),
      memory: { get: () => undefined, update: () => Promise.resolve() },
      shared: (text: string) => Promise.resolve(text),
    } as unknown as OpenWatchOptions);
    onTestFinished(() => watching.dispose());
    const state = { state: 'waiting', source: 'record', marks: [], isLive: true, since: Date.now() + 1 };
    const session = { path: name, tool: 'claude-code', id: name, about: { title: name }, changed: 0, state };
    states.set(name, session as unknown as StatedSession);
    // It is held for two seconds before it is told.
    await soon(() => {
      looked.fire(states);
      expect(sent.some(({ text }) => String(text).startsWith(name))).toBe(true);
    });
    return { asked, log };
  };
  // The address hears of it at the same moment at which the command is asked about.
  const untrusted = await runs('untrusted', false, 'Allow');
  const denied = await runs('denied', true, undefined);
  const allowed = await runs('allowed', true, 'Allow');
  // What is not seen whole is not asked about.
  const long = await runs('long', true, 'Allow', `${' '.repeat(8_000)}; echo y`);
  await soon(async () => expect(await readFile(join(folder, 'allowed'), 'utf8')).toBe('x\n'));
  expect([untrusted, denied, allowed, long].map(({ asked }) => asked.length)).toEqual([0, 1, 1, 0]);
  await soon(() => expect(long.log.lines).toEqual([expect.stringContaining('may be 300 characters long')]));
  for (const name of ['untrusted', 'denied', 'long'])
    await expect(readFile(join(folder, name), 'utf8')).rejects.toThrow('ENOENT');
  for (const { log } of [untrusted, denied, allowed]) expect(log.lines).toEqual([]);
});

test('a command is told nothing on which the shell of Windows acts, and no more than a system starts it with', () => {
  const told = (title: string) => ({
    session: { tool: 'codex', about: { title }, state: { state: 'waiting', since: 1 } } as never,
  });
  const hostile = environmentOf([told('a" & calc\r\n%PATH% | ^<x>!')], 'win32');
  expect(hostile.AGENT_LOGBOOK_TITLE).toMatch(/^a {3,}calc +PATH +x +$/);
  expect(JSON.parse(hostile.AGENT_LOGBOOK_SESSIONS ?? '')).toEqual([
    { tool: 'codex', title: hostile.AGENT_LOGBOOK_TITLE, state: 'waiting', since: 1 },
  ]);
  expect(environmentOf([told('50 % "off"\0')], 'linux').AGENT_LOGBOOK_TITLE).toBe('50 % "off" ');
  const many = environmentOf(
    Array.from({ length: 2_000 }, () => told('🍞'.repeat(10_000))),
    'linux',
  );
  for (const value of Object.values(many)) expect(Buffer.byteLength(value)).toBeLessThan(32_000);
  const listed = JSON.parse(many.AGENT_LOGBOOK_SESSIONS ?? '') as unknown[];
  expect(listed.length).toBeGreaterThan(10);
  expect(many.AGENT_LOGBOOK_MORE).toBe(String(2_000 - listed.length));
});
