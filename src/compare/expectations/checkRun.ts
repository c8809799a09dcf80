import { RE2JS } from 're2js';
import { SchemaValidator } from '../../agents/loop/toolCalls/schemaValidator.js';
import { formatCost, isKnownCost, knownAmount } from '../../core/cost.js';
import { formatDuration } from '../../core/duration.js';
import { inLanguage, message, t } from '../../core/l10n.js';
import { dollars, formatMoney, MAX_MONEY } from '../../core/money.js';
import { MAX_TEXT_TEST_MS, endsWithin } from '../../node/patterns/timeGuard.js';
import { readDuration } from '../../query/language/amounts.js';
import { globTest, wildcardTest } from '../../query/language/globs.js';
import type { AgentNode, CheckedRun } from './checkedRun.js';
import type { AgentTree, Expect, HowMany } from './expectationWords.js';
import { readOrder } from './valueProblem.js';
import { judgeSequence, type Judged, type PatternTest } from './toolSequence.js';

/** One expectation, held against one run. */
export interface Finding extends Judged {
  /** Where it stands within `expect`. */
  readonly path: readonly (string | number)[];
}

const validator = new SchemaValidator();

/** Holds a run against what is expected, one finding for each expectation in the order in which they are written. */
export function checkRun(run: CheckedRun, expect: Expect): readonly Finding[] {
  return Object.entries<unknown>(expect).flatMap(([word, value]) => {
    const judge = JUDGES[word as keyof Expect] as (run: CheckedRun, value: unknown) => readonly Found[];
    try {
      return judge(run, value).map(({ at = [], ...judged }) => ({ path: [word, ...at], ...judged }));
    } catch (error) {
      if (!(error instanceof TooSlow)) throw error;
      return [{ path: [word], ...failed(error.message, '', '') }];
    }
  });
}

type Found = Judged & { readonly at?: readonly (string | number)[] };

const passed = (expected = '', actual = ''): Judged => ({ state: 'passed', sentence: '', expected, actual });

const failed = (sentence: string, expected: string, actual: string, position?: number): Judged => ({
  state: 'failed',
  sentence,
  expected,
  actual,
  ...(position !== undefined && { position }),
});

const vacuous = (sentence: string): Judged => ({ state: 'vacuous', sentence, expected: '', actual: '' });

const JUDGES: {
  readonly [Word in keyof Expect]-?: (run: CheckedRun, value: NonNullable<Expect[Word]>) => readonly Found[];
} = {
  toolSequence: ({ calls }, value) => {
    const isList = Array.isArray(value);
    const sequences = [value].flat();
    const matches = guardedPatterns();
    return sequences.map((each, at) => ({ ...judgeSequence(each, calls, matches), at: isList ? [at] : [] }));
  },

  allowedTools: (run, value) => [
    calledTools(
      run,
      value,
      (isNamed) => !isNamed,
      (tools) => t`The run calls tools that are not allowed: ${tools}.`,
    ),
  ],

  deniedTools: (run, value) => [
    calledTools(
      run,
      value,
      (isNamed) => isNamed,
      (tools) => t`The run calls tools that are denied: ${tools}.`,
    ),
  ],

  maxToolCalls: ({ totals, calls }, most) => [
    atMost(totals.toolCalls, most, t`calls of tools`, calls[most]?.position),
  ],

  maxTokens: ({ totals: { tokens } }, most) =>
    tokens.input + tokens.output === 0
      ? [failed(t`How many tokens the run took is not known.`, t`at most ${count(most)}`, t`unknown`)]
      : [atMost(tokens.input + tokens.output, most, t`tokens`)],

  maxCost: ({ totals: { cost } }, most) => {
    const nanos = dollars(most) ?? MAX_MONEY;
    const limit = formatMoney(nanos);
    const expected = t`at most ${limit}`;
    const told = formatCost(cost);
    if (knownAmount(cost) > nanos)
      return [failed(t`The run costs ${told}, more than ${limit}.`, expected, told)];
    if (cost.unknown > 0 || !isKnownCost(cost))
      return [
        failed(
          t`What the run costs is not known as a whole, so that it cannot be held to ${limit}.`,
          expected,
          told || t`unknown`,
        ),
      ];
    return [passed(expected, told)];
  },

  maxDuration: ({ totals: { durationMs } }, most) => {
    const limit = readDuration(most) ?? 0;
    const [expected, actual] = [t`at most ${formatDuration(limit)}`, formatDuration(durationMs)];
    if (durationMs === 0) return [failed(t`How long the run took is not known.`, expected, t`unknown`)];
    return durationMs > limit
      ? [failed(t`The run took ${actual}, longer than ${formatDuration(limit)}.`, expected, actual)]
      : [passed(expected, actual)];
  },

  maxErrors: ({ totals }, most) => [atMost(totals.errors, most, t`errors`)],

  maxDepth: ({ depth: { depth, position } }, most) => [
    depth > most
      ? failed(
          t`Agents ask agents ${depth} deep, more than ${most}.`,
          t`at most ${most}`,
          String(depth),
          position,
        )
      : passed(t`at most ${most}`, String(depth)),
  ],

  maxRepetitions: ({ repeated }, most) => {
    if (!repeated) return [vacuous(t`The run calls no tool, so that none is repeated.`)];
    const { tool, times, position } = repeated;
    return [
      times > most
        ? failed(
            t`${tool} is called ${times} times with the same arguments, more than ${most}.`,
            t`at most ${most}`,
            String(times),
            position,
          )
        : passed(t`at most ${most}`, String(times)),
    ];
  },

  agents: ({ agents }, tree) => {
    const [expected, actual] = [treeLines(nodesOf(tree), ''), treeLines(agents, '')].map((lines) =>
      lines.join('\n'),
    );
    return [
      expected === actual
        ? passed(expected, actual)
        : failed(t`Other agents work, or are asked by others, than expected.`, expected ?? '', actual ?? ''),
    ];
  },

  order: ({ began }, value) =>
    [value].flat().map((order, number) => ({
      ...judgeOrder(began, order),
      at: Array.isArray(value) ? [number] : [],
    })),

  approvals: (run, value) =>
    Object.entries(value).map(([word, wanted]) => ({
      ...APPROVALS[word as keyof typeof APPROVALS](run, wanted as never),
      at: [word],
    })),

  files: (run, value) =>
    Object.entries(value).map(([word, wanted]) => ({
      ...FILES[word as keyof typeof FILES](run, [wanted].flat()),
      at: [word],
    })),

  outcome: ({ end }, value) => {
    const wanted = [value].flat();
    const expected = wanted.join(t` or `);
    if (wanted.includes(end)) return [passed(expected, end)];
    return [
      failed(
        end === 'unknown'
          ? t`How the run ended is not recorded.`
          : t`The run ended as ${end}, not as ${expected}.`,
        expected,
        end,
      ),
    ];
  },

  answer: ({ answer }, value) =>
    Object.entries(value).map(([word, wanted]) => ({
      ...(answer
        ? ANSWERS[word as keyof typeof ANSWERS](answer.text, wanted as never, answer.position)
        : failed(
            t`The run gives no answer.`,
            typeof wanted === 'string' ? wanted : JSON.stringify(wanted),
            '',
          )),
      at: [word],
    })),
};

function calledTools(
  { calls }: CheckedRun,
  value: string | readonly string[],
  isWrong: (isNamed: boolean) => boolean,
  words: (tools: string) => string,
): Judged {
  const named = [value].flat();
  if (calls.length === 0) return vacuous(t`The run calls no tool, so that none is allowed or denied.`);
  const tests = named.map((each) => wildcardTest(each, false));
  const wrong = calls.filter(({ tool }) => isWrong(tests.some((test) => test(tool))));
  const [first] = wrong;
  if (!first) return passed();
  const tools = sortedNames(wrong.map(({ tool }) => tool));
  return failed(words(tools.join(', ')), named.join(', '), tools.join(', '), first.position);
}

function sortedNames(names: readonly string[]): readonly string[] {
  return [...new Set(names)].sort();
}

function atMost(value: number, most: number, what: string, position?: number): Judged {
  const [expected, actual] = [t`at most ${count(most)}`, count(value)];
  return value > most
    ? failed(t`${actual} ${what}, more than ${count(most)}.`, expected, actual, position)
    : passed(expected, actual);
}

function count(value: number): string {
  return value.toLocaleString('en');
}

/** A tree as it is written in a file. */
function nodesOf(tree: AgentTree): readonly AgentNode[] {
  const agents = new Map<string, AgentTree>();
  const add = (each: AgentTree): void => {
    if (typeof each === 'string') agents.set(each, null);
    else if (Array.isArray(each)) (each as readonly AgentTree[]).forEach(add);
    else for (const [agent, asks] of Object.entries(each ?? {})) agents.set(agent, asks);
  };
  add(tree);
  return [...agents]
    .map(([agent, asks]) => ({ agent, asks: nodesOf(asks) }))
    .sort((a, b) => (a.agent < b.agent ? -1 : 1));
}

/** A tree as lines, those below an agent indented. */
export function treeLines(nodes: readonly AgentNode[], indent: string): readonly string[] {
  return nodes.flatMap(({ agent, asks }) => [`${indent}${agent}`, ...treeLines(asks, `${indent}  `)]);
}

function judgeOrder(began: CheckedRun['began'], order: string): Judged {
  const [first = '', second = ''] = readOrder(order) ?? [];
  const [one, other] = [began.get(first), began.get(second)];
  if (!one && !other)
    return vacuous(t`Neither ${first} nor ${second} was at work, so that nothing has an order.`);
  const actual = [...began]
    .filter(([name]) => name === first || name === second)
    .sort(([, a], [, b]) => a.first - b.first)
    .map(([name]) => name)
    .join('\n');
  const expected = `${first}\n${second}`;
  if (!one) return failed(t`${first} was never at work.`, expected, actual, other?.first);
  if (!other) return failed(t`${second} was never at work.`, expected, actual, one.last);
  return one.first < other.last
    ? passed(expected, actual)
    : failed(t`${first} does not come before ${second}.`, expected, actual, one.first);
}

function isSoMany(many: HowMany, found: number): boolean {
  return many === 'none' ? found === 0 : many === 'some' ? found > 0 : found === many;
}

/** Whether so many were found as expected, and both in words. */
export function judgeHowMany(
  many: HowMany,
  found: number,
): { readonly holds: boolean; readonly expected: string; readonly actual: string } {
  return {
    holds: isSoMany(many, found),
    expected: inLanguageOr(many),
    actual: found === 0 ? t`none` : count(found),
  };
}

const MANY = { none: message`none`, some: message`some` };

function inLanguageOr(many: HowMany): string {
  return typeof many === 'number' ? count(many) : inLanguage(MANY[many]);
}

const APPROVALS = {
  approved: (run: CheckedRun, many: HowMany) => decided(run, true, many),
  denied: (run: CheckedRun, many: HowMany) => decided(run, false, many),
  by: ({ approvals }: CheckedRun, value: string | readonly string[]) => {
    const wanted = [value].flat();
    if (approvals.length === 0) return vacuous(t`No call was decided on, so that nobody decided.`);
    const actual = sortedNames(approvals.map(({ decidedBy }) => decidedBy || t`unknown`)).join('\n');
    const wrong = approvals.find(({ decidedBy }) => !wanted.includes(decidedBy));
    return wrong
      ? failed(
          t`${wrong.tool} was decided on by ${wrong.decidedBy || t`unknown`}.`,
          wanted.join('\n'),
          actual,
          wrong.position,
        )
      : passed(wanted.join('\n'), actual);
  },
  of: ({ approvals, calls }: CheckedRun, value: string | readonly string[]) => {
    const tests = [value].flat().map((each) => wildcardTest(each, false));
    const concerned = calls.filter(({ tool }) => tests.some((test) => test(tool)));
    if (concerned.length === 0)
      return vacuous(t`None of these tools is called, so that none had to be decided on.`);
    const known = new Set(approvals.map(({ askedAt, tool }) => `${askedAt ?? ''} ${tool}`));
    const wrong = concerned.find(({ made, tool }) => !known.has(`${made.askedAt} ${tool}`));
    return wrong
      ? failed(
          t`${wrong.tool} ran and nobody had decided on it.`,
          t`decided on`,
          t`not decided on`,
          wrong.position,
        )
      : passed();
  },
};

function decided({ approvals }: CheckedRun, isApproved: boolean, many: HowMany): Judged {
  const found = approvals.filter((each) => each.isApproved === isApproved);
  if (approvals.length === 0 && isSoMany(many, 0))
    return vacuous(t`No call was decided on, so that none was approved or denied.`);
  const { holds, expected, actual } = judgeHowMany(many, found.length);
  if (holds) return passed(expected, actual);
  const tools = sortedNames(found.map(({ tool }) => tool)).join(', ');
  return failed(
    isApproved
      ? t`${actual} of the run’s calls were approved, and expected is ${expected}: ${tools}`
      : t`${actual} of the run’s calls were denied, and expected is ${expected}: ${tools}`,
    expected,
    actual,
    found[0]?.position,
  );
}

const FILES = {
  written: (run: CheckedRun, wanted: readonly string[]) =>
    eachTouched(
      wanted,
      filesOf(run, ({ written }) => written),
      (missing) => t`No call writes ${missing}.`,
    ),
  read: (run: CheckedRun, wanted: readonly string[]) =>
    eachTouched(
      wanted,
      filesOf(run, ({ read }) => read),
      (missing) => t`No call reads ${missing}.`,
    ),
  writtenOnly: (run: CheckedRun, wanted: readonly string[]) => {
    const written = filesOf(run, (file) => file.written);
    if (written.length === 0) return vacuous(t`No call writes a file.`);
    const tests = wanted.map(globTest);
    const wrong = written.filter((path) => !tests.some((test) => test(path)));
    return wrong.length > 0
      ? failed(t`Other files are written: ${wrong.join(', ')}.`, wanted.join('\n'), written.join('\n'))
      : passed(wanted.join('\n'), written.join('\n'));
  },
  untouched: (run: CheckedRun, wanted: readonly string[]) => {
    const all = filesOf(run, () => true);
    if (all.length === 0) return vacuous(t`No call names a file.`);
    const tests = wanted.map(globTest);
    const wrong = all.filter((path) => tests.some((test) => test(path)));
    return wrong.length > 0
      ? failed(
          t`Files are touched that should not be: ${wrong.join(', ')}.`,
          t`(none of ${wanted.join(', ')})`,
          all.join('\n'),
        )
      : passed(wanted.join('\n'), all.join('\n'));
  },
};

type TouchedFile = CheckedRun['totals']['files'][number];

function filesOf({ totals }: CheckedRun, which: (file: TouchedFile) => boolean): readonly string[] {
  return totals.files.filter(which).map(({ path }) => path);
}

function eachTouched(
  wanted: readonly string[],
  found: readonly string[],
  words: (missing: string) => string,
): Judged {
  const missing = wanted.find((pattern) => !found.some(globTest(pattern)));
  const texts = [wanted.join('\n'), found.join('\n')] as const;
  return missing === undefined ? passed(...texts) : failed(words(missing), ...texts);
}

const ANSWERS = {
  contains: (text: string, value: string | readonly string[], position: number) => {
    const wanted = [value].flat();
    const missing = wanted.find((each) => !text.includes(each));
    return missing === undefined
      ? passed(wanted.join('\n'), text)
      : failed(t`The answer does not contain "${missing}".`, wanted.join('\n'), text, position);
  },
  matches: (text: string, pattern: string, position: number) =>
    guardedPatterns()(pattern, text)
      ? passed(pattern, text)
      : failed(t`The answer does not match the pattern.`, pattern, text, position),
  equals: (text: string, wanted: string, position: number) =>
    text.trim() === wanted.trim()
      ? passed(wanted, text)
      : failed(t`The answer is another one.`, wanted.trim(), text.trim(), position),
  schema: (text: string, schema: Readonly<Record<string, unknown>>, position: number) => {
    const expected = JSON.stringify(schema, undefined, 2);
    const value = jsonIn(text);
    if (!value) return failed(t`The answer is no JSON.`, expected, text, position);
    const problems = validator.check(schema, value.json);
    return problems.length === 0
      ? passed(expected, text)
      : failed(t`The answer does not fit the JSON Schema: ${problems.join('; ')}.`, expected, text, position);
  },
};

/** The JSON that a text is, alone or in one fence. */
function jsonIn(text: string): { readonly json: unknown } | undefined {
  const [, fenced] = /^[^]*?```(?:json)?\s*\n([^]*?)\n\s*```/.exec(text) ?? [];
  for (const each of [text, fenced]) {
    try {
      if (each !== undefined) return { json: JSON.parse(each) as unknown };
    } catch {
      // It is no JSON alone; it may be in a fence.
    }
  }
  return undefined;
}

/** A pattern took too long on a text. */
class TooSlow extends Error {}

/** Finds patterns of RE2, each compiled once and given so long in all. */
function guardedPatterns(): PatternTest {
  const compiled = new Map<string, RE2JS>();
  let left = MAX_TEXT_TEST_MS * 10;
  return (pattern, text) => {
    const known = compiled.get(pattern) ?? RE2JS.compile(pattern);
    compiled.set(pattern, known);
    let found = false;
    const began = performance.now();
    const hasEnded = endsWithin(Math.max(3, Math.min(left, MAX_TEXT_TEST_MS)), () => {
      found = known.matcher(text).find();
    });
    left -= performance.now() - began;
    if (!hasEnded || left < 0) throw new TooSlow(t`The pattern ${pattern} takes too long.`);
    return found;
  };
}
