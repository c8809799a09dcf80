import { expect, test } from 'vitest';
import { projectOf } from '../../../src/import/projectOf.js';

test.each([
  ['/home/me/projects/shop', 'shop'],
  ['/home/me/projects/shop/', 'shop'],
  ['C:\\work\\shop', 'shop'],
  ['file:///home/me/shop', 'shop'],
  ['~/shop', 'shop'],
  ['/home/me/shop/.worktrees/fix-tax', 'shop'],
  ['/home/me/shop/.claude/worktrees/fix-tax', 'shop'],
  ['/home/me/.tool/worktrees/shop/fix-tax/src', 'shop'],
  ['/srv/shop/0f3b2a1c-1111-4222-8333-444455556666', 'shop'],
  ['/srv/shop/2026-09-01', 'shop'],
  ['/srv/-home-me-shop', 'srv'],
  ['/0f3b2a1c-1111-4222-8333-444455556666', undefined],
  ['/', undefined],
  ['shop', undefined],
])('the project of %s is %s', (cwd, name) => {
  expect(projectOf([{ type: 'message', source: { cwd } }])).toBe(name);
});

test('the first place that a log names counts, wherever its reader kept it', () => {
  const header = { type: 'imported', kind: 'session_meta', value: { payload: { cwd: '/work/first' } } };
  const later = { type: 'message', source: { workspaceFolder: '/work/second' } };
  expect(projectOf([{ type: 'message', source: { text: 'cwd' } }, header, later])).toBe('first');
  expect(projectOf([{ type: 'message', message: { content: '/work/third', cwd: '/work/third' } }])).toBe(
    undefined,
  );
});

test('a log of any size and depth is looked through within bounds', () => {
  let deep: object = { cwd: '/work/deep' };
  for (let level = 0; level < 10_000; level++) deep = { deep };
  expect(projectOf([{ source: deep }])).toBe(undefined);
  const wide = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, {}]));
  expect(projectOf([{ source: wide }, { source: { cwd: '/work/late' } }])).toBe(undefined);
});
