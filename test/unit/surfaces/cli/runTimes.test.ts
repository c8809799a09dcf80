import { spawnSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { agentLogbook } from '../../../support/commandLine.js';
import { estimatesWords } from '../../../../src/app/runs/runTimes.js';
import { inRepository, PRICES, scribe } from '../../../support/scribe.js';
import { StrictServer } from '../../../support/strictServer.js';
import { calling, chunk, refusing, saying, stream, usageChunk } from '../../../support/wireAnswers.js';

test('what runs of many agents may cost is told with the sum first, and shortly', () => {
  const of = (agent: string, dollars: number | undefined, count = 1) => ({
    agent,
    count,
    estimate: { dollars, of: 3 },
  });
  expect(estimatesWords([of('Scribe', 2, 2), of('Scribe', 2)])).toBe(
    'Scribe: 3 runs, about $6.00: one cost $2.00, the median of 3 earlier runs.',
  );
  const many = Array.from({ length: 40 }, (_, at) => of(`${'Agent '.repeat(99)}${at}`.slice(-60), 0.5));
  const words = estimatesWords(many);
  expect(words).toMatch(/^40 runs, about \$20\.00\. /);
  expect(words.length).toBeLessThan(400);
  expect(words).toMatch(/ And 38 more\.$/);
  expect(estimatesWords([of('A', 1), of('B', undefined)])).toMatch(
    /^2 runs, about \$1\.00 and what is not known\. /,
  );
  expect(estimatesWords([of('A', undefined), of('B', undefined)])).toMatch(
    /^2 runs; what they cost is not known\. /,
  );
});

test('with a budget nothing is run by a model of which nobody knows what it costs', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 3 };
  const told = stream(chunk({ role: 'assistant', content: 'One.' }), chunk({}, 'stop'), {
    ...usageChunk(1, 1),
    usage,
  });
  await using server = await StrictServer.start([told, saying('Two.'), saying('Three.')]);
  const cwd = await inRepository();
  const words = ['--times', '2', '--budget', '5', 'Scribe', 'Go.'];
  const refused = await scribe(cwd, server, words);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err).toContain(
    'What test-model (endpoint) costs is not known, so that a budget cannot be kept',
  );
  await writeFile(join(cwd, 'a.logbook.yaml'), `tests:\n${liveTest('a', 'Scribe', '{ maxErrors: 3 }')}`);
  const live = ['--live', '--model', 'test-model', '--endpoint', server.url, '--budget', '9'];
  const checked = await agentLogbook(['check', 'a.logbook.yaml', ...live], { cwd });
  expect(checked).toMatchObject({ code: 2, out: expect.stringContaining('1 could not be tested') });
  expect(checked.out).toContain('so that a budget cannot be kept');
  expect(server.requests).toEqual([]);
  expect(await readdir(`${cwd}.worktrees`)).toEqual([]);
  // A server that told it once will tell it again; one that did not, will not.
  await scribe(cwd, server, ['Scribe', 'Go.']);
  expect((await scribe(cwd, server, words)).err).toContain('so that the budget cannot be kept');
  expect(server.requests).toHaveLength(2);
  expect((await scribe(cwd, server, words)).err).toContain('and nothing was run');
  expect(server.requests).toHaveLength(2);
});

test('where what a run cost is not known, the budget ends the runs behind it, and says so', async () => {
  const odd = stream(chunk({ role: 'assistant', content: 'One.' }), chunk({}, 'stop'), {
    ...usageChunk(1, 1),
    // Its prices tell nothing of searches.
    usage: { prompt_tokens: 1, completion_tokens: 1, server_tool_use: { web_search_requests: 1 } },
  });
  await using server = await StrictServer.start([odd, odd, odd]);
  const cwd = await inRepository();
  const words = ['--times', '3', '--budget', '5', '--prices', PRICES, 'Scribe', 'Go.'];
  const ran = await scribe(cwd, server, words);
  expect(ran).toMatchObject({ code: 1 });
  expect(ran.err).toContain('What a run cost is not known, so that the budget cannot be kept');
  expect(ran.err).toContain('What it cost is not known.');
  expect(server.requests).toHaveLength(1);
  const one = (name: string) => liveTest(name, 'Scribe', '{ maxErrors: 3 }');
  await writeFile(join(cwd, 'a.logbook.yaml'), `tests:\n${one('a')}${one('b')}`);
  const checked = await checkLive(cwd, server);
  expect(checked).toMatchObject({ code: 2, out: expect.stringContaining('1 could not be tested') });
  expect(checked.out).toContain('so that the budget cannot be kept');
  expect(server.requests).toHaveLength(2);
});

test('runs of a script cost nothing, so that any budget lasts', async () => {
  const script = 'script: 1\nname: Box\nagents:\n  Scribe:\n    - text: Done.\n';
  const cwd = await inRepository();
  await writeFile(join(cwd, 'agents.script.yaml'), script);
  const { code, err } = await agentLogbook(['run', '--times', '2', '--budget', '1', 'Scribe', 'Go.'], {
    cwd,
  });
  expect({ code, err }).toMatchObject({ code: 0, err: expect.stringContaining('Run 2 of 2') });
});

test('runs that were paid for are told where a later one cannot begin', async () => {
  await using server = await StrictServer.start([saying('One.'), saying('Two.')]);
  const cwd = await inRepository();
  const verify = `mv "${cwd}/.git" "${cwd}/gone"`;
  const ran = await scribe(cwd, server, ['--times', '2', '--verify', verify, 'Scribe', 'Go.']);
  expect(ran.err).toMatch(/^agent-logbook: \S+: done, passed; its files are in /m);
  expect(ran.err).toContain('Git knows no repository around this folder');
  expect(ran).toMatchObject({ code: 2 });
  expect(server.requests).toHaveLength(1);
});

test('a check that is interrupted is no result, and nothing of it goes on', async () => {
  await using server = await StrictServer.start([saying('One.'), saying('Two.')]);
  const cwd = await inRepository();
  const stop = new AbortController();
  const began = join(cwd, 'began.txt');
  const verify = `sleep 600 & echo $$ $! > "${began}.new"; mv "${began}.new" "${began}"; wait`;
  const running = scribe(cwd, server, ['--times', '2', '--verify', verify, 'Scribe', 'Go.'], {
    signal: stop.signal,
  });
  const said = () => readFile(began, 'utf8').catch(() => '');
  await expect.poll(said, { timeout: 20_000 }).toMatch(/^\d+ \d+$/m);
  const pids = (await said()).trim().split(' ').map(Number);
  stop.abort();
  const ran = await running;
  expect(ran).toMatchObject({ code: 130 });
  expect(ran.err).toMatch(/: done; its files are in /);
  // One that has ended may still be listed, where nobody has asked how.
  const left = spawnSync('ps', ['-o', 'stat=', '-p', pids.join(',')], { encoding: 'utf8' }).stdout;
  expect(left.split('\n').filter((state) => /^[^Z\s]/.test(state))).toEqual([]);
  const shown = await agentLogbook(['show', 'latest', '--json'], { cwd });
  expect(JSON.stringify(shown.json)).not.toContain('Score');
});

test('where a run cannot go on, no worktree is left behind', async () => {
  await using server = await StrictServer.start([saying('Hello.')]);
  const cwd = await inRepository();
  await scribe(cwd, server, ['Scribe', 'Hi']);
  const { json } = await agentLogbook(['show', 'latest', '--json'], { cwd });
  const records = json.map(({ record }) => record as { seq: number; message?: { role: string } });
  const answer = String(records.find(({ message }) => message?.role === 'assistant')?.seq);
  for (const at of [answer, '999']) {
    const { code } = await scribe(cwd, server, ['--fork', 'latest', '--at', at, '--worktree', 'Scribe']);
    expect(code).not.toBe(0);
    expect(await readdir(`${cwd}.worktrees`)).toEqual([]);
  }
});

test('what a run did in a worktree of its own is what goes on, and where that is gone, this is said', async () => {
  await using server = await StrictServer.start([
    calling({ id: 'w', name: 'write_file', args: { path: 'note.txt', content: 'salt' } }),
    saying('It is done.'),
    saying('More.'),
    saying('Still more.'),
  ]);
  const cwd = await inRepository();
  const first = await scribe(cwd, server, ['--times', '1', '--approve', 'all', 'Scribe', 'Note it.']);
  const [, id = '', place = ''] =
    /^agent-logbook: (\S+): done; its files are in (.+)$/m.exec(first.err) ?? [];
  const { json } = await agentLogbook(['show', id, '--json'], { cwd });
  const records = json.map(({ record }) => record as { seq: number; message?: { role: string } });
  const at = String(records.findLast(({ message }) => message?.role === 'assistant')?.seq);
  const words = ['--fork', id, '--at', at, '--worktree', 'Scribe', 'More.'];
  const second = await scribe(cwd, server, words);
  const [, folder = ''] = /^agent-logbook: Its files are in (.+)\.$/m.exec(second.err) ?? [];
  expect(dirname(folder)).toBe(dirname(place));
  expect(await readFile(join(folder, 'note.txt'), 'utf8')).toBe('salt');
  expect(second.err).toContain(`The run worked in ${place}`);
  await rm(place, { recursive: true });
  const third = await scribe(cwd, server, words);
  expect(third).toMatchObject({ code: 0 });
  expect(third.err).toContain('its files cannot be put back');
});

function liveTest(name: string, agent: string, expected: string): string {
  return `  - name: ${name}\n    agent: ${agent}\n    prompt: Note it.\n    over: live\n    expect: ${expected}\n`;
}

function checkLive(cwd: string, server: StrictServer) {
  const live = [
    '--live',
    '--model',
    'test-model',
    '--endpoint',
    server.url,
    '--budget',
    '9',
    '--prices',
    PRICES,
  ];
  return agentLogbook(['check', 'a.logbook.yaml', ...live], { cwd });
}

test('a live test that cannot begin, or that no model answers, ends no other one, and does not pass', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 1 };
  const said = stream(chunk({ role: 'assistant', content: 'butter' }), chunk({}, 'stop'), {
    ...usageChunk(1, 1),
    usage,
  });
  await using server = await StrictServer.start([said, refusing(400, 'no such thing')]);
  const cwd = await inRepository();
  await writeFile(
    join(cwd, 'a.logbook.yaml'),
    `tests:\n${liveTest('one', 'Nobody', '{ maxErrors: 3 }')}${liveTest('two', 'Scribe', '{ answer: { contains: butter } }')}${liveTest('three', 'Scribe', '{ maxToolCalls: 3 }')}`,
  );
  const { out } = await checkLive(cwd, server);
  expect(out).toContain('There is no agent named Nobody here');
  expect(out).toContain('No model answered');
  expect(out).toContain('1 passed, 0 failed, 2 could not be tested');
});

test('a live run of a mutation that fails is told with its reason, and ends with 1', async () => {
  await using server = await StrictServer.start([
    calling({ id: 'r', name: 'list_files', args: {} }),
    saying('Nothing.'),
    refusing(400, 'no such thing'),
  ]);
  const cwd = await inRepository();
  await scribe(cwd, server, ['Scribe', 'What is there?']);
  await writeFile(join(cwd, 'm.logbook.yaml'), 'mutations:\n  - { name: A, call: list_files, fail: x }\n');
  const live = [
    '--live',
    '--model',
    'test-model',
    '--endpoint',
    server.url,
    '--budget',
    '9',
    '--prices',
    PRICES,
  ];
  const words = ['replay', 'latest', '--mutations', 'm.logbook.yaml', ...live];
  const { code, out, err } = await agentLogbook(words, { cwd, columns: 140 });
  expect(code).toBe(1);
  expect(out).not.toMatch(/failed, *$/m);
  expect(err).toMatch(/It ended as failed: ./);
});
