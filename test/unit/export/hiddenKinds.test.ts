import { describe, expect, test } from 'vitest';
import { Redactor } from '../../../src/export/secrets/redact.js';
import { secrets } from '../../support/hiddenKinds.js';
import { innocents } from '../../support/innocentTexts.js';

describe.each([20_261, 3, 77])('drawn from %i', (seed) => {
  test('of secrets of many kinds and forms, at least 97 in 100 are left out', () => {
    const all = secrets(seed);
    const missed = all.filter(({ text, secret }) => new Redactor().text(text).includes(secret));
    const words = missed.map(({ kind, text }) => `${kind}: ${text}`).join('\n');
    expect(all.length).toBeGreaterThanOrEqual(170);
    expect(missed.length / all.length, words).toBeLessThanOrEqual(0.03);
  });

  test('of innocent texts, at most 1 in 100 is changed', () => {
    const all = innocents(seed);
    const changed = all.filter(({ text }) => new Redactor().text(text) !== text);
    const words = changed.map(({ text }) => `${text} → ${new Redactor().text(text)}`).join('\n');
    expect(all.length).toBeGreaterThanOrEqual(160);
    expect(changed.length / all.length, words).toBeLessThanOrEqual(0.01);
  });
});
