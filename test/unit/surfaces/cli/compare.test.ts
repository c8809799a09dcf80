import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { agentLogbook } from '../../../support/commandLine.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

const KEY = `sk-ant-api03-${'aB3'.repeat(31)}AA`;

/** A transcript in which one tool is called on each file. */
function session(files: readonly string[], answer: string): string {
  const messages: object[] = [{ role: 'user', content: 'Why are the cookies so small?' }];
  for (const [at, path] of files.entries()) {
    const call = { name: 'read_file', arguments: JSON.stringify({ path }) };
    messages.push({
      role: 'assistant',
      content: '',
      tool_calls: [{ id: `c${at}`, type: 'function', function: call }],
    });
    messages.push({ role: 'tool', tool_call_id: `c${at}`, content: `What is in ${path}.` });
  }
  messages.push({ role: 'assistant', content: answer });
  return messages.map((message) => `${JSON.stringify(message)}\n`).join('');
}

async function folder(): Promise<string> {
  const cwd = await temporaryFolder();
  await writeFile(join(cwd, 'a.jsonl'), session(['scale.mjs', 'bowl.mjs'], 'The factor is upside down.'));
  await writeFile(join(cwd, 'b.jsonl'), session(['oven.mjs', 'bowl.mjs'], 'The factor is upside down.'));
  await writeFile(join(cwd, 'c#1.jsonl'), session(['bowl.mjs'], `The key is ${KEY}.`));
  return cwd;
}

test('two runs are told in one sentence, with steps that are alike folded, for people, programs and pull requests', async () => {
  const cwd = await folder();
  const { code, out } = await agentLogbook(['compare', 'a.jsonl', 'b.jsonl'], { cwd });
  expect(code).toBe(0);
  expect(out).toContain(
    'The same until step 2: both called read_file, with another path: scale.mjs left, oven.mjs right',
  );
  const { json } = await agentLogbook(['compare', '--json', 'a.jsonl', 'b.jsonl'], { cwd });
  expect(json[0]).toMatchObject({
    kind: 'comparison',
    same: { steps: false, tools: true, outcome: true },
    counts: { arguments: 1 },
  });
  expect(json.filter(({ kind }) => kind === 'difference')).toMatchObject([
    { difference: 'arguments', left: { number: 2 }, right: { number: 2 } },
  ]);
  const markdown = await agentLogbook(['compare', '--format', 'markdown', 'a.jsonl', 'b.jsonl'], { cwd });
  expect(markdown.out).toMatch(/^## a and b\n\n\*\*The same until step 2/);
  const html = await agentLogbook(['compare', '--format', 'html', 'a.jsonl', 'c#1.jsonl'], { cwd });
  expect(html.out).toContain('<p class="first">');
  expect(html.out).not.toContain(KEY);
});

test('--same decides by steps, tools or outcome, and wrong use is told', async () => {
  const cwd = await folder();
  const codeOf = async (...args: string[]) => (await agentLogbook(['compare', ...args], { cwd })).code;
  expect(await codeOf('--same', 'steps', 'a.jsonl', 'a.jsonl')).toBe(0);
  expect(await codeOf('--same', 'steps', 'a.jsonl', 'b.jsonl')).toBe(1);
  expect(await codeOf('--same', 'tools', 'a.jsonl', 'b.jsonl')).toBe(0);
  expect(await codeOf('--same', 'tools', 'a.jsonl', 'b.jsonl', 'c#1.jsonl')).toBe(1);
  const told = async (...args: string[]) => (await agentLogbook(['compare', ...args], { cwd })).err;
  expect(await told('a.jsonl')).toContain('To compare takes two runs, and there is 1.');
  expect(await told('a.jsonl', 'b.jsonl#3')).toContain('There is no run 3; it has 1.');
  expect(await told('--keep', 'moons', 'a.jsonl', 'b.jsonl')).toContain(
    'There is no rule moons; the rules are ids, times',
  );
  expect(await told('--baseline', '9', 'a.jsonl', 'b.jsonl')).toContain(
    'There is no run 9 to compare with; there are 2.',
  );
});

test('three are a set, and a session of several runs is these runs', async () => {
  const cwd = await folder();
  const { json } = await agentLogbook(
    ['compare', '--json', '--baseline', '2', 'a.jsonl', 'b.jsonl', 'c#1.jsonl'],
    { cwd },
  );
  expect(json[0]).toMatchObject({ kind: 'set', baseline: 2, isFew: true, success: { n: 0, excluded: 3 } });
  expect(json.filter(({ kind }) => kind === 'run')).toHaveLength(3);
  const { out } = await agentLogbook(['compare', 'a.jsonl', 'b.jsonl', 'c#1.jsonl'], { cwd });
  expect(out).toContain('too few runs to claim a difference');
  await writeFile(join(cwd, 'twice.jsonl'), session(['scale.mjs'], 'Done.') + session(['oven.mjs'], 'Done.'));
  const twice = await agentLogbook(['compare', 'twice.jsonl'], { cwd });
  expect(twice.out).toContain('Left: twice#1. Right: twice#2.');
});

test('a key in an argument is gone before its value is cut', async () => {
  const cwd = await folder();
  // A cut key is no longer known as one.
  const key = `ghp_${'aB3'.repeat(12)}`;
  const longs = ['a', 'b'].map((letter) => letter.repeat(180));
  for (const [at, text] of longs.entries())
    await writeFile(join(cwd, `long${at}.jsonl`), session([`${text} ${key} ${text}`], 'Done.'));
  for (const format of [['--json'], ['--format', 'html'], ['--format', 'markdown'], []]) {
    const { out } = await agentLogbook(['compare', ...format, 'long0.jsonl', 'long1.jsonl'], { cwd });
    expect(out).toContain('aaaa');
    expect(out).not.toContain(key.slice(0, 12));
  }
});

test('what cannot be read is listed, and the others are compared', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'broken.jsonl'), 'no transcript at all');
  const args = ['compare', '--json', 'a.jsonl', 'broken.jsonl', 'b.jsonl', 'c#1.jsonl'];
  const { json, code } = await agentLogbook(args, { cwd });
  expect(code).toBe(1);
  expect(json.filter(({ kind }) => kind === 'run')).toHaveLength(3);
  expect(json.filter(({ kind }) => kind === 'unread')).toMatchObject([{ name: 'broken.jsonl' }]);
  const { out } = await agentLogbook(
    args.filter((arg) => arg !== '--json'),
    { cwd },
  );
  expect(out).toContain('broken.jsonl is left out, because it cannot be read');
  const two = await agentLogbook(['compare', 'a.jsonl', 'broken.jsonl'], { cwd });
  expect(two.err).toContain('broken.jsonl cannot be read, and to compare takes two runs');
});

test('places that cannot be read are told, because they may be what differs', async () => {
  const cwd = await folder();
  const half = session(['scale.mjs', 'bowl.mjs'], 'The factor is upside down.').replace(
    '"tool_calls"',
    '"tool_ca',
  );
  await writeFile(join(cwd, 'half.jsonl'), half);
  const { json, code } = await agentLogbook(['compare', '--json', 'a.jsonl', 'half.jsonl'], { cwd });
  expect(code).toBe(1);
  expect(json[0]).toMatchObject({ left: { damaged: 0 }, right: { damaged: 1 } });
  const { out } = await agentLogbook(['compare', 'a.jsonl', 'half.jsonl'], { cwd });
  expect(out).toContain('1 place of the right run cannot be read');
});

test('--same outcome means the same of two and of several: the end, and every score', async () => {
  const cwd = await folder();
  const sample = (id: string, value: number) => ({
    id,
    epoch: 1,
    input: 'Bake.',
    target: 'cookie',
    messages: [
      { role: 'user', content: 'Bake.' },
      { role: 'assistant', content: 'Done.' },
    ],
    scores: { taste: { value } },
  });
  const log = (values: readonly number[]) =>
    JSON.stringify({
      version: 2,
      status: 'success',
      eval: { task: 'bake', model: 'm', dataset: {}, config: {} },
      plan: {},
      samples: values.map((value) => sample('1', value)),
    });
  await writeFile(join(cwd, 'two.json'), log([0.2, 0.4]));
  await writeFile(join(cwd, 'three.json'), log([0.2, 0.4, 0.4]));
  const codeOf = async (file: string) =>
    (await agentLogbook(['compare', '--same', 'outcome', file], { cwd })).code;
  expect([await codeOf('two.json'), await codeOf('three.json')]).toEqual([1, 1]);
});

test('all are compared with the run that has most in common with all, where that is wanted', async () => {
  const cwd = await folder();
  await writeFile(join(cwd, 'd.jsonl'), session(['oven.mjs', 'bowl.mjs'], 'Quite another thing.'));
  const { json } = await agentLogbook(
    ['compare', '--json', '--baseline', 'typical', 'c#1.jsonl', 'a.jsonl', 'b.jsonl', 'd.jsonl'],
    { cwd },
  );
  expect(json[0]).toMatchObject({ kind: 'set', baseline: 3 });
  const { err, code } = await agentLogbook(['compare', '--baseline', '0', 'a.jsonl', 'b.jsonl'], { cwd });
  expect([code, err]).toEqual([2, expect.stringContaining('from 1, or typical; 0 is neither')]);
});

test('standard input is read once, also where the baseline is another one', async () => {
  const cwd = await folder();
  const { json, code } = await agentLogbook(
    ['compare', '--json', '--baseline', '2', '-', 'a.jsonl', 'b.jsonl'],
    {
      cwd,
      stdin: session(['scale.mjs', 'bowl.mjs'], 'The factor is upside down.'),
    },
  );
  expect(code).toBe(0);
  expect(json.filter(({ kind }) => kind === 'run')).toHaveLength(3);
  expect(json[0]).toMatchObject({ baseline: 2, same: 1 });
});
