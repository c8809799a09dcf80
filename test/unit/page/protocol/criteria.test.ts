import * as v from 'valibot';
import { expect, test } from 'vitest';
import { criteria, isUnfiltered, NO_CRITERIA } from '../../../../src/page/protocol/criteria.js';
import { savedFilter } from '../../../../src/page/protocol/question.js';
import { MessageQuery } from '../../../../src/export/messageQuery.js';

const ofNow = { ...NO_CRITERIA, role: ['tool'], agent: ['Cookie'], toolName: ['grep'] };

test('a filter that was saved under former names asks for the same', () => {
  const { text, regex, matchCase, errorsOnly } = NO_CRITERIA;
  const former = { text, regex, matchCase, errorsOnly, roles: ['tool'], agents: ['Cookie'], tools: ['grep'] };
  const saved = v.parse(savedFilter, { name: 'mine', criteria: former });
  expect(saved.criteria).toEqual(ofNow);
  expect(v.parse(criteria, saved.criteria)).toEqual(ofNow);
});

test('a list from which everything was taken again asks for nothing', () => {
  const cleared = v.parse(criteria, { ...ofNow, role: [], agent: [], toolName: [] });
  expect(isUnfiltered(cleared)).toBe(true);
  expect(new MessageQuery([{ role: 'user', content: 'hi' }]).filter(cleared)).toHaveLength(1);
});

test.each([null, [], 'text', { ...ofNow, role: ['boss'] }, { ...ofNow, agent: 'Cookie' }])(
  '%j is no filter',
  (given) => expect(v.safeParse(criteria, given).success).toBe(false),
);
