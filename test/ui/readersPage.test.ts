import { join } from 'node:path';
import { mkdir } from 'node:fs/promises';
import type { Browser, Page } from 'playwright-core';
import { expect } from 'vitest';
import { messageIn, originOf } from '../../src/query/numbers/transcriptItem.js';
import { exportMessages } from '../../src/export/exportMessages.js';
import { MessageQuery } from '../../src/export/messageQuery.js';
import { teamStory } from '../support/teamStory.js';
import { browserTest } from './support/panelTest.js';
import { violationsOf } from './support/violations.js';
import { pictures } from './support/uiTest.js';

const HTML = exportMessages(teamStory().records, 'html', {
  title: 'Nightly export of invoices fails',
  full: true,
});

async function open(browser: Browser, html = HTML): Promise<Page> {
  await mkdir(pictures, { recursive: true });
  const page = await browser.newPage({ viewport: { width: 1300, height: 900 } });
  await page.setContent(html);
  return page;
}

const shownAgents = (page: Page) =>
  page
    .locator('article:visible')
    .evaluateAll((all) => [...new Set(all.map((one) => one.getAttribute('data-agent')))]);

browserTest(
  'the page says at a glance what is in it, and leads from failure to failure',
  async ({ browser }) => {
    const page = await open(browser);
    const { records } = teamStory();
    const calls = new MessageQuery(records).toolSummary().flatMap(({ calls }) => calls).length;
    const said = records.map((record) => messageIn(record) && originOf(record).agent);
    const agents = new Set(said.filter((agent) => agent !== undefined)).size;
    const messages = new MessageQuery(records).stats().totalMessages;
    await expect
      .poll(() => page.locator('.glance').textContent())
      .toBe(`${messages} messages · ${agents} agents · ${calls} tool calls · Next failure ↓`);
    await page.locator('.glance button').click();
    await expect.poll(() => inView(page, 'details.error, aside.failed')).toBe(true);
    await page.close();
  },
);

const inView = (page: Page, selector: string) =>
  page.locator(selector).evaluateAll((all) =>
    all.some((one) => {
      const { top, bottom } = one.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    }),
  );

browserTest(
  'a word is searched: counted, marked, stepped through, opened where it was folded',
  async ({ browser }) => {
    const page = await open(browser);
    await page.getByRole('button', { name: 'Fold all', exact: true }).click();
    expect(await page.locator('main details[open]').count()).toBe(0);
    await page.keyboard.press('/');
    await page.keyboard.type('lastday');
    const held = await page
      .locator('main > *')
      .evaluateAll((all) => all.filter((one) => /lastday/i.test(one.textContent)).length);
    expect(held).toBeGreaterThan(1);
    await expect.poll(() => page.locator('nav output').textContent()).toBe(`${held} messages`);
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('nav output').textContent()).toBe(`1 of ${held}`);
    await page.keyboard.press('Shift+Enter');
    await expect.poll(() => page.locator('nav output').textContent()).toBe(`${held} of ${held}`);
    const marked = await page.evaluate(() => [
      CSS.highlights.get('found')?.size,
      CSS.highlights.get('current')?.size,
    ]);
    expect(marked[0]).toBeGreaterThanOrEqual(held);
    expect(marked[1]).toBeGreaterThan(0);
    await page.keyboard.press('Enter');
    for (let step = 1; step < held; step++) await page.keyboard.press('Enter');
    // Where it stood in something folded, that is open now.
    expect(
      await page
        .locator('details:not([open])')
        .evaluateAll((all) => all.filter((one) => /lastday/i.test(one.textContent)).length),
    ).toBe(0);
    await page.screenshot({ path: join(pictures, 'readers-page-search.png') });
    await page.getByRole('searchbox').fill('no such words (');
    await expect.poll(() => page.locator('nav output').textContent()).toBe('No match');
    await page.close();
  },
);

browserTest('agents are shown and hidden, and what is hidden is offered again', async ({ browser }) => {
  const page = await open(browser);
  const all = await shownAgents(page);
  expect(all.length).toBeGreaterThan(2);
  await page.getByRole('button', { name: 'researcher', exact: true }).click();
  expect(await shownAgents(page)).toEqual(all.filter((name) => name !== 'researcher'));
  for (const name of all.filter((each) => each !== 'researcher'))
    await page.getByRole('button', { name: name ?? '', exact: true }).click();
  await page.getByText('Everything is hidden.').waitFor();
  await page.getByRole('button', { name: 'Show all' }).click();
  expect(await shownAgents(page)).toEqual(all);
  await page.getByRole('button', { name: 'Conversation only' }).click();
  expect(
    await page.locator('article.tool:visible, article details:visible, article.mute:visible').count(),
  ).toBe(0);
  expect(await page.locator('article.assistant:visible').count()).toBeGreaterThan(1);
  await page.screenshot({ path: join(pictures, 'readers-page-conversation.png') });
  await page.close();
});

browserTest('agents stand in lanes, each message lower than the one before', async ({ browser }) => {
  const page = await open(browser);
  await page.getByRole('button', { name: 'Lanes' }).click();
  const places = await page.locator('main > :is(article, aside)').evaluateAll((all) =>
    all.map((one) => {
      const { left, top } = one.getBoundingClientRect();
      return { agent: one.getAttribute('data-agent'), left: Math.round(left), top };
    }),
  );
  places.reduce((above, below) => {
    expect(below.top).toBeGreaterThan(above.top);
    return below;
  });
  const columns = new Map(
    places.filter(({ agent }) => agent !== null).map(({ agent, left }) => [agent, left]),
  );
  expect(new Set(columns.values()).size).toBe(columns.size);
  for (const { agent, left } of places) if (agent !== null) expect(left).toBe(columns.get(agent));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(() => scrollTo(0, 400));
    await page.screenshot({ path: join(pictures, `readers-page-lanes-${colorScheme}.png`) });
    expect.soft(await violationsOf(page), colorScheme).toEqual([]);
  }
  const more = page.locator('button.more').first();
  const height = await more.locator('..').evaluate((item) => item.clientHeight);
  await more.click();
  expect(await more.getAttribute('aria-expanded')).toBe('true');
  expect(await more.locator('..').evaluate((item) => item.clientHeight)).toBeGreaterThan(height);
  await page.getByRole('button', { name: 'Lanes' }).click();
  expect(await page.locator('h2.lane, button.more').count()).toBe(0);
  await page.close();
});

browserTest('a link leads to a message, also where its agent is hidden', async ({ browser }) => {
  const page = await open(browser);
  await page.getByRole('button', { name: 'researcher', exact: true }).click();
  const id = await page.locator('article[data-agent="researcher"]').first().getAttribute('id');
  await page.evaluate((hash) => (location.hash = hash), `#${id}`);
  await expect.poll(() => page.locator(`#${id}`).isVisible()).toBe(true);
  await expect.poll(() => inView(page, `#${id} header`)).toBe(true);
  await page.close();
});

browserTest('on paper everything stands open and no controls are there', async ({ browser }) => {
  const page = await open(browser);
  await page.getByRole('button', { name: 'Fold all', exact: true }).click();
  await page.getByRole('button', { name: 'Lanes' }).click();
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  expect(await page.locator('nav:visible, button:visible').count()).toBe(0);
  const hidden = await page
    .locator('article details pre')
    .evaluateAll((all) => all.filter((one) => one.getBoundingClientRect().height === 0).length);
  expect(hidden).toBe(0);
  await page.screenshot({ path: join(pictures, 'readers-page-print.png'), fullPage: true });
  await page.emulateMedia({ media: 'screen' });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  expect(await page.locator('main details[open]').count()).toBe(0);
  await page.close();
});

browserTest('without its script the page can be read as it is', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.setContent(HTML);
  expect(await page.locator('nav, .glance').count()).toBe(0);
  await page.getByText('The nightly export of invoices fails since Tuesday').first().waitFor();
  await context.close();
});
