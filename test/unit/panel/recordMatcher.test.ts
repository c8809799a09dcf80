import { describe, expect, it } from 'vitest';
import { recordMatcher } from '../../../src/panel/filter/recordMatcher.js';
import { textMatcher } from '../../../src/panel/filter/textMatcher.js';
import { NO_CRITERIA, type Criteria } from '../../../src/protocol/criteria.js';
import { teamStory } from '../../support/teamStory.js';

const { records } = teamStory();

/** What kinds of records of the story match, as `type` or `type role`. */
function matching(criteria: Partial<Criteria>): string[] {
  const matches = recordMatcher({ ...NO_CRITERIA, ...criteria });
  const found = records.filter((record) => matches(record));
  return found.map((record) => (record.type === 'message' ? record.message.role : record.type));
}

describe('the filter of a panel', () => {
  it('finds a text in whatever a person reads: contents, arguments, reasoning, tasks, errors', () => {
    expect(matching({ text: 'lastDay' })).toEqual(['tool', 'tool', 'assistant', 'tool', 'assistant']);
    expect(matching({ text: 'glob' })).toEqual(['assistant']);
    expect(matching({ text: 'The same mistake is likely' })).toEqual(['assistant']);
    expect(matching({ text: 'too many requests' })).toEqual(['request']);
  });

  it('tells cases apart when it is asked to', () => {
    expect(matching({ text: 'LASTDAY' })).toHaveLength(5);
    expect(matching({ text: 'LASTDAY', matchCase: true })).toEqual([]);
  });

  it('reads patterns line by line', () => {
    expect(matching({ text: '^## What', regex: true })).toEqual(['assistant']);
    expect(matching({ text: 'invoices?\\.test', regex: true, matchCase: true }).length).toBeGreaterThan(0);
  });

  it('asks for everything at once', () => {
    expect(matching({ roles: ['user'], agents: ['coder', 'reviewer'] })).toEqual(['user', 'user']);
    expect(matching({ tools: ['ask_human'] })).toEqual(['assistant', 'tool']);
    expect(matching({ roles: ['tool'], errorsOnly: true })).toEqual(['tool', 'tool', 'tool', 'tool', 'tool']);
    expect(matching({ errorsOnly: true }).filter((kind) => kind !== 'tool')).toEqual([
      'request',
      'error',
      'callEnd',
      'callEnd',
    ]);
  });

  it.each(['(', '(?=a)', '(?<!a)b', '(a)\\1', '[z-a]', 'a{5000}'])('refuses %s in words', (text) => {
    expect(() => textMatcher({ ...NO_CRITERIA, text, regex: true })).toThrow(/^This pattern cannot be read/);
  });

  it.each(['(a+)+$', '(a|aa)+$', '(.*a){12}', '([a-z]+)*=', '(x+x+)+y'])(
    'ends soon with %s',
    { timeout: 2_000 },
    (text) => {
      const matcher = textMatcher({ ...NO_CRITERIA, text, regex: true });
      expect(typeof matcher?.matches(`${'a'.repeat(20_000)}!`)).toBe('boolean');
    },
  );
});
