import { expect, test } from 'vitest';
import type { ScriptStep } from '../../../../src/agents/models/script.js';
import type { Limits } from '../../../../src/agents/loop/limits/limits.js';
import { anAgent, ask, aTeam, aTool, linesOf, use } from '../../../support/scriptedTeam.js';

const time = aTool('time', () => 'noon');
const many = (count: number, step: (index: number) => ScriptStep) =>
  Array.from({ length: count }, (_, index) => step(index));

test.each<[string, string, string, Partial<Limits>, ScriptStep[]]>([
  ['steps', 'steps', 'Cookie asked its model 3 times', { steps: 3 }, many(9, (n) => use('time', { n }))],
  ['repetition', 'repetition', 'in a row', { repetitions: 2 }, many(9, () => use('time'))],
  ['a cycle', 'repetition', 'The same 2', { repetitions: 2 }, many(20, (n) => use('time', { n: n % 2 }))],
  ['fan-out', 'fanOut', 'Cookie has dispatched 2', { fanOut: 2 }, many(3, (n) => ask('Sesame', `${n}`))],
])(
  'a limit of the run that an agent deep below reaches ends the run: %s',
  async (...[, code, words, limits, steps]) => {
    const script = {
      Pickle: [ask('Baker', 'x'), { text: 'never' }],
      Baker: [ask('Cookie', 'y'), { text: 'never' }],
      Cookie: steps,
      Sesame: many(3, () => ({ text: 'ok' })),
    };
    const agents = ['Pickle', 'Baker', 'Cookie', 'Sesame'];
    const team = aTeam(agents, { limits, script, tools: [time] });
    expect(await team.session.run('go')).toMatchObject({ outcome: 'limited', error: { code } });
    expect(team.model.requests.filter(({ agent }) => agent === 'Pickle')).toHaveLength(1);
    const told = team.session.get().at(-1);
    expect(told).toMatchObject({ role: 'tool' });
    expect(told?.content).toContain(words);
    const ends = linesOf(team.records).filter((line) => line.includes('callEnd limited'));
    expect(ends.map((line) => line.split(' ', 2).join(' '))).toEqual(['2 Cookie', '1 Baker', '0 Pickle']);
    const failures = team.frontend.lines.filter((line) => line.startsWith('failure'));
    expect(failures).toHaveLength(1);
  },
);

test.each([
  ['the max-turns of its file', { maxTurns: 2 }, 'time', 'Cookie was ended'],
  ['calls that cannot be run', {}, 'nope', 'None of the tool calls'],
])('an agent that is ended by %s ends alone, and is an error for its caller', async (...row) => {
  const [, own, tool, contains] = row;
  const script = {
    Pickle: [ask('Cookie', 'x'), { expect: { role: 'tool' as const, contains }, text: 'Then not.' }],
    Cookie: many(9, (n) => use(tool, { n })),
  };
  const team = aTeam(['Pickle', anAgent('Cookie', own)], { script, tools: [time] });
  expect(await team.session.run('go')).toMatchObject({ outcome: 'done', text: 'Then not.' });
});
