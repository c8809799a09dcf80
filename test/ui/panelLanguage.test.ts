import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import { useTranslations, type Translations } from '../../src/core/l10n.js';
import { teamStory } from '../support/teamStory.js';
import { TABS } from '../../webview/state.js';
import { panelTest } from './support/panelTest.js';

/** A language in which every text of ours stands in ‹…›. */
const english = JSON.parse(readFileSync('l10n/bundle.l10n.json', 'utf8')) as Translations;
const marked = Object.fromEntries(Object.keys(english).map((text) => [text, `‹${text}›`]));

/** What a person wrote, in their own language. */
const TITLE = 'Nightly export of invoices fails';

panelTest('what the controls of every view say is in the language of the person', async ({ open }) => {
  useTranslations(marked);
  onTestFinished(() => useTranslations(undefined));
  const panel = await open({ story: teamStory(), title: TITLE, translations: marked });
  for (const tab of TABS) {
    await panel.show(tab);
    const said = await panel.page.evaluate(() =>
      [...document.querySelectorAll('[title], [aria-label], h2, h3, dt, th')].flatMap((element) => {
        if (!element.checkVisibility()) return [];
        const own = element.matches('h2, h3, dt, th') ? [element.textContent] : [];
        return [element.getAttribute('title'), element.getAttribute('aria-label'), ...own];
      }),
    );
    // Nouns behind a number stay as they are.
    const ours = said.filter((text) => text !== TITLE && !/^(?:agent|tool) calls$/.test(text ?? ''));
    const sentences = ours.filter((text) => text !== null && /[a-z]{3,} [a-z]{3,}/.test(text));
    expect(sentences.length, tab).toBeGreaterThan(4);
    expect
      .soft(
        sentences.filter((text) => text?.includes('‹') !== true),
        tab,
      )
      .toEqual([]);
  }
});
