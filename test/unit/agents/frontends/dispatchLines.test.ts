import { expect, test } from 'vitest';
import * as lines from '../../../../src/agents/frontends/dispatchLines.js';

const at = (length: number, last = 'x') => 'x'.repeat(length - 1) + last;

test('a dispatch reads the same everywhere', () => {
  expect([
    lines.formatDispatchStart('Pickle', 'Cookie', 'bake'),
    lines.formatDispatchResult('Cookie', 'done'),
    lines.formatDispatchFailure('Cookie', 'no oven'),
    lines.formatChatDispatchStart('Pickle', 'Cookie', 'bake'),
    lines.formatChatDispatchResult('Cookie', 'done'),
    lines.formatChatDispatchFailure('Cookie', 'no oven'),
  ]).toEqual([
    'Pickle → @Cookie: bake',
    'Cookie: done',
    'Cookie failed: no oven',
    'Pickle: @cookie bake',
    'Cookie: - done',
    'Cookie: - failed: no oven',
  ]);
});

test.each([
  ['200 code points stay', at(200), at(200)],
  ['201 are cut and marked', at(201), `${at(200)}...`],
  ['an emoji as the 200th stays whole', at(200, '🥒'), at(200, '🥒')],
  ['an emoji as the 200th of 201 stays whole', `${at(200, '🥒')}x`, `${at(200, '🥒')}...`],
  ['an emoji as the 201st goes whole', at(201, '🥒'), `${at(200)}...`],
])('%s', (_, result, expected) => {
  expect(lines.formatDispatchResult('Cookie', result)).toBe(`Cookie: ${expected}`);
  expect(lines.formatChatDispatchResult('Cookie', result)).toBe(`Cookie: - ${expected}`);
});

test('a line cannot be broken or turned around by what a model says', () => {
  expect(lines.formatDispatchResult('Cook\nie', 'ok\n[error] all lost\u202e\x1b[2J')).toBe(
    'Cook ie: ok [error] all lost⟨U+202E⟩⟨U+001B⟩[2J',
  );
});

test('tools and approvals are each one line', () => {
  expect(lines.formatToolActivity('Pickle', 'read_file', 'start', 'src/a.ts')).toBe(
    'Pickle · read_file … src/a.ts',
  );
  expect(lines.formatToolActivity('Pickle', 'read_file', 'end', '')).toBe('Pickle · read_file ✓');
  expect(lines.formatApproval('Pickle', 'Write src/a.ts')).toBe(
    'Pickle waits for your approval: Write src/a.ts',
  );
});
