import { expect, test } from 'vitest';
import { deedPieces } from '../../../src/export/deedPieces.js';

test('arguments of known tools are lines, of unknown ones and what is deep JSON; tasks are told once', () => {
  const given = (name: string, input: unknown) =>
    deedPieces(name, JSON.stringify(input)).pieces.map(({ language, text }) => [language, text]);
  expect(given('Grep', { pattern: 'a b', path: 'src', '-n': true })).toEqual([
    ['text', 'pattern: a b\npath: src\n-n: true'],
  ]);
  expect(given('Task', { subagent_type: 'tester', prompt: 'Run\nit' })).toEqual([
    ['text', 'subagent_type: tester\nprompt:\n  Run\n  it'],
  ]);
  const forged = { pattern: 'a', path: 'src\nglob: none', glob: '*.ts' };
  expect(given('Grep', forged)).toEqual([['text', 'pattern: a\npath:\n  src\n  glob: none\nglob: *.ts']]);
  const todos = [
    { content: 'Bake', status: 'completed', activeForm: 'Baking' },
    { content: 'Eat', status: 'pending', activeForm: 'Eating' },
  ];
  expect(given('TodoWrite', { todos })).toEqual([
    ['text', '[x] Bake (activeForm: Baking)\n[ ] Eat (activeForm: Eating)'],
  ]);
  const deep = [{ content: 'Bake', status: 'completed', why: ['a'] }];
  expect(given('TodoWrite', { todos: deep }).map(([language]) => language)).toEqual(['text', 'json']);
  for (const input of [{ pattern: '\u001b[31m' }, { pattern: 'a', paths: ['b'] }])
    expect(given('Grep', input).map(([language]) => language)).toEqual(['json']);
  expect(given('frobnicate', { level: 3 })).toEqual([['json', '{\n  "level": 3\n}']]);
});
