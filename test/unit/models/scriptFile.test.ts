import { expect, test } from 'vitest';
import { readScriptFile } from '../../../src/models/scriptFile.js';

/** What is wrong with a file, as `line: message`. */
function problems(...lines: string[]): string[] {
  const read = readScriptFile(lines.join('\n'));
  return read.ok ? [] : read.problems.map(({ line = 0, message }) => `${line}: ${message}`);
}

test('a script has steps for each agent, and each knows its line', () => {
  const read = readScriptFile(
    [
      'name: Tour',
      'agents:',
      '  Pickle:',
      '    - text: hello',
      '    - toolCalls: [{ name: ls, arguments: { a: 1 } }]',
    ].join('\n'),
  );
  expect(read.ok && read.script.name).toBe('Tour');
  expect(read.ok && read.script.agents.get('Pickle')).toEqual([
    { text: 'hello', at: 'line 4' },
    { toolCalls: [{ name: 'ls', arguments: { a: 1 } }], at: 'line 5' },
  ]);
});

test('JSON is read too', () => {
  expect(problems('{ "name": "Tour", "agents": { "Pickle": [{ "text": "hi" }] } }')).toEqual([]);
});

test('what is wrong is said with its line and field', () => {
  expect(problems('name: Tour', 'agents:', '  Pickle:', '    - text: 42')).toEqual([
    expect.stringMatching(/^4: agents\.Pickle\.0\.text: /),
  ]);
  expect(problems('name: Tour', 'agents:', '  Pickle:', '    - says: hi')).toEqual([
    expect.stringMatching(/^4: agents\.Pickle\.0\.says: /),
  ]);
  expect(problems('name: Tour', 'agents: [')).toEqual([expect.stringMatching(/^2: /)]);
  expect(problems('')).toHaveLength(1);
});

test('a script that unfolds itself without end is refused', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [from = '', to = ''] of [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
    ['d', 'e'],
    ['e', 'f'],
    ['f', 'g'],
  ]) {
    bomb.push(`${to}: &${to} [${Array(9).fill(`*${from}`).join(', ')}]`);
  }
  expect(problems(...bomb)).not.toEqual([]);
});
