import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkRun, type Finding } from '../../../../src/compare/expectations/checkRun.js';
import { readCheckedRun, type CheckedCall } from '../../../../src/compare/expectations/checkedRun.js';
import { contextAt } from '../../../../src/compare/expectations/contextAt.js';
import {
  alternatives,
  jsonSchema,
  shapeAt,
  wordAt,
} from '../../../../src/compare/expectations/expectationWords.js';
import { readExpectations } from '../../../../src/compare/expectations/expectationFile.js';
import { judgeSequence } from '../../../../src/compare/expectations/toolSequence.js';
import { makeExpectations } from '../../../../src/compare/expectations/makeExpectations.js';
import { NO_PRICES } from '../../../../src/core/ports/prices.js';
import type { ReadRecord } from '../../../../src/core/ports/transcript.js';
import { decidedStory } from '../../../support/decidedStory.js';
import { runs, seed } from '../../../support/fixedInputs.js';
import { StoryTeller } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';

const signal = new AbortController().signal;

async function runOf(records: readonly ReadRecord[]) {
  const read = (start: number, end: number) => Promise.resolve(records.slice(start, end));
  return await readCheckedRun({ length: records.length, read }, { prices: NO_PRICES, signal });
}

/** What comes of one expectation, written as in a file. */
async function found(records: readonly ReadRecord[], yaml: string): Promise<Finding> {
  const file = readExpectations(
    `tests:\n  - name: T\n    session: s.jsonl\n    expect:\n      ${yaml.replaceAll('\n', '\n      ')}`,
  );
  expect(file.problems).toEqual([]);
  const [placed] = file.tests;
  const [finding, ...more] = checkRun(await runOf(records), placed?.test.expect ?? {});
  expect(more).toEqual([]);
  if (!finding) throw new Error('There is no finding.');
  return finding;
}

const decided = decidedStory().records;
const team = teamStory().records;
const silent = new StoryTeller();
silent.run('mute', 'Say something.');

describe('of each word', () => {
  test.each([
    ['toolSequence: { superset: [write_file, run_command, run_command] }', ''],
    [
      'toolSequence: { superset: [write_file, write_file] }',
      'The run does not make all of these calls: write_file missing',
    ],
    ['toolSequence: { inOrder: [run_command, write_file, edit_file] }', ''],
    [
      'toolSequence: { inOrder: [edit_file, write_file] }',
      'After 1 of these 2 calls, write_file does not come as expected.',
    ],
    ['toolSequence: { subset: [run_command] }', 'The run makes calls beyond these: '],
    [
      'toolSequence: { exact: [subagent_dispatch] }',
      'The run makes more calls than the 1 expected: call 2 is run_command.',
    ],
    [
      'toolSequence: { exact: [read_file] }',
      'Call 1 of the run is subagent_dispatch where read_file was expected.',
    ],
    ['toolSequence: { superset: [{ tool: run_command, args: { command: git log --oneline -5 } }] }', ''],
    ['toolSequence: { superset: [{ tool: run_command, args: { command: git } }] }', 'run_command missing'],
    ["toolSequence: { args: pattern, superset: [{ tool: run_command, args: { command: '^git ' } }] }", ''],
    ['toolSequence: { args: exact, superset: [{ tool: write_file, args: {} }] }', 'write_file missing'],
    ['toolSequence: { args: schema, superset: [{ tool: write_file, args: { required: [path] } }] }', ''],
    [
      'toolSequence: { args: schema, superset: [{ tool: write_file, args: { required: [x] } }] }',
      'write_file missing',
    ],
    [
      'toolSequence: { superset: [{ tool: run_command, end: denied }, { tool: run_command, end: failed }] }',
      '',
    ],
    ['toolSequence: { superset: [{ tool: write_file, end: failed }] }', 'write_file missing'],
    ['toolSequence: { agent: planner, exact: [subagent_dispatch] }', ''],
    ["allowedTools: ['*_file', run_command, subagent_dispatch]", ''],
    ["allowedTools: ['*_file']", 'The run calls tools that are not allowed: run_command, subagent_dispatch.'],
    ['deniedTools: fetch', ''],
    ["deniedTools: ['run_*']", 'The run calls tools that are denied: run_command.'],
    ['maxToolCalls: 3', ' calls of tools, more than 3.'],
    ['maxToolCalls: 50', ''],
    ['maxErrors: 0', ' errors, more than 0.'],
    ['maxDepth: 1', ''],
    ['maxDepth: 0', 'Agents ask agents 1 deep, more than 0.'],
    ['maxRepetitions: 3', ''],
    ['maxRepetitions: 2', 'read_file is called 3 times with the same arguments, more than 2.'],
    ['maxDuration: 1s', 'The run took '],
    ['maxDuration: 2h', ''],
    ['maxCost: 1', 'What the run costs is not known as a whole, so that it cannot be held to $1'],
    ['agents: { planner: [coder] }', ''],
    ['agents: [planner, coder]', 'Other agents work, or are asked by others, than expected.'],
    ['order: coder after planner', ''],
    ['order: coder before planner', 'coder does not come before planner.'],
    ['order: [write_file before edit_file]', ''],
    ['order: reviewer after coder', 'reviewer was never at work.'],
    ['approvals: { denied: some }', ''],
    ['approvals: { denied: none }', ' of the run’s calls were denied, and expected is none: '],
    ['approvals: { by: user }', 'run_command was decided on by policy.'],
    ['approvals: { of: [run_command, write_file] }', ''],
    ['approvals: { of: subagent_dispatch }', 'subagent_dispatch ran and nobody had decided on it.'],
    ['files: { written: [reader.ts] }', ''],
    ['files: { writtenOnly: ["src/**"] }', ''],
    ['files: { writtenOnly: ["test/**"] }', 'Other files are written: src/timetable/reader.ts'],
    ['files: { written: ["other.ts"] }', 'No call writes other.ts.'],
    ['files: { untouched: ["src/**"] }', 'Files are touched that should not be: src/timetable/reader.ts'],
    ['outcome: [failed, done]', ''],
    ['outcome: limited', 'The run ended as '],
  ])('%s', async (yaml, sentence) => {
    const finding = await found(decided, yaml);
    expect([finding.state, finding.sentence]).toEqual(
      sentence === '' ? ['passed', ''] : ['failed', expect.stringContaining(sentence)],
    );
  });

  test.each([
    'toolSequence: { subset: [read_file] }',
    'allowedTools: read_file',
    'deniedTools: read_file',
    'maxRepetitions: 3',
    'order: a before b',
    'approvals: { by: user }',
    'approvals: { denied: none }',
    'approvals: { of: run_command }',
    'files: { writtenOnly: x }',
    'files: { untouched: x }',
  ])('%s is vacuous of a run in which nothing of the kind happened', async (yaml) => {
    expect(await found(silent.records, yaml)).toMatchObject({ state: 'vacuous' });
  });

  test('an answer that is not there fails, whatever is expected of it', async () => {
    expect(await found(silent.records, 'answer: { contains: Tuesday }')).toMatchObject({
      state: 'failed',
      sentence: 'The run gives no answer.',
    });
  });

  const answering = (text: string) => {
    const story = new StoryTeller();
    story.run('clerk', 'Judge.').say(text, 10);
    return story.records;
  };

  test.each([
    ['Two of 3.', 'answer: { contains: [Two, "3"] }', 'passed'],
    ['Two of 3.', 'answer: { contains: [two] }', 'failed'],
    ['Two of 3.', "answer: { matches: '\\d\\.$' }", 'passed'],
    [' Two of 3.\n', 'answer: { equals: Two of 3. }', 'passed'],
    ['Two of 4.', 'answer: { equals: Two of 3. }', 'failed'],
    ['Here:\n```json\n{"ok":true}\n```', 'answer: { schema: { required: [ok] } }', 'passed'],
    ['{"ok":1}', 'answer: { schema: { properties: { ok: { type: boolean } } } }', 'failed'],
    ['It is ok.', 'answer: { schema: { required: [ok] } }', 'failed'],
  ])('%s: %s is %s', async (text, yaml, state) => {
    expect(await found(answering(text), yaml)).toMatchObject({ state });
  });

  test('a failure leads to the record that shows it', async () => {
    const { position = -1 } = await found(decided, 'deniedTools: write_file');
    expect(JSON.stringify(decided[position])).toContain('write_file');
  });
});

describe('a file', () => {
  const problems = (yaml: string) =>
    readExpectations(yaml).problems.map(({ line, column, message }) => `${line}:${column} ${message}`);
  const inTest = (line: string) => problems(`tests:\n  - name: T\n    session: s\n    ${line}\n`);

  test.each([
    ['expect: { maxErors: 0 }', '4:15 maxErors is not known here. Did you mean maxErrors?'],
    ['expect: { maxErrors: -1 }', '4:26 This must be a whole number, at least 0, not -1.'],
    ['expect: { maxErrors: "0" }', '4:26 This must be a whole number, at least 0, not "0".'],
    [
      'expect: { outcome: doen }',
      '4:24 This must be one of done, failed, cancelled, limited, open, unknown, not "doen". Did you mean done?',
    ],
    ['expect: { maxDuration: 90 }', '4:28 This must be a text, not 90.'],
    ['expect: { maxDuration: long }', '4:28 This must be a duration as 90s, 5m or 1h30m, not "long".'],
    ["expect: { answer: { matches: '(' } }", '4:34 This is no pattern of RE2: '],
    ['expect: { order: reviewer later }', '4:22 This must be an order as Reviewer after Writer'],
    ['expect: { toolSequence: { args: exact } }', '4:15 A toolSequence says one of exact, inOrder'],
    ['expect: { toolSequence: { exact: [] } }', '4:31 This list is empty, and so expects nothing.'],
    [
      'expect: { answer: { schema: { format: email } } }',
      '4:33 This is no JSON Schema that can be used: format is not looked at.',
    ],
    ['expect: {}', '4:5 Nothing stands here; known are toolSequence'],
    ['finds: none', '2:5 expect is missing here.'],
    ['agent: A', '4:5 A test looks at one of session, agent or question; this one names 2.'],
    ['expect: { allowedTools: [&a x, *a] }', '4:36 A reference to another place is not read here'],
  ])('%s', (line, message) => {
    expect(inTest(line).join('\n')).toContain(message);
  });

  test.each([
    ['', 'This must be a map of words to values, and nothing stands here.'],
    ['tests: [', 'YAML: '],
    ['['.repeat(200_000), 'The file opens more than 1000 brackets'],
    ['- '.repeat(100_000), ''],
    ['a: &a [x]\ntests: [*a]', 'A reference to another place'],
    ['tests:\n  - name: T\n    name: U\n', 'YAML: Map keys must be unique'],
  ])('that is none is told, not thrown: %.20s', (yaml, message) => {
    const told = problems(yaml);
    expect(told.length).toBeGreaterThan(0);
    expect(told[0]).toContain(message);
    expect(readExpectations(yaml).tests).toEqual([]);
  });

  test.each([
    [
      'mutations:\n  - { name: A, call: read_file }',
      '2:7 A mutation does one of result, fail, inject, delay, cut; this one names 0.',
    ],
    [
      'mutations:\n  - { name: A, fail: x }',
      '2:7 A mutation is about one of call, answer, message; this one names 0.',
    ],
    ['mutations:\n  - name: A\n    call: a\n    message: 3\n    fail: x', '4:5 A mutation is about one of'],
    ['mutations:\n  - { name: A, answer: B, delay: 3s }', '2:27 delay is for a call'],
    ['mutations:\n  - { name: A, call: B, cut: 3 }', '2:25 cut is for an answer'],
    ['mutations:\n  - { name: A, call: B, delay: soon }', 'This must be a duration'],
    ['mutations:\n  - { name: A, call: B, brake: 3 }', '2:25 brake is not known here'],
    ['mutations:\n  - { name: A, call: { tool: B, nr: 3 }, fail: x }', 'nr is not known here'],
    [
      'mutations:\n  - { name: A, call: B, fail: x }\n  - { name: A, call: B, fail: y }',
      'Another mutation of this file is called A.',
    ],
  ])('with mutations that are none says so by the line: %s', (yaml, message) => {
    const [first] = problems(yaml);
    expect(first).toContain(message);
    expect(readExpectations(yaml).mutations).toEqual([]);
  });

  test('that is made of a run passes over this run', async () => {
    for (const records of [decided, team]) {
      const run = await runOf(records);
      const file = readExpectations(makeExpectations(run, { session: 's' }, 'Made.'));
      expect(file.problems).toEqual([]);
      const [made] = file.tests;
      const findings = checkRun(run, made?.test.expect ?? {});
      expect(findings.length).toBeGreaterThan(3);
      expect(findings.filter(({ state }) => state !== 'passed')).toEqual([]);
    }
  });
});

describe('an editor', () => {
  test('has the schema that the words give', async () => {
    const file = join(import.meta.dirname, '../../../../media/expectations.schema.json');
    const schema = jsonSchema();
    // SCHEMA=write writes it anew.
    if (process.env.SCHEMA === 'write') await writeFile(file, JSON.stringify(schema, undefined, 2));
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(schema);
  });

  test('has no word that no page tells of', async () => {
    const docs = join(import.meta.dirname, '../../../../docs');
    const [tests, mutations] = await Promise.all(
      ['expectations.md', 'replay.md'].map((page) => readFile(join(docs, page), 'utf8')),
    );
    const wordsAt = (path: readonly (string | number)[]): readonly string[] =>
      alternatives(shapeAt(path) ?? { kind: 'any' }).flatMap((shape) =>
        shape.kind === 'map' ? Object.keys(shape.words) : [],
      );
    const expected = ['tests', 0, 'expect'] as const;
    const words = ['toolSequence', 'approvals', 'files', 'answer'].flatMap((word) =>
      wordsAt([...expected, word]),
    );
    for (const word of [...wordsAt(['tests', 0]), ...wordsAt(expected), ...words])
      expect(tests).toMatch(new RegExp(`\\b${word}\\b`));
    for (const word of wordsAt(['mutations', 0])) expect(mutations).toMatch(new RegExp(`\\b${word}\\b`));
  });

  test('knows the words of mutations as those of tests', () => {
    expect(wordAt(['mutations', 0, 'call', 'args'])?.means.english).toContain('arguments');
    expect(wordAt(['mutations', 0, 'delay'])?.example).toBe('20m');
    expect(wordAt(['mutations', 0, 'expect'])).toBeUndefined();
    const { path } = contextAt(['mutations:', '  - name: x', '    answer: { agent: Cook, n'], 27);
    expect(path).toEqual(['mutations', 0, 'answer']);
  });

  test('is told what stands above a place, whether or not it is finished', () => {
    const at = (text: string) => {
      const lines = text.split('\n');
      const { path, isValue } = contextAt(lines, lines.at(-1)?.length ?? 0);
      return `${path.join('.')}${isValue ? ' =' : ''}`;
    };
    const expecting = (text: string) => at(`tests:\n  - name: x\n    expect:\n      ${text}`);
    expect(at('')).toBe('');
    expect(at('tests:\n  - ')).toBe('tests.0');
    expect(at('tests:\n- name: x\n  se')).toBe('tests.0');
    expect(expecting('out')).toBe('tests.0.expect');
    expect(expecting('outcome: ')).toBe('tests.0.expect.outcome =');
    expect(expecting('maxErrors: 0\n\n      # so\n      an')).toBe('tests.0.expect');
    expect(expecting('approvals: { denied: none, b')).toBe('tests.0.expect.approvals');
    expect(expecting('approvals: { denied: ')).toBe('tests.0.expect.approvals.denied =');
    expect(expecting('toolSequence:\n        exact: [a, { tool: b, end: ')).toBe(
      'tests.0.expect.toolSequence.exact.0.end =',
    );
    expect(expecting('toolSequence:\n        exact:\n          - tool: a\n            en')).toBe(
      'tests.0.expect.toolSequence.exact.0',
    );
  });

  test('finds the word that stands at an offset, and nothing where there is none', () => {
    const text = 'tests:\n  - name: T\n    session: s\n    expect:\n      toolSequence: { exact: [a] }\n';
    const { pathAt } = readExpectations(text);
    const wordIn = (part: string) => wordAt(pathAt(text.indexOf(part) + 1)?.path ?? [])?.means.english;
    expect(wordIn('exact')).toContain('in this order, and no other');
    expect(wordIn('session')).toContain('recorded run');
    expect(pathAt(text.length + 5)).toBeUndefined();
  });
});

describe('sequences', () => {
  const tools = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 6 });
  const calls = (names: readonly string[]): CheckedCall[] =>
    names.map((tool, position) => ({ tool, position, agent: '', args: {}, end: 'done', made: {} as never }));
  const holds = (mode: string, list: readonly string[], names: readonly string[]) =>
    judgeSequence({ [mode]: list }, calls(names), () => false).state !== 'failed';
  const countsOf = (names: readonly string[]) => (tool: string) =>
    names.filter((each) => each === tool).length;

  test('are multisets, seen from the run', () => {
    fc.assert(
      fc.property(tools, tools, (list, names) => {
        const [wanted, had] = [countsOf(list), countsOf(names)];
        const all = ['a', 'b', 'c'];
        expect(holds('subset', list, names)).toBe(all.every((tool) => had(tool) <= wanted(tool)));
        expect(holds('superset', list, names)).toBe(all.every((tool) => had(tool) >= wanted(tool)));
        expect(holds('anyOrder', list, names)).toBe(all.every((tool) => had(tool) === wanted(tool)));
        expect(holds('exact', list, names)).toBe(list.join() === names.join());
        let at = 0;
        for (const name of names) if (name === list[at]) at++;
        expect(holds('inOrder', list, names)).toBe(at === list.length);
      }),
      { seed, numRuns: runs(3_000) },
    );
  });

  test('pair as many as can be paired, whichever comes first', () => {
    // Patterns of tools overlap: what takes the first fit leaves others without one.
    const patterns = fc.array(fc.constantFrom('a*', '*b', 'ab', '*', 'ac', 'bb'), { maxLength: 5 });
    const names = fc.array(fc.constantFrom('ab', 'ac', 'bb', 'aa'), { maxLength: 5 });
    const fits = (pattern: string, name: string) => new RegExp(`^${pattern.replace('*', '.*')}$`).test(name);
    const most = (list: readonly string[], left: readonly string[]): number => {
      const [first, ...rest] = list;
      if (first === undefined) return 0;
      return left.reduce(
        (best, name, at) =>
          fits(first, name)
            ? Math.max(
                best,
                1 +
                  most(
                    rest,
                    left.filter((_, other) => other !== at),
                  ),
              )
            : best,
        most(rest, left),
      );
    };
    fc.assert(
      fc.property(patterns, names, (list, had) => {
        const best = most(list, had);
        expect(holds('superset', list, had)).toBe(best === list.length);
        expect(holds('subset', list, had)).toBe(best === had.length);
      }),
      { seed, numRuns: runs(3_000) },
    );
  });

  test('calls of one message have no order', () => {
    const together = calls(['a', 'b', 'c']).map((call) => ({ ...call, position: 0 }));
    const state = (mode: string, list: readonly string[]) =>
      judgeSequence({ [mode]: list }, together, () => false).state;
    expect(state('exact', ['c', 'a', 'b'])).toBe('passed');
    expect(state('inOrder', ['c', 'a'])).toBe('passed');
    expect(state('exact', ['c', 'a'])).toBe('failed');
  });
});
