import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentLogbook, folderWith, type CommandOptions } from '../../../support/commandLine.js';
import { PRICES, inRepository, scribe, withScribe } from '../../../support/scribe.js';
import { StrictServer } from '../../../support/strictServer.js';
import { calling, chunk, refusing, saying, stream, usageChunk } from '../../../support/wireAnswers.js';

const writing = () =>
  StrictServer.start([
    calling({ id: 'w', name: 'write_file', args: { path: 'note.txt', content: 'butter' } }),
    saying('It is done.'),
  ]);

test('an agent of the folder answers by its script, and the run is a conversation of the store', async () => {
  const cwd = await folderWith({});
  await cp(join(import.meta.dirname, '../../../../samples/team'), cwd, { recursive: true });
  const { code, out, err } = await agentLogbook(
    ['run', 'pickle', 'Why', 'were there so few cookies on Tuesday?'],
    { cwd },
  );
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toMatch(/The card is fine\./);
  expect(err).toMatch(/Pickle → Cookie: Find out why the cookies/);
  const [, id = ''] = /Recorded as (\S+); agent-logbook show \1 shows it\./.exec(err) ?? [];
  const shown = await agentLogbook(['show', id], { cwd });
  expect(shown.out).toContain('Why were there so few cookies on Tuesday?');
  const { json } = await agentLogbook(['list', '--json'], { cwd });
  expect(json).toMatchObject([{ session: id, state: 'done', runs: 1 }]);
});

test('for programs, what happens is a line of JSON each, and the answer is the last', async () => {
  await using server = await writing();
  const cwd = await withScribe();
  const { code, json } = await scribe(cwd, server, ['--json', '--approve', 'all', 'Scribe', 'Note it.']);
  expect(code).toBe(0);
  expect(json.map(({ kind }) => kind)).toEqual(['run', 'tool', 'result']);
  expect(json[0]).toMatchObject({ v: 1, agent: 'Scribe', prompt: 'Note it.' });
  expect(json[1]).toMatchObject({ tool: 'write_file', isError: false });
  expect(json[2]).toMatchObject({ outcome: 'done', text: 'It is done.' });
  expect(await readFile(join(cwd, 'note.txt'), 'utf8')).toBe('butter');
  expect(server.violations).toEqual([]);
});

test('a run goes on from a message of another one, which stays as it is', async () => {
  await using server = await StrictServer.start([
    calling({ id: 'r', name: 'list_files', args: {} }),
    saying('There is nothing.'),
    saying('There is butter.'),
    saying('You are welcome.'),
  ]);
  const cwd = await withScribe();
  const first = await scribe(cwd, server, ['Scribe', 'What is there?']);
  const [, id = ''] = /Recorded as (\S+);/.exec(first.err) ?? [];
  const journal = join(cwd, '.agent-logbook/conversations', id, 'messages.jsonl');
  const before = await readFile(journal);
  const { json } = await agentLogbook(['show', id, '--json'], { cwd });
  const records = json.map(({ record }) => record as { seq: number; message?: { role: string } });
  const seqOf = (role: string) => String(records.find(({ message }) => message?.role === role)?.seq);
  await writeFile(join(cwd, 'other.txt'), 'butter');
  const at = ['--fork', 'latest', '--at', seqOf('tool'), '--text', 'other.txt'];
  expect(await scribe(cwd, server, [...at, 'Scribe'])).toMatchObject({ code: 0, out: 'There is butter.\n' });
  const [system, prompt, call, result, ...others] = server.requests[2]?.messages ?? [];
  expect([system, prompt, call]).toEqual(server.requests[1]?.messages.slice(0, 3));
  expect(result).toMatchObject({ role: 'tool', content: 'butter' });
  expect(others).toEqual([]);
  expect(await scribe(cwd, server, ['--fork', id, '--at', seqOf('user'), 'Scribe', 'Thanks!'])).toMatchObject(
    {
      out: 'You are welcome.\n',
    },
  );
  expect(server.requests[3]?.messages.at(-1)).toMatchObject({ role: 'user', content: 'Thanks!' });
  expect(await readFile(journal)).toEqual(before);
  const [entry] = (await agentLogbook(['list', '--json'], { cwd })).json;
  expect(entry).toMatchObject({ goesOnFrom: id });
  const compared = await agentLogbook(['compare', id, String(entry?.session)], { cwd });
  expect(compared.out).toContain(
    'Another prompt; different from the first step: left was asked “What is there?”, right was asked “Thanks!”',
  );
  expect(compared.out).toContain(`Left: ${id} from message 3 on.`);
  expect(compared.out).toMatch(/^Messages +4 +2 /m);
  expect(await agentLogbook(['replay', 'latest'], { cwd })).toMatchObject({ code: 0 });
});

test('a task is given several times, each in a worktree, is checked there, and the runs stand side by side', async () => {
  const note = (content: string) =>
    calling({ id: 'w', name: 'write_file', args: { path: 'note.txt', content } });
  const done = saying('It is done.');
  await using server = await StrictServer.start([
    note('butter'),
    done,
    note('salt'),
    done,
    note('butter'),
    done,
  ]);
  const cwd = await inRepository();
  const words = ['--times', '3', '--verify', 'grep -q butter note.txt', '--approve', 'all'];
  const { code, out, err } = await scribe(cwd, server, [...words, 'Scribe', 'Note it.']);
  expect(err).toContain('3 runs; what one costs is not known');
  expect(err).toContain('Run 3 of 3');
  expect(err.match(/: done, passed; its files are in/g)).toHaveLength(2);
  expect(err.match(/: done, did not pass; its files are in/g)).toHaveLength(1);
  expect(code).toBe(1);
  expect(out).toContain('Success');
  expect(out).toMatch(/2 of 3/);
  const trees = await readdir(`${cwd}.worktrees`);
  expect(trees).toHaveLength(3);
  for (const tree of trees) {
    expect(await readdir(join(`${cwd}.worktrees`, tree))).toEqual(
      expect.arrayContaining(['note.txt', 'own.txt']),
    );
  }
  expect(await readdir(cwd)).not.toContain('note.txt');
  const { json } = await agentLogbook(['list', '--json'], { cwd });
  expect(json).toHaveLength(3);
});

test('it goes on in a worktree where that is said, with the files as they were at the message', async () => {
  const write = (content: string) =>
    calling({ id: 'w', name: 'write_file', args: { path: 'note.txt', content } });
  await using server = await StrictServer.start([
    write('butter'),
    saying('It is done.'),
    write('salt'),
    saying('It is salted.'),
  ]);
  const cwd = await inRepository();
  await scribe(cwd, server, ['--approve', 'all', 'Scribe', 'Note it.']);
  expect(await readFile(join(cwd, 'note.txt'), 'utf8')).toBe('butter');
  const { json } = await agentLogbook(['show', 'latest', '--json'], { cwd });
  const prompt = json
    .map(({ record }) => record as { seq: number; message?: { role: string } })
    .find(({ message }) => message?.role === 'user');
  const words = ['--fork', 'latest', '--at', String(prompt?.seq), '--worktree', '--approve', 'all'];
  const { code, err } = await scribe(cwd, server, [...words, 'Scribe', 'Salt it.']);
  expect({ code, err }).toMatchObject({ code: 0 });
  const [, folder = ''] = /^agent-logbook: Its files are in (.+)\.$/m.exec(err) ?? [];
  expect(folder).toContain('.worktrees');
  // The file that came later was taken away before the agent wrote its own.
  expect(await readFile(join(folder, 'note.txt'), 'utf8')).toBe('salt');
  expect(await readFile(join(folder, 'own.txt'), 'utf8')).toBe('not committed');
  expect(await readFile(join(cwd, 'note.txt'), 'utf8')).toBe('butter');
  expect(JSON.stringify(server.requests[2]?.messages)).not.toContain('butter');
});

test('what follows a mutation is asked live where a person says so, in a worktree, up to a budget', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 3 };
  const dear = stream(chunk({ role: 'assistant', content: 'There is butter.' }), chunk({}, 'stop'), {
    ...usageChunk(1, 1),
    usage,
  });
  await using server = await StrictServer.start([
    calling({ id: 'r', name: 'list_files', args: {} }),
    saying('There is nothing.'),
    dear,
  ]);
  const cwd = await inRepository();
  await scribe(cwd, server, ['Scribe', 'What is there?']);
  const mutation = (name: string, what: string) => `  - { name: ${name}, call: list_files, ${what} }\n`;
  await writeFile(
    join(cwd, 'm.logbook.yaml'),
    `mutations:\n${mutation('More', 'result: butter')}${mutation('Same', 'delay: 1s')}${mutation('Gone', 'fail: No disk')}`,
  );
  const live = ['--live', '--model', 'test-model', '--endpoint', server.url];
  const args = ['replay', 'latest', '--mutations', 'm.logbook.yaml', ...live];
  const { code, json, err } = await agentLogbook([...args, '--budget', '2', '--prices', PRICES, '--json'], {
    cwd,
  });
  expect(err).toContain('The budget is spent: no further run was begun.');
  expect(code).toBe(1);
  expect(json).toMatchObject([
    { name: 'More', outcome: 'open', live: { outcome: 'done' } },
    { name: 'Same', outcome: 'done', isChanged: false },
    { name: 'Gone', outcome: 'open' },
  ]);
  expect(json[1]).not.toHaveProperty('live');
  expect(json[2]).not.toHaveProperty('live');
  // Nothing was asked before the change, and the model was asked with it.
  expect(server.requests).toHaveLength(3);
  expect(server.requests[2]?.messages.at(-1)).toMatchObject({ role: 'tool', content: 'butter' });
  expect(String((json[0]?.live as { folder?: string }).folder)).toContain('.worktrees');
});

const LIVE_TEST = `tests:
  - name: Scribe is done, once of two
    agent: Scribe
    prompt: Note it.
    over: live
    runs: 2
    atLeast: 1
    expect:
      answer: { contains: butter }
`;

test('a test that says so runs its agent where a person asks for it, in worktrees, up to a budget', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 3 };
  const dear = (content: string) =>
    stream(chunk({ role: 'assistant', content }), chunk({}, 'stop'), { ...usageChunk(1, 1), usage });
  await using server = await StrictServer.start([dear('salt'), dear('butter'), dear('salt')]);
  const cwd = await inRepository();
  await writeFile(join(cwd, 'a.logbook.yaml'), LIVE_TEST);
  const check = async (...words: string[]) =>
    await agentLogbook(['check', 'a.logbook.yaml', ...words], { cwd });
  const refused = await check();
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.out).toContain('agent-logbook check --live');
  expect(server.requests).toEqual([]);
  const live = ['--live', '--model', 'test-model', '--endpoint', server.url, '--prices', PRICES];
  const passed = await check(...live, '--budget', '9');
  expect(passed).toMatchObject({ code: 0, out: expect.stringContaining('1 passed, 0 failed') });
  expect(server.requests).toHaveLength(2);
  expect(await readdir(`${cwd}.worktrees`)).toHaveLength(2);
  const short = await check(...live, '--budget', '2');
  expect(short).toMatchObject({ code: 2 });
  expect(short.out).toContain('Only 1 of 2 runs were begun');
  expect((await check('--live')).err).toContain('it needs a --budget');
  expect((await check('--budget', '2')).err).toContain('--budget is for --live');
});

test('several models take their turns; nothing more is begun where the person or the budget says so', async () => {
  const done = saying('It is done.');
  await using server = await StrictServer.start([done, done]);
  const cwd = await inRepository();
  const run = async (words: readonly string[], options: CommandOptions = {}) =>
    await agentLogbook(['run', '--endpoint', server.url, ...words, 'Scribe', 'Go.'], { cwd, ...options });
  const questions: string[] = [];
  const ask = (answer: string) => (question: string) => {
    questions.push(question);
    return Promise.resolve(answer);
  };
  await run(['--models', 'a,b'], { ask: ask('no') });
  expect(questions).toEqual(['Begin 2 runs? [y]es or no: ']);
  expect(server.requests).toEqual([]);
  const { json } = await run(['--models', 'a,b', '--json'], { ask: ask('y') });
  expect(json.filter(({ kind }) => kind === 'result')).toMatchObject([
    { outcome: 'done', model: 'endpoint/a' },
    { outcome: 'done', model: 'endpoint/b' },
  ]);
  expect(json.some(({ kind }) => kind === 'comparison')).toBe(true);
});

test('no further run is begun once the budget is spent, and what a run has cost is told before the next ones', async () => {
  const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, cost: 3 };
  const dear = stream(chunk({ role: 'assistant', content: 'Done.' }), chunk({}, 'stop'), {
    ...usageChunk(1, 1),
    usage,
  });
  await using server = await StrictServer.start([dear, dear]);
  const cwd = await inRepository();
  const first = await scribe(cwd, server, [
    '--times',
    '9',
    '--budget',
    '$4',
    '--prices',
    PRICES,
    'Scribe',
    'Go.',
  ]);
  expect(first).toMatchObject({ code: 1 });
  expect(first.err).toContain('The budget is spent: no further run was begun.');
  expect(first.err).toContain('It cost $6.00.');
  expect(server.requests).toHaveLength(2);
  const second = await scribe(cwd, server, ['--times', '2', 'Scribe', 'Go.'], {
    ask: () => Promise.resolve('n'),
  });
  expect(second.err).toContain('2 runs, about $6.00: one cost $3.00, the median of 2 earlier runs.');
});

test.each([
  [['--budget', '3', 'Scribe', 'x'], '--budget is for several runs'],
  [['--prices', import.meta.filename, 'Scribe', 'x'], '--prices is for several runs'],
  [['--worktree', 'Scribe', 'x'], '--worktree is for a run that goes on from another one'],
  [['--times', '2', '--budget', 'much', 'Scribe', 'x'], '--budget is an amount of dollars'],
  [['--times', '2', '--fork', 'latest', '--at', '2', 'Scribe', 'x'], '--fork goes on once'],
  [['--times', '2', 'Scribe', 'x'], 'Git knows no repository around this folder'],
  [['--fork', 'latest', 'Scribe'], '--fork SESSION and --at MESSAGE go together'],
  [['--at', '3', 'Scribe'], '--fork SESSION and --at MESSAGE go together'],
  [['--fork', 'latest', '--at', 'x', 'Scribe'], '--at is the number of a message'],
  [['--fork', 'latest', '--at', '3', 'Scribe'], 'There is no run latest recorded in this folder'],
  [['Scribe'], 'run needs a PROMPT'],
])('%j is refused', async (words, why) => {
  const { code, err } = await agentLogbook(['run', ...words], { cwd: await withScribe() });
  expect(code).toBe(2);
  expect(err).toContain(why);
});

test('patterns of its tools are looked for without files beside the program', async () => {
  await using server = await StrictServer.start([
    calling({ id: 's', name: 'search_text', args: { pattern: 'but+er', regex: true } }),
    saying('There is butter.'),
  ]);
  const cwd = await withScribe();
  await writeFile(join(cwd, 'list.txt'), 'flour\nbutter\n');
  const { code } = await scribe(cwd, server, ['Scribe', 'Is there butter?']);
  expect(code).toBe(0);
  expect(JSON.stringify(server.requests[1]?.messages)).toContain('list.txt:2: butter');
});

describe('what is not harmless', () => {
  test('is refused where nobody can be asked, which is told', async () => {
    await using server = await writing();
    const cwd = await withScribe();
    const { code, err } = await scribe(cwd, server, ['Scribe', 'Note it.']);
    expect(code).toBe(0);
    expect(err).toContain('1 action was refused, because nobody could be asked');
    expect(await readdir(cwd)).not.toContain('note.txt');
    expect(JSON.stringify(server.requests[1]?.messages)).toContain('Nobody can be asked here.');
  });

  test('is done where the person at the terminal allows it', async () => {
    await using server = await writing();
    const cwd = await withScribe();
    const questions: string[] = [];
    const ask = (question: string) => {
      questions.push(question);
      return Promise.resolve('y');
    };
    const { code, err } = await scribe(cwd, server, ['Scribe', 'Note it.'], { ask });
    expect(code).toBe(0);
    expect(err).toContain('Scribe wants to: Write note.txt');
    expect(questions).toEqual([expect.stringContaining('butter')]);
    expect(await readFile(join(cwd, 'note.txt'), 'utf8')).toBe('butter');
  });

  test('is not done where the person says why not, and the model hears it', async () => {
    await using server = await writing();
    const cwd = await withScribe();
    const ask = () => Promise.resolve('use margarine');
    await scribe(cwd, server, ['Scribe', 'Note it.'], { ask });
    expect(await readdir(cwd)).not.toContain('note.txt');
    expect(JSON.stringify(server.requests[1]?.messages)).toContain('use margarine');
  });

  test('is refused where the person has gone', async () => {
    await using server = await writing();
    const cwd = await withScribe();
    const ask = () => Promise.reject(new Error('Nobody is there any more.'));
    expect((await scribe(cwd, server, ['Scribe', 'Note it.'], { ask })).code).toBe(0);
    expect(await readdir(cwd)).not.toContain('note.txt');
  });

  test('is not asked about where all is rejected', async () => {
    await using server = await writing();
    const cwd = await withScribe();
    const ask = () => Promise.reject(new Error('Somebody was asked.'));
    await scribe(cwd, server, ['--approve', 'none', 'Scribe', 'Note it.'], { ask });
    expect(await readdir(cwd)).not.toContain('note.txt');
  });
});

test('a run that fails ends with 1 and says why; it is recorded', async () => {
  await using server = await StrictServer.start(() => refusing(401, 'no such key'));
  const cwd = await withScribe();
  const { code, err, out } = await scribe(cwd, server, ['Scribe', 'Note it.']);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/The run ended as failed: .*no such key/);
  expect((await agentLogbook(['list', '--json'], { cwd })).json).toMatchObject([{ state: 'failed' }]);
});

test('an interruption ends the run with 130, and what was said is recorded', async () => {
  const interrupt = new AbortController();
  await using server = await StrictServer.start(() => {
    interrupt.abort(new Error('Interrupted.'));
    return { ...saying('Never heard.'), then: 'hang' };
  });
  const cwd = await withScribe();
  const { code } = await scribe(cwd, server, ['Scribe', 'Note it.'], { signal: interrupt.signal });
  expect(code).toBe(130);
  expect((await agentLogbook(['list', '--json'], { cwd })).json).toMatchObject([{ state: 'cancelled' }]);
});

test('the prompt is read from standard input, and the key from its variable', async () => {
  await using server = await StrictServer.start([saying('Yes.')]);
  const cwd = await withScribe();
  const options = {
    stdin: 'Is it\nthere?',
    env: { OPENAI_API_KEY: 'sk-of-a-test', OPENAI_BASE_URL: server.url },
  };
  await agentLogbook(['run', '--model', 'test-model', 'Scribe', '-'], { cwd, ...options });
  expect(server.requests[0]?.messages.at(-1)?.content).toBe('Is it\nthere?');
  expect(server.requests[0]?.headers.authorization).toBe('Bearer sk-of-a-test');
});

test('the run goes into the store that is named', async () => {
  await using server = await StrictServer.start([saying('Yes.')]);
  const cwd = await withScribe();
  await mkdir(join(cwd, 'elsewhere'));
  await writeFile(join(cwd, 'elsewhere/keep'), '');
  await scribe(cwd, server, ['--store', 'kept', 'Scribe', 'Go.']);
  expect((await agentLogbook(['list', '--store', 'kept', '--json'], { cwd })).json).toHaveLength(1);
  expect(await readdir(cwd)).not.toContain('.agent-logbook');
});

test.each([
  [['run', 'Scrib', 'Hello'], 'There is no agent Scrib; did you mean Scribe?'],
  [['run', 'Scribe'], 'run needs a PROMPT'],
  [['run', 'Scribe', ' '], 'run needs a PROMPT'],
  [['run', 'Scribe', 'Hello'], 'No model is chosen'],
  [['run', '--model', 'm', 'Scribe', 'Hello'], '--model needs its server'],
  [['run', '--endpoint', 'http://localhost:1', 'Scribe', 'Hello'], '--endpoint needs a model'],
  [['run', '--approve', 'some', 'Scribe', 'Hello'], '--approve cannot be "some"'],
])('%j cannot begin, and nothing is recorded', async (args, words) => {
  const cwd = await withScribe();
  const { code, err, out } = await agentLogbook(args, { cwd });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toContain(words);
  expect(await readdir(cwd)).toEqual(['.github']);
});
