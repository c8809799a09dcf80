import { describe, expect, test } from 'vitest';
import { distinctName, skeletonOf, toldApart, writtenOut } from '../../../src/core/lookalikes.js';

describe('names that look alike', () => {
  test.each([
    ['a Cyrillic letter', 'reviewer', 'r\u0435viewer'],
    ['a word of another script', 'coco', '\u0441\u043e\u0441\u043e'],
    ['a Greek letter', 'Planner', 'Pl\u03b1nner'],
    ['a full-width letter', 'reviewer', '\uff52eviewer'],
    ['a mathematical letter', 'bob', '\u{1d41b}ob'],
    ['something invisible', 'reviewer', 'rev\u200biewer'],
    ['a turned direction', 'reviewer', '\u202ereviewer'],
    ['a digit', 'oracle', '0racle'],
    ['I for l', 'Al', 'AI'],
    ['two letters for one', 'modem', 'modern'],
    ['another hyphen', 'code-reviewer', 'code\u2010reviewer'],
    ['a blank of another kind', 'code reviewer', 'code\u00a0reviewer'],
  ])('have one skeleton: %s', (_, one, other) => {
    expect(skeletonOf(other)).toBe(skeletonOf(one));
  });

  test.each([
    ['planner', 'plainer'],
    ['reviewer', 'revuer'],
    ['агент', 'agent'],
    ['Pickle', 'Pickles'],
  ])('are not seen in %s and %s', (one, other) => {
    expect(skeletonOf(other)).not.toBe(skeletonOf(one));
  });

  test('are shown with their foreign letters written out, and only where somebody could be misled', () => {
    expect(toldApart(['reviewer', 'r\u0435viewer', 'агент'])).toEqual([
      'reviewer',
      'r\u0435⟨U+0435⟩viewer',
      'агент',
    ]);
    expect(toldApart(['coco', '\u0441\u043e\u0441\u043e'])[1]).toBe(
      '\u0441⟨U+0441⟩\u043e⟨U+043E⟩\u0441⟨U+0441⟩\u043e⟨U+043E⟩',
    );
    expect(distinctName('r\u0435viewer')).toBe('r\u0435⟨U+0435⟩viewer');
    expect(distinctName('Агент GPT')).toBe('Агент GPT');
    expect(writtenOut('rev\u200biewer\uff41')).toBe('rev⟨U+200B⟩iewer\uff41⟨U+FF41⟩');
  });
});
