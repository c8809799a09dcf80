import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { namesAskedFor, partsInBrackets, partsOf, withValues } from '../../../../src/query/language/edit.js';
import { evaluateItems } from '../../../../src/query/language/evaluate.js';
import { planQuery } from '../../../../src/query/language/plan.js';
import {
  isRefinedBy,
  loosened,
  toggleRefinement,
  withinTime,
  type Refinement,
} from '../../../../src/query/language/refine.js';
import { sessionFacts } from '../../../../src/query/language/sessionFactsBuilder.js';
import { ROW_KINDS, type RowKind } from '../../../../src/query/language/syntax.js';
import { inRuns, runs } from '../../../support/fixedInputs.js';
import { STORY_START } from '../../../support/storyTeller.js';
import { teamStory } from '../../../support/teamStory.js';
import { anyQuestion } from './questionArbitrary.js';
import { right } from './syntax.js';
import { vocabularyOf } from './vocabularyOf.js';

const agent = (name: string) => ({ refine: `agent:${name}`, with: 'joins' }) as const;
const day = (since: string, before: string) =>
  ({ refine: `since:${since} before:${before}`, with: 'replaces' }) as const;

test('a refinement is added to a question, and taken out again', () => {
  const refined = toggleRefinement('is:error rm', agent('Cookie'));
  expect(refined).toBe('is:error rm agent:Cookie');
  expect(isRefinedBy(refined ?? '', agent('Cookie'))).toBe(true);
  expect(toggleRefinement(refined ?? '', agent('Cookie'))).toBe('is:error rm');
});

test('a question without parts is refined, and left without parts again', () => {
  expect(toggleRefinement('', agent('Cookie'))).toBe('agent:Cookie');
  expect(toggleRefinement('agent:Cookie', agent('Cookie'))).toBe('');
});

test('of two values of one field, either will do, and each goes on its own', () => {
  const both = toggleRefinement('agent:Cookie', agent('Pickle')) ?? '';
  expect(both).toBe('agent:(Cookie OR Pickle)');
  expect(isRefinedBy(both, agent('Cookie')) && isRefinedBy(both, agent('Pickle'))).toBe(true);
  expect(toggleRefinement(both, agent('Cookie'))).toBe('agent:Pickle');
});

test('a value does not join what a person wrote that is no list of names: it narrows it', () => {
  expect(toggleRefinement('agent:Coo*', agent('Cookie'))).toBe('agent:Coo* agent:Cookie');
  expect(isRefinedBy('agent:Coo*', agent('Cookie'))).toBe(false);
});

test('what a negation or a bracket holds is no refinement', () => {
  expect(isRefinedBy('-agent:Cookie', agent('Cookie'))).toBe(false);
  expect(toggleRefinement('(agent:Cookie OR is:error)', agent('Cookie'))).toBe(
    '(agent:Cookie OR is:error) agent:Cookie',
  );
});

test('a day takes the place of another, and of any other time', () => {
  const first = toggleRefinement('rm since:7d', day('2026-11-01', '2026-11-02')) ?? '';
  expect(first).toBe('rm since:2026-11-01 before:2026-11-02');
  const second = toggleRefinement(first, day('2026-11-02', '2026-11-03')) ?? '';
  expect(second).toBe('rm since:2026-11-02 before:2026-11-03');
  expect(isRefinedBy(second, day('2026-11-01', '2026-11-02'))).toBe(false);
  expect(toggleRefinement(second, day('2026-11-02', '2026-11-03'))).toBe('rm');
});

test('a question that is limited to a time in which it is already stays as it is', () => {
  expect(withinTime('rm', { since: '2026-11-01', before: '2026-11-03' }, 'messages')).toBe(
    'rm since:2026-11-01 before:2026-11-03',
  );
  expect(
    withinTime(
      'rm since:2026-11-01 before:2026-11-03',
      { since: '2026-11-01', before: '2026-11-03' },
      'messages',
    ),
  ).toBe('rm since:2026-11-01 before:2026-11-03');
});

test.each([
  ['rm since:2026-11 before:2026-12', 'messages', 'rm since:2026-11-05 before:2026-11-06'],
  ['since:2026-11-05T09:30 before:2026-11-09 rm', 'messages', 'since:2026-11-05T09:30 rm before:2026-11-06'],
  ['since:2026-11-05 rm', 'messages', 'since:2026-11-05 rm before:2026-11-06'],
  ['rm since:7d', 'messages', 'rm since:7d since:2026-11-05 before:2026-11-06'],
  [
    'rm since:(2026-11-01 OR 2026-11-02)',
    'toolCalls',
    'rm since:(2026-11-01 OR 2026-11-02) since:2026-11-05 before:2026-11-06',
  ],
  ['rm since:2026-11', 'runs', 'rm since:2026-11 began.since:2026-11-05 began.before:2026-11-06'],
  ['rm began.since:2026-11-01', 'sessions', 'rm began.since:2026-11-05 began.before:2026-11-06'],
  ['tool:a after tool:b', 'sessions', '(tool:a after tool:b) began.since:2026-11-05 began.before:2026-11-06'],
  ['tool:a after tool:b', 'toolCalls', 'tool:a since:2026-11-05 before:2026-11-06 after tool:b'],
] as const)('%s of %s is limited to a day of what was found', (text, rows, expected) => {
  expect(withinTime(text, { since: '2026-11-05', before: '2026-11-06' }, rows)).toBe(expected);
});

test('an order is refined in what it finds', () => {
  expect(toggleRefinement('tool:edit after tool:read same:path', agent('Cookie'))).toBe(
    'tool:edit agent:Cookie after tool:read same:path',
  );
  expect(toggleRefinement('agent:Cookie after tool:read', agent('Cookie'))).toBeUndefined();
});

test('a question with problems is refined by nobody but its writer', () => {
  expect(toggleRefinement('agnt:Cookie', agent('Cookie'))).toBeUndefined();
  expect(isRefinedBy('(agent:Cookie', agent('Cookie'))).toBe(false);
});

test('what may find more is the question without each of its parts, the last one first', () => {
  expect(loosened('is:error agent:Cookie "too small"')).toEqual([
    { without: '"too small"', question: 'is:error agent:Cookie' },
    { without: 'agent:Cookie', question: 'is:error "too small"' },
    { without: 'is:error', question: 'agent:Cookie "too small"' },
  ]);
  expect(loosened('tool:edit after tool:read')).toEqual([
    { without: 'after tool:read', question: 'tool:edit' },
  ]);
  expect(loosened('is:error tool:edit after tool:read x same:path within:5')).toEqual([
    { without: 'within:5', question: 'is:error tool:edit after tool:read x same:path' },
    { without: 'same:path', question: 'is:error tool:edit after tool:read x within:5' },
    { without: 'after tool:read x', question: 'is:error tool:edit' },
    { without: 'tool:edit', question: 'is:error after tool:read x same:path within:5' },
    { without: 'is:error', question: 'tool:edit after tool:read x same:path within:5' },
  ]);
  expect(loosened('cookies')).toEqual([]);
});

describe('of a larger row', () => {
  test.each([
    ['', agent('Cookie'), 'agent:Cookie'],
    ['is:error', agent('Cookie'), 'is:error (agent:Cookie)'],
    ['-is:error', agent('Cookie'), '-is:error (agent:Cookie)'],
    ['in:(tool:Bash)', agent('Cookie'), 'in:(tool:Bash) (agent:Cookie)'],
    ['tokens:>10 title:fix', agent('Cookie'), 'tokens:>10 title:fix agent:Cookie'],
    ['is:error', { refine: 'source:codex', with: 'joins' } as const, 'is:error source:codex'],
    ['is:error (agent:Cookie)', agent('Pickle'), 'is:error (agent:(Cookie OR Pickle))'],
    ['is:error (agent:(Cookie OR Pickle))', agent('Cookie'), 'is:error (agent:Pickle)'],
    ['is:error (agent:Cookie)', agent('Cookie'), 'is:error'],
    ['is:error', day('2026-11-01', '2026-11-02'), 'is:error (since:2026-11-01 before:2026-11-02)'],
    ['tool:a after tool:b', agent('Cookie'), '(tool:a after tool:b) agent:Cookie'],
    ['(tool:a after tool:b) agent:Cookie', agent('Cookie'), '(tool:a after tool:b)'],
    [
      'is:error since:7d (since:2026-11-01 before:2026-11-02)',
      day('2026-11-02', '2026-11-03'),
      'is:error since:7d (since:2026-11-02 before:2026-11-03)',
    ],
    ['since:7d', day('2026-11-01', '2026-11-02'), 'since:2026-11-01 before:2026-11-02'],
  ])('%s', (text, refinement, expected) => {
    expect(toggleRefinement(text, refinement, 'sessions')).toBe(expected);
  });

  test('menus write into its own brackets', () => {
    const rows = 'runs';
    expect(withValues('-tool:bash', 'agent', ['Baker'], { rows })).toBe('-tool:bash (agent:Baker)');
    expect(withValues('-tool:bash (agent:Baker)', 'agent', ['A', 'B'], { rows })).toBe(
      '-tool:bash (agent:(A OR B))',
    );
    expect(withValues('-tool:bash (agent:Baker)', 'agent', [], { rows })).toBe('-tool:bash');
    expect(namesAskedFor(right('-tool:bash (agent:Baker)'), 'agent', ['Baker', 'Cook'])).toEqual(['Baker']);
  });
});

test('what is refined finds nothing else', () => {
  const { records } = teamStory();
  const story = records.slice(0, 90);
  const info = { session: '20261121-1', source: 'codex', project: 'bakery', live: true };
  const facts = sessionFacts(story, info);
  const clock = { now: STORY_START + 3 * 3_600_000, timeZone: 'UTC' };
  const found = (text: string, rows: RowKind): readonly number[] => {
    const planned = planQuery(text, { ...clock, rows });
    if (!planned.ok) return [];
    const answer = evaluateItems(planned.plan, facts, story);
    return answer.ok ? answer.indexes : [];
  };
  const vocabulary = vocabularyOf(facts, story);
  const refinements = fc.constantFrom<Refinement>(
    ...(vocabulary.names.agent ?? []).map((name) => ({ refine: `agent:"${name}"`, with: 'joins' }) as const),
    ...(vocabulary.names.tool ?? []).map((name) => ({ refine: `tool:"${name}"`, with: 'joins' }) as const),
    { refine: 'source:codex', with: 'joins' },
    { refine: 'is:error', with: 'joins' },
    { refine: 'since:2026-11-21T09:31 before:2026-11-21T09:40', with: 'replaces' },
  );
  let narrowed = 0;
  fc.assert(
    fc.property(
      anyQuestion(vocabulary),
      refinements,
      fc.constantFrom(...ROW_KINDS),
      (text, refinement, rows) => {
        const fields = right(refinement.refine).kind === 'all' ? partsOf(right(refinement.refine)) : [];
        const names = new Set(fields.map((part) => (part.kind === 'term' ? part.field : '')));
        // Where something of the same field is asked for, either will do, or the new takes its place.
        const isThere = partsOf(right(text)).some((part) => part.kind === 'term' && names.has(part.field));
        const refined = isThere ? undefined : toggleRefinement(text, refinement, rows);
        if (refined === undefined || partsInGroups(text, names)) return;
        const all = new Set(found(text, rows));
        const less = found(refined, rows);
        expect({ refined, more: less.filter((index) => !all.has(index)) }).toEqual({ refined, more: [] });
        if (less.length < all.size && less.length > 0) narrowed++;
      },
    ),
    { numRuns: runs(500) },
  );
  expect(narrowed).toBeGreaterThan(inRuns(10));
});

/** Whether a field is asked for in brackets of its own, which a refinement joins. */
function partsInGroups(text: string, names: ReadonlySet<string>): boolean {
  return partsOf(right(text)).some((part) =>
    partsInBrackets(part)?.some((each) => each.kind === 'term' && names.has(each.field)),
  );
}
