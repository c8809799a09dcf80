import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatted } from '../../../../scripts/formatted.mjs';
import { commandLinePage } from '../../../../src/surfaces/cli/commandLinePage.js';
import { commands } from '../../../../src/surfaces/cli/commands.js';
import { loaders } from '../../../../src/surfaces/cli/loaders.js';
import { agentLogbook, type CommandOptions } from '../../../support/commandLine.js';

test('every command has help with examples, a loader, and options that no two share', async () => {
  expect(Object.keys(loaders).sort()).toEqual(commands.map(({ name }) => name).sort());
  for (const command of commands) {
    const { code, out } = await agentLogbook([command.name, '--help']);
    expect(code).toBe(0);
    for (const { line } of command.examples) expect(out).toContain(line);
    for (const { name } of command.options) expect(out).toContain(`--${name}`);
    expect(command.examples.length).toBeGreaterThan(0);
    expect(typeof (await loaders[command.name]())).toBe('function');
    const spellings = command.options.flatMap(({ name, short }) =>
      short === undefined ? [name] : [name, short],
    );
    expect(new Set(spellings).size).toBe(spellings.length);
  }
});

test('help is as wide as the environment says', async () => {
  const help = async (how: CommandOptions) => (await agentLogbook(['show', '--help'], how)).out;
  const narrow = await help({ env: { COLUMNS: '60' } });
  expect(narrow).toBe(await help({ columns: 60 }));
  expect(narrow).not.toBe(await help({}));
});

test('help of the program names every command; without words it is help too', async () => {
  const { out } = await agentLogbook([]);
  for (const { name } of commands) expect(out).toContain(`\n  ${name} `);
  expect((await agentLogbook(['help', 'show'])).out).toBe((await agentLogbook(['show', '-h'])).out);
});

test('no line of help is longer than the terminal', async () => {
  for (const { name } of commands) {
    const { out } = await agentLogbook([name, '--help'], { columns: 80 });
    const long = out.split('\n').filter((line) => line.length > 80 && !line.includes('agent-logbook'));
    expect(long).toEqual([]);
  }
});

test('the version is told', async () => {
  expect(await agentLogbook(['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' });
});

describe('wrong use ends with 2 and one line that says what to do', () => {
  test.each([
    [['shwo'], 'There is no command shwo; did you mean show?'],
    [['x.jsonl'], 'A file is shown with agent-logbook show FILE.'],
    [['--json'], 'A command comes first'],
    [['--versoin'], 'There is no option --versoin before a command; did you mean --version?'],
    [['list', '--jsn'], '--jsn is no option of list; did you mean --json?'],
    [['list', '--limit', 'many'], '--limit must be a whole number of at least 0, not "many".'],
    [['list', '--limit', '-1'], '--limit'],
    [['show', '--last', '0'], '--last must be a whole number of at least 1'],
    [['list', '--color', 'blue'], '--color cannot be "blue": it may be auto, always, never'],
    [['list', '--json=yes'], '--json takes no value.'],
    [['list', '--limit'], '--limit needs a NUMBER behind it.'],
    [['query'], 'query needs a QUESTION'],
    [['query', '-role:user'], 'write -- before a question that begins with a dash'],
    [['show', 'a', 'b'], 'show does not know what to do with "b".'],
    [['query', 'rol:user'], 'The question is not understood at "rol:'],
    [['query', '(a'], 'The question is not understood at'],
    [['query', '--time-zone', 'Mars/Base', 'a'], 'There is no time zone Mars/Base'],
    [['completion', 'tcsh'], 'bash, zsh, fish'],
  ])('%j', async (args, words) => {
    const { code, out, err } = await agentLogbook(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(words);
    expect(err).toMatch(/^agent-logbook: [^\n]+\n$/);
  });
});

test('the page about the command line is that of the table', async () => {
  const path = join(import.meta.dirname, '../../../../docs/commandLine.md');
  const page = await formatted(path, commandLinePage(commands));
  expect(await readFile(path, 'utf8'), 'npm run docs:commands').toBe(page);
});
