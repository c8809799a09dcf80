import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allowedByRules, readAllowRules } from '../../../../src/agents/tools/rules/allowRules.js';
import { suggestRules, type PastCall } from '../../../../src/agents/tools/rules/suggestRules.js';

const ran = (line: string, how: PastCall['how'] = 'asked'): PastCall => ({
  tool: 'run_command',
  action: { kind: 'command', line },
  how,
});
const wrote = (path: string, how: PastCall['how'] = 'asked'): PastCall => ({
  tool: 'write_file',
  action: { kind: 'write', path },
  how,
});
const texts = (calls: readonly PastCall[], goal?: number) =>
  suggestRules(calls, goal === undefined ? {} : { goal }).rules.map(({ text }) => text);

describe('the smallest set of rules', () => {
  test('answers all that rules can, with as few as there are', () => {
    const calls = ['npm test', 'npm test -- --watch=false', 'npm run lint', 'npm test | tail -5'].map(
      (line) => ran(line),
    );
    expect(
      suggestRules([...calls, ran('npm run build'), ran('npm install x'), ran('npm test > out.txt')]),
    ).toMatchObject({
      questions: 7,
      unanswerable: 2,
      answered: 5,
      isSmallest: true,
      rules: [
        { text: 'run_command: npm test', answers: 3, others: 0 },
        { text: 'run_command: npm run', answers: 2, others: 0 },
      ],
    });
  });

  test('of one size, is the one that lets through least else, and says what that is', () => {
    const calls = [wrote('src/a/one.ts'), wrote('src/a/two.ts'), wrote('src/b/secret.ts', 'other')];
    expect(suggestRules(calls).rules).toMatchObject([
      { rule: { tool: 'write_file', path: 'src/a/' }, others: 0 },
    ]);
    const [wide] = suggestRules([...calls, wrote('src/c/three.ts')], { goal: 3 }).rules;
    expect(wide).toMatchObject({ rule: { path: 'src/' }, others: 1, examples: ['src/b/secret.ts'] });
  });

  test('never holds a rule that names what a person denied, alone or with another', () => {
    expect(texts([ran('npm run lint'), ran('npm run build'), ran('npm run deploy-all', 'denied')])).toEqual([
      'run_command: npm run lint',
      'run_command: npm run build',
    ]);
    const joint = [ran('npm test'), ran('npm run lint'), ran('npm test && npm run lint', 'denied')];
    expect(suggestRules(joint)).toMatchObject({ answered: 1 });
  });

  test('asks nothing that the rules there are allow already', () => {
    const { rules } = readAllowRules([{ tool: 'run_command', command: 'npm test' }]);
    const calls = [ran('npm test'), ran('npm test && npm run lint')];
    expect(suggestRules(calls, { rules })).toMatchObject({
      questions: 1,
      rules: [{ text: 'run_command: npm run lint' }],
    });
  });

  test('is as small as a goal allows, and empty where nothing was asked', () => {
    const calls = [ran('npm test'), ran('npm test'), wrote('a.md')];
    expect(texts(calls, 2)).toEqual(['run_command: npm test']);
    expect(suggestRules([ran('npm test', 'other')])).toMatchObject({
      rules: [],
      questions: 0,
      isSmallest: true,
    });
  });

  test('says where it is not known to be the smallest, and its work stays bounded', () => {
    const calls = Array.from({ length: 300 }, (_, at) => wrote(`f${at}.md`));
    expect(suggestRules(calls)).toMatchObject({ answered: 300, isSmallest: false });
  });

  const anyCall = fc.tuple(
    fc.constantFrom(
      'npm test',
      'npm run lint',
      'npm run build',
      'git add a',
      'git commit -m x',
      'npm test && git add a',
      'rm -r a',
      'npm test $(ls)',
      'tsc -p .',
      'tsc -p . | head -3',
      'curl x',
      'ls',
    ),
    fc.constantFrom<PastCall['how']>('asked', 'asked', 'denied', 'other'),
  );

  test('lets nothing denied through, and answers what it says', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 14 }), (lines) => {
        const calls = lines.map(([line, how]) => ran(line, how));
        const { rules, answered, others } = suggestRules(calls);
        const { rules: known, problems } = readAllowRules(rules.map(({ rule }) => rule));
        const count = (how: PastCall['how']) =>
          calls.filter(
            (call) => call.how === how && allowedByRules(known, call.tool, call.action) !== undefined,
          ).length;
        expect(problems).toEqual([]);
        expect([count('denied'), count('asked'), count('other')]).toEqual([0, answered, others]);
      }),
    );
  });

  test('no smaller set of its own kind answers as many', () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 8 }), (lines) => {
        const calls = lines.map(([line]) => ran(line));
        const { rules, answered } = suggestRules(calls);
        for (const left of rules) {
          const { rules: fewer } = readAllowRules(
            rules.flatMap(({ rule }) => (rule === left.rule ? [] : [rule])),
          );
          const still = calls.filter(({ tool, action }) => allowedByRules(fewer, tool, action) !== undefined);
          expect(still.length).toBeLessThan(answered);
        }
      }),
    );
  });
});
