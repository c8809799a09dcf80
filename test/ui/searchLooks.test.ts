import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { addCosts, formatCost, knownAmount, NO_COST } from '../../src/core/cost.js';
import type { SearchEngine } from '../../src/page/panel/search/searchSession.js';
import type { SearchUpdate } from '../../src/page/protocol/search.js';
import type { LiveRow } from '../../src/page/protocol/searchPage.js';
import { THEMES } from '../support/themes.js';
import { inEachTheme } from './support/inEachTheme.js';
import { searchTest } from './support/searchTest.js';
import { violationsIn } from './support/violations.js';
import { pictures } from './support/uiTest.js';

const WIDTHS = [1400, 800, 250];

for (const width of WIDTHS) {
  searchTest(`the search is whole and accessible in every theme, ${width} px`, async ({ search }) => {
    const folder = join(pictures, 'search');
    await mkdir(folder, { recursive: true });
    const opened = await search({ viewport: { width, height: 900 }, isEditor: width > 300 });
    const { page } = opened;
    const look = async (name: string) => {
      await inEachTheme(page, async (theme) => {
        const at = `${name} at ${width} px, ${theme}`;
        if (theme === THEMES[0] || width === 800)
          await page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
        expect.soft(await opened.overflow(), at).toEqual([]);
        expect.soft(await violationsIn(page, theme), at).toEqual([]);
      });
    };
    await page.getByText('Ask all conversations').waitFor();
    await look('examples');
    await opened.ask('temperature');
    await page.getByText(/messages in 4 sessions/).waitFor();
    await opened.field.press('Enter');
    await opened.chosen.waitFor();
    await page.keyboard.press('ArrowDown');
    if (width >= 1000) await page.locator('.near.is-hit').waitFor();
    await look('found');
    await page.getByTitle('Saved questions').click();
    await page.getByRole('dialog', { name: 'Saved questions' }).waitFor();
    await look('questions');
    await page.keyboard.press('Escape');
    if (width < 720) {
      await page.locator('.refine > summary').click();
      await look('refine');
    }
    await opened.ask('temperature role:assistant -agent:Crumb');
    await page.getByRole('group', { name: 'Parts of the question' }).waitFor();
    await look('parts');
    const field = await opened.field.boundingBox();
    if (field) await page.mouse.move(field.x + 40, field.y + field.height / 2);
    await page.locator('.question-summary', { hasText: 'It holds where' }).waitFor();
    await look('described');
    await page.mouse.move(0, 0);
    await opened.field.fill('');
    await page.keyboard.type('args.');
    await page.getByRole('option', { name: 'args.path:' }).waitFor();
    await look('completed');
    await page.keyboard.press('Escape');
    await opened.ask('has:note');
    await page.locator('.hit-note', { hasText: 'the migration on Tuesday' }).waitFor();
    await look('note');
    await opened.ask('temperature agent:Nobody');
    await page.getByText('Nothing found').waitFor();
    await look('nothing');
    await opened.ask('agnt:Cookie');
    await page.locator('.question-problem').waitFor();
    await look('problem');
  });
}

searchTest('what is live stands in rows, who needs somebody first, and leads there', async ({ search }) => {
  const folder = join(pictures, 'live');
  await mkdir(folder, { recursive: true });
  const minutes = (ago: number) => Date.now() - ago * 60_000;
  const row = (root: string, state: string, title: string): LiveRow => ({
    place: { kind: 'file', root, conversation: '0' },
    title,
    source: 'Claude Code',
    project: 'bakery',
    state,
    doing: state === 'waiting' ? 'waits for your approval' : 'working, Bash',
    words: state === 'waiting' ? 'rm -r out' : 'npm test -- --run a-test-with-a-rather-long-name',
    since: minutes(state === 'waiting' ? 4.5 : 0.1),
    context: { used: 164_000, window: 200_000 },
    cost: { ...NO_COST, priced: { amount: 1_230_000_000 as never, requests: 12 } },
  });
  const live = [row('/a', 'waiting', 'Clear the oven'), row('/b', 'working', 'Bake the bread')];
  const opened = await search({ spent: 'never', live });
  const { page } = opened;
  await page.getByRole('tab', { name: 'Live' }).click();
  const rows = page.locator('.live-row');
  await rows.nth(1).waitFor();
  expect(await rows.nth(0).locator('td').allInnerTexts()).toEqual([
    expect.stringMatching(/waits for your approval\s+rm -r out/),
    expect.stringContaining('Clear the oven'),
    '82 % of 200k',
    expect.stringContaining('1.23'),
    '4 min',
  ]);
  for (const [width, height] of [
    [1400, 900],
    [700, 450],
  ] as const) {
    await page.setViewportSize({ width, height });
    await inEachTheme(page, async (theme) => {
      await page.screenshot({ path: join(folder, `live-${theme}-${width}.png`) });
      expect.soft(await violationsIn(page, theme), `${theme} at ${width}`).toEqual([]);
    });
  }
  await page.getByRole('button', { name: 'Bake the bread' }).press('Enter');
  await rows.nth(0).click();
  expect(opened.opened.map(({ place }) => place.root)).toEqual(['/b', '/a']);
  await page.getByRole('tab', { name: 'Live' }).press('ArrowLeft');
  await page.locator('.spending-total').waitFor();
  const none = await search({ spent: 'never', live: [] });
  await none.page.getByRole('tab', { name: 'Live' }).click();
  await none.page.getByText('Nothing is live now').waitFor();
  await none.page.screenshot({ path: join(folder, 'none.png') });
});

searchTest(
  'what everything has cost is shown by time, project, model and agent, and leads to sessions',
  async ({ search }) => {
    const folder = join(pictures, 'spending');
    await mkdir(folder, { recursive: true });
    const opened = await search({ spent: 'never' });
    const { page } = opened;
    const bars = (part: string) => page.getByRole('region', { name: part }).locator('.spending-bar');
    await page.getByText(/^as of /).waitFor();
    const total = await page.locator('.spending-total').innerText();
    const told = opened.spent?.update;
    expect(total).toBe(formatCost(told?.totals.cost ?? NO_COST));
    expect(knownAmount(told?.totals.cost ?? NO_COST)).toBeGreaterThan(0);
    for (const field of ['model', 'agent', 'day'] as const) {
      const values = told?.facets.find((facet) => facet.field === field)?.values ?? [];
      const sum = values.reduce((cost, { cost: own = NO_COST }) => addCosts(cost, own), NO_COST);
      expect({ field, sum }).toEqual({ field, sum: told?.totals.cost });
    }
    await bars('Models').first().click();
    expect(opened.inEditor).toEqual([{ text: expect.stringMatching(/^model:/), rows: 'sessions' }]);
    await bars('Sessions').first().focus();
    await page.keyboard.press('Enter');
    expect(opened.opened[0]?.place.kind).toBe('stored');
    const days = await bars('Days').count();
    await page.getByRole('button', { name: 'Months' }).click();
    expect(await bars('Months').count()).toBeLessThanOrEqual(days);
    for (const [width, height] of [
      [1400, 900],
      [700, 450],
    ] as const) {
      await page.setViewportSize({ width, height });
      await inEachTheme(page, async (theme) => {
        await page.screenshot({ path: join(folder, `spending-${theme}-${width}.png`) });
        expect.soft(await opened.overflow(), `${theme} at ${width}`).toEqual([]);
        expect.soft(await violationsIn(page, theme), `${theme} at ${width}`).toEqual([]);
      });
    }
    // What was known opens at once, also where reading never ends.
    const never: SearchEngine = { ...NO_ENGINE, ask: (_, signal) => readingUntil(signal) };
    const again = await search({ engine: never, ...(opened.spent && { spent: opened.spent }) });
    await again.page.getByText('Reading: 1 of 3 sessions').waitFor();
    expect(await again.page.locator('.spending-total').innerText()).toBe(total);
    await again.page.screenshot({ path: join(folder, 'reading.png') });
    await again.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await again.page.getByText('Stopped: 1 of 3 sessions were read').waitFor();
    expect(await again.page.locator('.spending-total').innerText()).toBe(total);
    const first = await search({ engine: never, spent: 'never' });
    await first.page.getByText('Reading what was spent').waitFor();
    await first.page.getByRole('button', { name: 'Stop', exact: true }).click();
    await first.page.getByText('Nothing was spent yet').waitFor();
    await first.page.screenshot({ path: join(folder, 'nothing.png') });
  },
);

const NO_ENGINE: Omit<SearchEngine, 'ask'> = {
  near: () => Promise.resolve([]),
  argumentValues: () => Promise.resolve({}),
};

/** One of three sessions is read, and the next one never. */
async function* readingUntil(signal: AbortSignal): AsyncGenerator<SearchUpdate> {
  const update = {
    problems: [],
    groups: [],
    totals: { rows: 0, sessions: 0 },
    facets: [],
    histogram: { unit: 'day', bars: [], inNoBar: 0 },
    progress: { looked: 1, of: 3 },
    unread: { count: 0, first: [] },
    incomplete: { count: 0, first: [] },
  } as const;
  yield { ...update, state: 'searching' };
  await new Promise((resolve) => signal.addEventListener('abort', resolve));
  yield { ...update, state: 'cancelled' };
}

for (const width of [1400, 300])
  searchTest(
    `a row that stands in other sessions, too, names them, and each opens there, ${width} px`,
    async ({ search, searched }) => {
      const folder = join(pictures, 'search');
      await mkdir(folder, { recursive: true });
      const others = ['fork of the kitchen', 'a second copy', '', 'one too many'].map((title, at) => ({
        place: { kind: 'file', root: `/home/me/sessions/rollout-${at}.jsonl`, conversation: '0' } as const,
        position: 10 + at,
        title,
      }));
      const engine: SearchEngine = {
        async *ask(question, signal) {
          for await (const update of searched.engine.ask(question, signal))
            yield {
              ...update,
              groups: update.groups.map((group) => ({
                ...group,
                hits: group.hits.map((hit, at) => (at === 0 ? { ...hit, alsoIn: others } : hit)),
              })),
            };
        },
        near: (...where) => searched.engine.near(...where),
        argumentValues: () => Promise.resolve({}),
      };
      const opened = await search({ engine, viewport: { width, height: 700 }, isEditor: width > 300 });
      const { page } = opened;
      await opened.ask('temperature');
      const row = page.locator('.result-hit .hit-also').first();
      await row.waitFor();
      await expect.poll(() => row.innerText()).toMatch(/also stands in\s+fork of the kitchen/);
      expect(await row.innerText()).toMatch(/rollout-2\.jsonl and 1 more/);
      await row.getByText('a second copy').click();
      await expect
        .poll(() => opened.opened.at(-1))
        .toMatchObject({ place: others[1]?.place, position: 11, found: 'temperature' });
      if (width > 1000) {
        await page.locator('.near.is-hit').waitFor();
        await page.locator('.preview').getByRole('button', { name: 'fork of the kitchen' }).click();
        await expect.poll(() => opened.opened.at(-1)?.position).toBe(10);
      }
      await inEachTheme(page, async (theme) => {
        await page.screenshot({ path: join(folder, `also-${theme}-${width}.png`) });
        expect.soft(await opened.overflow(), theme).toEqual([]);
        expect.soft(await violationsIn(page, theme), theme).toEqual([]);
      });
    },
  );
