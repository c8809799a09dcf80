import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { builtCommandLine } from '../../../support/builtCommandLine.js';
import { agentLogbook, folderWith } from '../../../support/commandLine.js';
import { StrictServer } from '../../../support/strictServer.js';
import { saying } from '../../../support/wireAnswers.js';

const AGENT = join(import.meta.dirname, '../../../support/askingAgent.mjs');
const program = builtCommandLine();

/** The built program in a folder, with nobody at its keyboard. */
function started(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, [program(), 'record', ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]).then(
    ([out, err, [code]]) => ({ out, err, code: code as number | null }),
  );
  return { child, ended };
}

const script = (code: string) => ['--', process.execPath, '-e', code];

test('what a program asks its model is recorded, and shown by what the end names', async () => {
  await using server = await StrictServer.start([saying('Turn the factor around.')]);
  const cwd = await folderWith({});
  const words = ['--', process.execPath, AGENT, 'Why are the cookies so small?', '3'];
  const { out, err, code } = await started(cwd, words, { OPENAI_BASE_URL: server.url }).ended;
  expect({ out, code }).toEqual({ out: 'Turn the factor around.\n', code: 3 });
  const [, name = ''] =
    /^agent-logbook: Recorded in (\S+); agent-logbook show \1 shows it\.\n$/.exec(err) ?? [];
  const shown = await agentLogbook(['show', name], { cwd });
  expect(shown.code).toBe(0);
  expect(shown.out).toContain('Why are the cookies so small?');
  expect(shown.out).toContain('Turn the factor around.');
  expect(server.violations).toEqual([]);
});

test.each([
  ['0', 1],
  ['3', 3],
])(
  'where the folder cannot be written says so; a program that ends with %s ends with %i',
  async (own, ends) => {
    await using server = await StrictServer.start([saying('Turn the factor around.')]);
    const cwd = await folderWith({ recordings: 'a file' });
    const words = ['--', process.execPath, AGENT, 'Why are the cookies so small?', own];
    const { err, code } = await started(cwd, words, { OPENAI_BASE_URL: server.url }).ended;
    expect(code).toBe(ends);
    expect(err).toContain('agent-logbook: A request was passed on but cannot be recorded: ');
    expect(err).toContain('agent-logbook: Nothing was recorded; why is said above.\n');
    expect(err).not.toContain('has asked no model');
  },
);

test('telemetry that a program sends is recorded in the folder that was named', async () => {
  const cwd = await folderWith({});
  const attributes = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
    {
      key: 'gen_ai.input.messages',
      value: { stringValue: '[{"role":"user","parts":[{"type":"text","content":"Hello"}]}]' },
    },
  ];
  const span = {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    name: 'chat m',
    kind: 3,
    startTimeUnixNano: '1760000000000000000',
    endTimeUnixNano: '1760000001000000000',
    attributes,
  };
  const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] });
  const send = `const answer = await fetch(process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/traces', { method: 'POST', headers: { 'content-type': 'application/json' }, body: ${JSON.stringify(body)} }); process.exitCode = answer.status === 200 ? 0 : 1;`;
  const { code, err } = await started(cwd, [
    '--into',
    'runs',
    '--',
    process.execPath,
    '--input-type=module',
    '-e',
    send,
  ]).ended;
  expect(code).toBe(0);
  expect(err).toContain('Recorded in runs');
  const [file = ''] = await readdir(join(cwd, 'runs'));
  expect((await agentLogbook(['show', join('runs', file)], { cwd })).out).toContain('Hello');
});

test('a program that asks nothing leaves nothing, which is said', async () => {
  const cwd = await folderWith({});
  const { code, err } = await started(cwd, script('process.exitCode = 7')).ended;
  expect(code).toBe(7);
  expect(err).toMatch(/^agent-logbook: Nothing was recorded: [^\n]+\n$/);
  expect(await readdir(cwd)).toEqual([]);
});

describe.skipIf(process.platform === 'win32')('signals', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s is passed on, and the program decides',
    async (signal) => {
      const code = `process.on('${signal}', () => process.exit(42)); console.log('ready'); setInterval(() => 0, 1000);`;
      const { child, ended } = started(await folderWith({}), script(code));
      await once(child.stdout, 'data');
      child.kill(signal);
      expect((await ended).code).toBe(42);
    },
  );

  test('a program that a signal ends gives its code as a shell does', async () => {
    const { ended } = started(
      await folderWith({}),
      script("process.kill(process.pid, 'SIGKILL'); setInterval(() => 0, 1000);"),
    );
    expect((await ended).code).toBe(128 + 9);
  });
});

test.each([
  [['--', 'no-such-program'], 'no-such-program cannot be started: there is no such program.'],
  [[], 'record needs a COMMAND'],
  [['node', '--fast'], '--fast is no option of record; write -- before the command.'],
])('%j cannot be', async (args, words) => {
  const { code, err, out } = await started(await folderWith({}), args).ended;
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(words);
});

test('an address that is none is told before the program is started', async () => {
  const env = { OPENAI_BASE_URL: 'not an address' };
  const { code, err, out } = await started(await folderWith({}), script("console.log('ran')"), env).ended;
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain('"not an address" in OPENAI_BASE_URL is no address of a model API');
});

describe('an answer on its way', () => {
  const delta = (content: string) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', id: 'c', choices: [{ index: 0, delta: { content } }] })}\n\n`;
  const asking = (then: string) =>
    script(
      `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Why?' }] }) }).then(async ({ body }) => { for await (const piece of body) { ${then} } })`,
    );

  test.each([
    ['the program is killed', "process.kill(process.pid, 'SIGKILL')"],
    ['the program ends', 'process.exit(0)'],
    ['the recorder is killed', "process.kill(process.ppid, 'SIGKILL')"],
  ])('is kept as far as it came where %s', async (_, then) => {
    const server = createServer((__, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(delta('Because of the '));
      // The program ends by what comes here, which is later than what is to be there.
      setTimeout(() => response.write(delta('factor, ')), 1_500);
      setTimeout(() => response.write(delta('which ')), 1_600);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const cwd = await folderWith({});
    const isSecond =
      "globalThis.seen = (globalThis.seen ?? '') + Buffer.from(piece); if (seen.includes('factor')) ";
    await started(cwd, asking(isSecond + then), { OPENAI_BASE_URL: url }).ended;
    server.closeAllConnections();
    server.close();
    const [name = ''] = await readdir(join(cwd, 'recordings'));
    const shown = await agentLogbook(['show', join('recordings', name)], { cwd });
    expect(shown.out).toContain('Why?');
    expect(shown.out).toContain('Because of the');
  });
});

test('what was refused again and again is told once, with how often', async () => {
  const cwd = await folderWith({});
  const send =
    "for (let n = 0; n < 300; n++) await fetch(process.env.OTEL_EXPORTER_OTLP_ENDPOINT + '/v1/spans' + n, { method: 'POST', body: '{}' });";
  const words = ['--', process.execPath, '--input-type=module', '-e', send];
  const { err } = await started(cwd, words).ended;
  expect(err.trim().split('\n')).toHaveLength(2);
  expect(err).toContain('POST /v1/spans0: Nothing is received here.');
  expect(err).toContain('(300 times)');
});
