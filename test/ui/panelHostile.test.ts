import { expect } from 'vitest';
import { hostileStory } from '../support/hostileStory.js';
import { TABS } from '../../webview/state.js';
import { panelTest } from './support/panelTest.js';

panelTest('500 hostile messages run nothing, ask for nothing, and break nothing', async ({ open }) => {
  const story = hostileStory(500);
  const panel = await open({ story, title: '<img src=x onerror=window.hacked=1>' });
  const { page } = panel;
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const popups: string[] = [];
  page.on('popup', (popup) => popups.push(popup.url()));
  await page.setViewportSize({ width: 700, height: 900 });
  await page.locator('vscode-button[aria-label="Show the conversations of all dispatches"]').click();
  await expect.poll(() => panel.reading.view.state.read).toBe(story.records.length);
  await panel.settled();
  const { rows } = panel.reading.view.state;
  expect(rows).toBeGreaterThan(500);
  const seen = new Set<number>();
  let drawn = 0;
  await page.keyboard.press('Home');
  for (let before = -1; seen.size > before;) {
    before = seen.size;
    await panel.settled();
    expect(await panel.overflow()).toEqual([]);
    const positions = await page.locator('.list').evaluate(goOn);
    drawn = Math.max(drawn, positions.length);
    for (const position of positions) seen.add(position);
  }
  expect(seen.size).toBe(rows);
  expect(drawn).toBeLessThan(80);
  for (const tab of TABS) {
    await panel.show(tab);
    expect(await panel.overflow()).toEqual([]);
    expect(await page.evaluate(() => document.body.innerText)).not.toMatch(
      /[\u202a-\u202e\u2066-\u2069\u009b]/,
    );
    expect(await page.evaluate(unseenWords)).toEqual([]);
  }
  expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  expect(await page.evaluate(() => 'hacked' in Object.prototype)).toBe(false);
  expect(
    await page
      .locator('script:not([nonce]), iframe, object, embed, form[action], base, meta[http-equiv=refresh]')
      .count(),
  ).toBe(0);
  expect(await page.locator('[onerror], [onload], [onclick], a[href]').count()).toBe(0);
  expect([dialogs, popups, panel.done]).toEqual([[], [], []]);
  await page.screenshot({ path: 'out/ui/panel/hostile.png' });
});

/** What a person reads or hears of elements besides their texts, as far as it holds characters that cannot be seen. */
function unseenWords(): string[] {
  const names = ['title', 'alt', 'placeholder', 'aria-label', 'aria-description', 'aria-valuetext'];
  const words = [...document.querySelectorAll('*')].flatMap((element) => [
    ...names.map((name) => `${name}: ${element.getAttribute(name) ?? ''}`),
    ...(element instanceof SVGElement ? [`${element.tagName}: ${element.textContent}`] : []),
  ]);
  return words
    .filter((text) => /[\u200b\u202a-\u202e\u2066-\u2069\u009b]/.test(text))
    .map((text) => text.slice(0, 200));
}

/**
 * Scrolls to one of the last rows that are drawn, not to the very last: at the end the list follows the end while rows there
 * get their heights. Gives where all that were drawn stand in the list.
 */
function goOn(list: Element): number[] {
  const rows = [...list.querySelectorAll<HTMLElement>('.row')];
  const last = /translateY\((\d+)/.exec((rows.at(-4) ?? rows.at(-1))?.style.transform ?? '')?.[1];
  list.scrollTop = Number(last);
  return rows.map((row) => Number(row.getAttribute('aria-posinset')));
}
