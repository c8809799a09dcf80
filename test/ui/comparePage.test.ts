import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { CompareThread } from '../../src/app/sources/compareThread.js';
import { silentLog } from '../../src/core/ports/log.js';
import {
  CompareSession,
  type CompareBodies,
  type CompareEngine,
  type ComparePlace,
} from '../../src/page/panel/compare/compareSession.js';
import { THEMES } from '../support/themes.js';
import { BAKINGS } from './support/bakings.js';
import { inEachTheme } from './support/inEachTheme.js';
import { joinPage } from './support/joinPage.js';
import { keepStories } from './support/pastStories.js';
import { browserTest } from './support/panelTest.js';
import { violationsIn } from './support/violations.js';
import { hostedHtml, serveWebview, type ServedWebview } from './support/serveWebview.js';
import { pictures } from './support/uiTest.js';

/** The page in a browser under its real policy, and the real thread behind it. */
class PlayedCompare {
  readonly opened: ComparePlace[] = [];
  readonly bodies: CompareBodies[] = [];
  readonly exported: (readonly [string, string])[] = [];
  readonly pairs: (readonly [number, number])[] = [];
  readonly complaints: string[] = [];
  readonly requested: string[] = [];
  kept: unknown;
  #server: ServedWebview | undefined;
  #session: CompareSession | undefined;

  constructor(readonly page: Page) {}

  async load(engine: CompareEngine): Promise<void> {
    const session = new CompareSession({
      engine,
      compared: {
        places: [{ kind: 'file', root: '/session.jsonl', conversation: '' }],
        choices: { keep: [] },
      },
      open: (place) => Promise.resolve(void this.opened.push(place)),
      compareTwo: (baseline, run) => this.pairs.push([baseline, run]),
      showBodies: (bodies) => Promise.resolve(void this.bodies.push(bodies)),
      exportAs: (format, text) => Promise.resolve(void this.exported.push([format, text])),
      onCompared: () => undefined,
      log: { ...silentLog, warn: (words, error) => this.complaints.push(`${words} ${String(error)}`) },
      post: async (message) => {
        await this.page.evaluate((data) => window.postMessage(data, '*'), message);
      },
    });
    this.#session = session;
    this.#server = await serveWebview(() =>
      hostedHtml({ page: 'compare', origin: this.#server?.origin ?? '', theme: 'dark', state: null }),
    );
    await joinPage(this.page, this, {
      toHost: (message) => session.receive(message),
      keepState: (state) => (this.kept = state),
    });
    await this.page.goto(`${this.#server.origin}/page`);
    await this.page.locator('.compare-page.is-ready').waitFor();
  }

  /** Parts of the page that are wider than there is room for. */
  overflow(): Promise<string[]> {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('html, body, .compare-page, .compare-body, .compare-lanes')]
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
        .map(({ className, scrollWidth }) => `${className}: ${scrollWidth} px`),
    );
  }

  async close(): Promise<void> {
    this.#session?.dispose();
    await this.page.close();
    this.#server?.close();
  }
}

const compareTest = browserTest
  .extend('kept', { scope: 'file' }, async ({}, { onCleanup }) => {
    const folder = await mkdtemp(join(tmpdir(), 'logbook-'));
    onCleanup(() => rm(folder, { recursive: true }));
    const ids = await keepStories(folder, BAKINGS);
    return { root: join(folder, '.agent-logbook'), ids };
  })
  .extend(
    'compare',
    ({ browser, kept: { root, ids } }) =>
      async (runs: number, size = [1400, 900], of?: Browser) => {
        const [width = 0, height = 0] = size;
        const page = await (of ?? browser).newPage({ viewport: { width, height }, reducedMotion: 'reduce' });
        page.setDefaultTimeout(60_000);
        const places = ids
          .slice(0, runs)
          .map((conversation) => ({ kind: 'stored', root, conversation }) as const);
        const thread = new CompareThread(places, {
          ownPrices: '',
          policy: {},
          log: silentLog,
          script: pathToFileURL('dist/workers/compare.js'),
        });
        const played = new PlayedCompare(page);
        onTestFinished(async () => {
          await played.close();
          thread.dispose();
          expect(played.complaints).toEqual([]);
        });
        await played.load(thread);
        return played;
      },
  );

async function lookedAt(played: PlayedCompare, name: string): Promise<void> {
  const folder = join(pictures, 'compare');
  await mkdir(folder, { recursive: true });
  for (const [width, height] of [
    [1400, 900],
    [700, 450],
  ] as const) {
    await played.page.setViewportSize({ width, height });
    await inEachTheme(played.page, async (theme) => {
      await played.page.screenshot({ path: join(folder, `${name}-${theme}-${width}.png`) });
      expect.soft(await played.overflow(), `${theme} at ${width}`).toEqual([]);
      expect.soft(await violationsIn(played.page, theme), `${theme} at ${width}`).toEqual([]);
    });
  }
  expect(THEMES.length).toBe(4);
}

compareTest(
  'two runs stand side by side, and keys lead from difference to difference',
  async ({ compare }) => {
    const played = await compare(2);
    const { page } = played;
    await page.locator('.compare-sentence').waitFor();
    expect(await page.locator('.compare-sentence').innerText()).toMatch(
      /^Another system prompt; the same until step 6: left read kitchen\/scale\.mjs, right changed/,
    );
    await page.getByText('4 steps alike').first().waitFor();
    const rows = page.locator('.compare-row');
    const before = await rows.count();
    await page.getByText('4 steps alike').first().click();
    await expect.poll(() => rows.count()).toBe(before + 4);
    await page.getByRole('button', { name: 'Next Difference' }).focus();
    await page.keyboard.press('F7');
    await page.getByText('Difference 1 of').waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => played.bodies.length).toBe(1);
    expect(played.bodies[0]?.right).toContain('"to": "people * serves"');
    expect(played.bodies[0]?.left).toContain('const factor = serves / people;');
    await page.keyboard.press('n');
    await page.keyboard.press('Shift+F7');
    await page.getByText('Difference 1 of').waitFor();
    await page.locator('[aria-label="Open the left transcript at step 6"]').click();
    await expect.poll(() => played.opened).toMatchObject([{ run: 0 }]);
    const question = page.getByRole('textbox', { name: 'Find steps by a question' });
    await question.fill('tool:read_file side:right');
    await question.press('Enter');
    await page.getByText(/^Found: 0 left, 5 right$/).waitFor();
    await question.fill('(tool:read_file side:left OR tool:read_file side:right)');
    await question.press('Enter');
    await page.getByText(/^Found: [1-9]\d* left, 5 right$/).waitFor();
    await question.fill('side:up');
    await question.press('Enter');
    await page.getByText('side: takes left or right; up is neither.').waitFor();
    await question.press('Escape');
    await page.getByText('4 steps alike').first().waitFor();
    for (const format of ['Markdown', 'HTML', 'CSV'])
      await page.getByRole('button', { name: `Export as ${format}` }).click();
    await expect.poll(() => played.exported.map(([format]) => format)).toEqual(['markdown', 'html', 'csv']);
    expect(played.exported[0]?.[1]).toContain('**Another system prompt');
    expect(played.exported[2]?.[1]).toMatch(/^what,unit,/);
    await lookedAt(played, 'two');
  },
);

compareTest(
  'several runs are a table with all points, and one opens beside the baseline',
  async ({ compare }) => {
    const played = await compare(6);
    const { page } = played;
    await page.locator('.compare-sentence').waitFor();
    await page.getByRole('region', { name: 'Numbers' }).waitFor();
    expect(
      await page.locator('.compare-spread', { hasText: 'Steps' }).locator('.compare-point').count(),
    ).toBe(6);
    expect(await page.locator('.compare-point.is-far').count()).toBeGreaterThan(0);
    await page.getByRole('button', { name: /^Compare Small cookies, try 3.* with the baseline$/ }).click();
    await expect.poll(() => played.pairs).toEqual([[0, 2]]);
    const baseline = page.getByLabel('Compared with');
    await baseline.selectOption({ label: await baseline.locator('option').nth(3).innerText() });
    await page.getByRole('button', { name: /^Compare Small cookies, try 1.* with the baseline$/ }).click();
    await expect.poll(() => played.pairs.at(-1)).toEqual([2, 0]);
    expect(played.kept).toMatchObject({ choices: { keep: [], baseline: 3 } });
    await baseline.selectOption('typical');
    await page.getByText(/which is Small cookies, try/).waitFor();
    await lookedAt(played, 'six');
  },
);
