import { afterEach, expect, test } from 'vitest';
import { words } from '../../../src/app/text/plainText.js';
import { t, useTranslations } from '../../../src/core/l10n.js';

afterEach(() => useTranslations(undefined));

const found = (count: number, where: string) => t`Found ${count} in ${where}.`;

test('a text without a translation is in English', () => {
  expect(found(3, 'c1')).toBe('Found 3 in c1.');
  useTranslations({ 'Found {0} in {1}': 'x' });
  expect(found(3, 'c1')).toBe('Found 3 in c1.');
});

test('a translation may put the values elsewhere, and twice', () => {
  useTranslations({ 'Found {0} in {1}.': 'In {1} ({1}): {0}' });
  expect(found(3, 'c1')).toBe('In c1 (c1): 3');
});

test.each(['Gefunden.', 'In {1}', '{0} {1} {2}', ''])(
  'a translation that does not use each value is not used: %j',
  (translation) => {
    useTranslations({ 'Found {0} in {1}.': translation });
    expect(found(3, 'c1')).toBe('Found 3 in c1.');
  },
);

test('values are no part of the search for a translation, and are put in as they are', () => {
  useTranslations({ 'Found {0} in {1}.': '{0}|{1}', '{1}': 'no', c1: 'no' });
  expect(found(0, '{0}')).toBe('0|{0}');
});

test('a sentence on a surface is translated, and stays plain with hostile values and a hostile translation', () => {
  useTranslations({ 'Run {0}?': '[{0} ausführen?](command:evil)' });
  const sentence = words`Run ${'[x](command:bad)\u202e'}?`;
  expect(sentence).toBe('[[x] (command:bad)⟨U+202E⟩ ausführen?] (command:evil)');
});
