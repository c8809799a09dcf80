import { expect, test } from 'vitest';
import {
  isRefinedBy,
  loosened,
  toggleRefinement,
  withinTime,
} from '../../../../src/query/language/refine.js';

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
  expect(withinTime('rm', '2026-11-01', '2026-11-03')).toBe('rm since:2026-11-01 before:2026-11-03');
  expect(withinTime('rm since:2026-11-01 before:2026-11-03', '2026-11-01', '2026-11-03')).toBe(
    'rm since:2026-11-01 before:2026-11-03',
  );
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
  expect(loosened('cookies')).toEqual([]);
});
