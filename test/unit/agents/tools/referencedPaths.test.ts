import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { approve, deny, toolWorkspace } from './toolHarness.js';

/** A workspace with a neighbour, and why each command must be asked about in it. */
async function workspace() {
  const made = await toolWorkspace({
    'a.txt': 'a',
    'run.sh': 'true',
    'src/main.ts': '',
    'sub/deep/x.js': '',
    '.env': 'KEY=1',
    '.vscode/settings.json': '{}',
    'node_modules/.bin/eslint': '',
  });
  await mkdir(join(made.top, 'neighbour'));
  await writeFile(join(made.top, 'neighbour/twin.txt'), 'theirs');
  await made.linkTo('../neighbour', 'door');
  await made.linkTo('.vscode', 'editor');
  await made.linkTo('.env', 'plain.txt');
  await made.linkTo('src', 'inner');
  await made.hardLinkTo(join(made.top, 'neighbour/twin.txt'), 'twin.txt');
  const whyAsked = async (command: string) =>
    (await made.call('run_command', { command }, { decide: deny() })).asked[0]?.askReason;
  return { ...made, whyAsked };
}

describe('a command must be asked about for what it names', () => {
  test.each([
    ['touch ../x', 'lies outside'],
    ['touch /x', 'lies outside'],
    ['touch sub/../../x', 'leads back'],
    ['mkdir door/x', 'leads out of the workspace'],
    ['touch "door/a file"', 'leads out of the workspace'],
    ['echo x > door/x', 'leads out of the workspace'],
    ['gcc -o/tmp/x main.c', 'lies outside'],
    ['tsc --outDir=/tmp/x', 'lies outside'],
    ['tsc --outDir=file:///tmp/x', 'lies outside'],
    ['node ../x.js', 'lies outside'],
    ['../x.sh', 'lies outside'],
    ['bash -c "touch ../x"', 'lies outside'],
    ["sh -c 'cd .. && npm test'", 'lies outside'],
    ["cd sub && timeout 5 bash -xc 'touch ../../x'", 'lies outside'],
    ['bash -c "bash -c \'touch door/x\'"', 'leads out of the workspace'],
    ["A=b sh -c 'cd .vscode && echo x > settings.json'", 'can run code or decide'],
    ['timeout 5 cp a.txt door', 'leads out of the workspace'],
    ['cp -t sub run.sh', 'does not name'],
    ['python3 /dev/stdin < a.txt', 'lies outside'],
    ['bash -s one < a.txt', 'comes from elsewhere'],
    ['cd .. && npm test', 'lies outside'],
    ['cd sub && touch ../../x', 'lies outside'],
    ['(cd sub); touch ../x', 'lies outside'],
    ['cd door && npm test', 'leads out of the workspace'],
    ['cd inner && npm test', 'leads through a link'],
    ['cd && npm test', 'known only when it runs'],
    ['cd "$X" && npm test', 'known only when it runs'],
    ['cd sub && cd deep && cd .. && cd .. && cd .. && npm test', 'lies outside'],
    ['pushd .vscode && touch settings.json', 'can run code or decide'],
    ['cd .vscode && echo x > settings.json', 'can run code or decide'],
    ['touch editor/settings.json', 'can run code or decide'],
    ['touch twin.txt', 'hard links'],
    ['rg x plain.txt', 'keys or passwords'],
    ['node x.js plain.txt', 'keys or passwords'],
    ['npm test door/x', 'leads out of the workspace'],
    ['npx cowsay hi', 'may fetch'],
    ['npx -y eslint', 'may fetch'],
    ['npx eslint@latest', 'may fetch'],
    ['npm exec cowsay', 'may fetch'],
    ['time npx cowsay', 'may fetch'],
    ['uvx ruff', 'foreign code'],
    ['timeout 60 uvx ruff', 'foreign code'],
    ["bash -c 'npx cowsay'", 'may fetch'],
    ['sh -c \'cd src && bash -c "npx cowsay"\'', 'may fetch'],
    ['npm --yes exec cowsay', 'may fetch'],
    ['bun --cwd src x cowsay', 'may fetch'],
    ['npm exe cowsay', 'may fetch'],
    ['touch inner/./../x', 'leads back'],
    ['cat inner//../x', 'leads back'],
    ['cat inner/././/../x', 'leads back'],
    ['cd -P inner/.. && cat a.txt', 'leads back'],
    ['set -P; cd inner/..; cat a.txt', 'leads back'],
    ['echo true > 1; bash 1', 'which it writes itself'],
    ['go run example.com/x@latest', 'elsewhere'],
    ['npm test --registry=https://example.invalid', 'elsewhere'],
    ['echo true > x.sh; bash x.sh', 'which it writes itself'],
    ['cp run.sh y.sh && ./y.sh', 'which it writes itself'],
    [`touch ${Array.from({ length: 600 }, (_, at) => `f${at}`).join(' ')}`, 'more than 500 files'],
    [`${'cd sub && '.repeat(40)}npm test`, 'too many folders'],
  ])('%s', async (command, reason) => {
    expect(await (await workspace()).whyAsked(command)).toContain(reason);
  });
});

test.each([
  'npm test',
  'npm test -- src/main.ts',
  'npx eslint src --max-warnings=0',
  'npx --no-install eslint src',
  'npm exec eslint src',
  'npm --yes exec eslint src',
  "bash -c 'npx eslint src'",
  'grep -rn npx src',
  'git log --grep uvx',
  'npm run x',
  'touch ./x ../ws/x',
  'grep x <<< "../a"',
  'cat > a.txt <<EOF\n../a\nEOF',
  'cd src && npm test',
  'cd sub/deep && node x.js',
  'node sub/deep/x.js > out.txt',
  'git commit -m "fix(a/b): what stands in a.txt, see https://example.com"',
  'git commit -m "one\n\ntwo /three"',
  'mkdir -p out && cp a.txt out/a.txt',
  'cat a.txt | tee copy.txt',
  'echo "see /etc/hosts" > note.txt',
  'echo x > note.txt && cat note.txt',
  'pytest tests/test_a.py::test_b -k "a or b"',
  'rg /api/users src',
  'FOO=/bar npm test',
  'tsc --outDir ./out 2>&1',
  'mv a.txt b.txt; rm b.txt',
  'bash run.sh one two',
  "bash -c 'cd src && npm test'",
  './run.sh',
])('%s is for the policy to decide', async (command) => {
  expect(await (await workspace()).whyAsked(command)).toBeUndefined();
});

test('what a command has written by name is an agent’s from then on, also as a copy', async () => {
  const { call, whyAsked } = await workspace();
  const commands = ['echo true > one.sh', 'cp run.sh sub', 'echo true | timeout 5 tee two.sh'];
  for (const command of commands) {
    await call('run_command', { command }, { decide: approve });
  }
  for (const path of ['one.sh', 'sub/run.sh', 'two.sh']) {
    expect([path, await whyAsked(`bash ${path}`)]).toEqual([
      path,
      expect.stringContaining('which an agent has written') as string,
    ]);
  }
  expect(await whyAsked('bash run.sh')).toBeUndefined();
});

test('the word that ends a text in a command is no file that it writes', async () => {
  const { call, put, whyAsked } = await workspace();
  await put('EOF', 'true');
  await call('run_command', { command: 'cat > b.txt <<EOF\ntrue\nEOF' }, { decide: approve });
  expect([await whyAsked('bash EOF'), await whyAsked('bash b.txt')]).toEqual([
    undefined,
    expect.stringContaining('which an agent has written') as string,
  ]);
});

test('a command that writes and shows the same again and again is the same question', async () => {
  const { call } = await workspace();
  const command = 'echo "six eggs" > eggs.txt; cat eggs.txt';
  const [first, second] = [
    await call('run_command', { command }, { decide: approve }),
    await call('run_command', { command }, { decide: approve }),
  ];
  expect([second.asked[0]?.key, second.asked[0]?.askReason]).toEqual([first.asked[0]?.key, undefined]);
});

test('what a denied command would have written is nobody’s', async () => {
  const { call, whyAsked } = await workspace();
  await call('run_command', { command: 'echo true > run.sh' }, { decide: deny() });
  expect(await whyAsked('bash run.sh')).toBeUndefined();
});
