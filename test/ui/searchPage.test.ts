import { expect } from 'vitest';
import type { SearchUpdate } from '../../src/page/protocol/search.js';
import type { SearchEngine } from '../../src/page/panel/search/searchSession.js';
import { searchTest as test } from './support/searchTest.js';

test('a facet refines by the keyboard, keeps the focus, offers the other values, and goes again', async ({
  search,
}) => {
  const opened = await search();
  const { page, field } = opened;
  await opened.ask('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  const crumb = page.locator('.facet-value', { hasText: 'Crumb' });
  await page.locator('.facet-value').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByText(/^4 messages in 4 sessions/).waitFor();
  expect(await field.inputValue()).toBe('temperature agent:Crumb');
  expect(await crumb.getAttribute('aria-pressed')).toBe('true');
  expect(await crumb.evaluate((button) => button === document.activeElement)).toBe(true);
  await page.locator('.facet-value.absent', { hasText: 'Cookie' }).click();
  await page.getByText(/^7 messages in 4 sessions/).waitFor();
  expect(await field.inputValue()).toBe('temperature agent:(Crumb OR Cookie)');
  await crumb.focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^3 messages in 1 session/).waitFor();
  await page.locator('.facet-value', { hasText: 'Cookie' }).press('Enter');
  await page.getByText('14 messages in 4 sessions').waitFor();
  expect(await field.inputValue()).toBe('temperature');
});

test('what is found costs something: in all, by session, by message and by each value that refines', async ({
  search,
}) => {
  const opened = await search();
  const { page } = opened;
  await opened.ask('temperature');
  await expect
    .poll(() => page.locator('.status-cost').textContent())
    .toMatch(/^ · ≥ \$0\.\d+, 1 of 4 unknown$/);
  const valueOf = (name: string) => page.locator('.facet-value', { hasText: name });
  expect(await valueOf('qwen3').locator('.facet-cost').textContent()).toBe('cost unknown');
  expect(await valueOf('Pickle').locator('.facet-cost').textContent()).toMatch(/^≥ \$0\.\d+$/);
  expect(await valueOf('Pickle').getAttribute('title')).toMatch(
    /1 of 2 unknown\. .*1 request of unknown cost/,
  );
  // Nobody asks a model for what a tool says.
  expect(await valueOf('read_file').locator('.facet-cost').count()).toBe(0);
  expect(await page.locator('.session-facts', { hasText: 'cost unknown' }).count()).toBe(1);
  expect(await page.locator('.hit-cost').first().textContent()).toMatch(/^\$0\.\d+$/);
});

test('bars of the histogram narrow the question to their time, one or several of them', async ({
  search,
}) => {
  const opened = await search();
  const { page, field } = opened;
  await opened.ask('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  await page.locator('.histogram-bar[tabindex="0"]').focus();
  await page.keyboard.press('Enter');
  await page.getByText(/^3 messages in 1 session/).waitFor();
  expect(await field.inputValue()).toMatch(/^temperature since:\S+ before:\S+$/);
  await field.fill('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  await page.locator('.histogram-bar[tabindex="0"]').focus();
  await page.keyboard.press('Home');
  for (let step = 0; step < 6; step++) await page.keyboard.press('Shift+ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByText(/^7 messages in 2 sessions/).waitFor();
});

test('every key of a list works, letters go to the row that begins with them, and hits open', async ({
  search,
}) => {
  const opened = await search();
  const { page } = opened;
  await opened.ask('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  await opened.field.press('Enter');
  const chosen = async (words: RegExp) => expect.poll(() => opened.chosen.innerText()).toMatch(words);
  await chosen(/^Why are the cookies raw/);
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => opened.chosen.getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await chosen(/read_file/);
  await page.keyboard.press('Enter');
  await expect.poll(() => opened.opened.at(-1)).toMatchObject({ found: 'temperature', staysHere: false });
  await page.keyboard.press(' ');
  await expect.poll(() => opened.opened.at(-1)?.staysHere).toBe(true);
  await page.keyboard.press('End');
  await chosen(/The oven|temperature/);
  await page.keyboard.press('Home');
  await chosen(/^Why are/);
  await page.keyboard.type('raise');
  await chosen(/^Raise the temperature/);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await chosen(/^Raise the temperature/);
  const named = await page.locator('.results').getAttribute('aria-activedescendant');
  expect(await opened.chosen.getAttribute('id')).toBe(named);
  await page.keyboard.press('Escape');
  expect(await opened.field.evaluate((input) => input === document.activeElement)).toBe(true);
});

test('F4 goes from hit to hit, opens each, and begins again behind the last', async ({ search }) => {
  const opened = await search();
  await opened.ask('temperature source:nobody');
  await opened.page.getByText('Nothing found').waitFor();
  opened.session.step(1);
  await opened.ask('"190 degrees, for twelve minutes."');
  await opened.page.getByText(/in 4 sessions/).waitFor();
  opened.session.step(1);
  await expect.poll(() => opened.opened.length).toBe(1);
  opened.session.step(-1);
  await expect.poll(() => opened.opened.length).toBe(2);
  const [first, last] = opened.opened;
  expect(last?.place.conversation).not.toBe(first?.place.conversation);
  opened.session.step(1);
  await expect.poll(() => opened.opened[2]).toEqual(first);
});

test('what strangers wrote stays text, in titles, agents, excerpts and around a hit', async ({ search }) => {
  const opened = await search();
  const { page } = opened;
  await opened.ask('agent:*Mallory');
  await opened.row('<img src=x onerror=alert(1)>').waitFor();
  await opened.field.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.locator('.near', { hasText: '<script>alert(1)</script>' }).first().waitFor();
  expect(await page.locator('.results img, .results script, .preview img, .preview script').count()).toBe(0);
  expect(await opened.row('<img src=x').innerText()).toContain('⟨U+202E⟩');
});

test('an example is asked by a click, and nothing found offers to loosen the question', async ({
  search,
}) => {
  const opened = await search();
  const { page, field } = opened;
  await page.getByRole('button', { name: /Commands that removed files/ }).click();
  await page.getByText('4 tool calls in 4 sessions').waitFor();
  expect(await field.inputValue()).toBe('command:rm -is:denied');
  await field.fill('command:rm agent:Nobody');
  await page.getByText('Nothing found').waitFor();
  await page.getByRole('button', { name: /Without agent:Nobody/ }).click();
  await page.getByText('4 tool calls in 4 sessions').waitFor();
  expect(await field.inputValue()).toBe('command:rm');
});

test('values that occur are completed, and what is wrong is marked and refused', async ({ search }) => {
  const opened = await search();
  const { page, field } = opened;
  await field.focus();
  await page.keyboard.type('agent:');
  await page.getByRole('option', { name: 'Pickle' }).click();
  expect(await field.inputValue()).toMatch(/agent:Pickle/);
  for (const [typed, value] of [
    ['command:', 'npm'],
    ['file:oven', '"src/kitchen/oven.ts"'],
    ['args.ol', 'args.old: the argument old'],
    ['args.old:', '180'],
  ] as const) {
    await field.fill('');
    await page.keyboard.type(typed);
    await page.getByRole('option', { name: value, exact: true }).waitFor();
  }
  await field.fill('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  await field.fill('duration:soon');
  await field.press('Enter');
  await page.locator('.question-problem', { hasText: 'soon' }).waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  // What was found before stays.
  expect(await page.getByText('14 messages in 4 sessions').count()).toBe(1);
});

test('each part of a question is taken out by itself, and what is left is asked', async ({ search }) => {
  const opened = await search();
  const { page, field } = opened;
  const chips = page.getByRole('group', { name: 'Parts of the question' });
  await opened.ask('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  expect(await chips.isHidden()).toBe(true);
  await opened.ask('temperature role:assistant -agent:"Crumb"');
  await chips.waitFor();
  expect(await chips.getByRole('button').allInnerTexts()).toEqual([
    'temperature',
    'role:assistant',
    '-agent:Crumb',
  ]);
  // A question with a problem leaves the parts of the one that is answered.
  await field.fill('temperature role:assistant -agent:');
  expect(await chips.getByRole('button').count()).toBe(3);
  await chips.getByRole('button', { name: 'Ask without -agent:Crumb' }).click();
  await expect.poll(() => field.inputValue()).toBe('temperature role:assistant');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
    .toBe('Ask without role:assistant');
  await page.keyboard.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  expect(await chips.isHidden()).toBe(true);
  await expect.poll(() => field.evaluate((element) => element === document.activeElement)).toBe(true);
  await opened.ask('tool:edit_file after tool:read_file same:path');
  await chips.getByRole('button', { name: 'Ask without after tool:read_file' }).click();
  await expect.poll(() => field.inputValue()).toBe('tool:edit_file');
});

test('sessions are rows of their own, and open at once', async ({ search }) => {
  const opened = await search();
  const { page } = opened;
  await page.getByRole('combobox', { name: 'What to find' }).selectOption('sessions');
  await opened.ask('command:rm');
  await page.getByText(/^4 sessions/).waitFor();
  await opened.field.press('Enter');
  await page.keyboard.press('Enter');
  await expect.poll(() => opened.opened.length).toBe(1);
});

test('a page that comes again asks what its predecessor asked', async ({ search }) => {
  const opened = await search();
  await opened.ask('temperature');
  await opened.page.getByText('14 messages in 4 sessions').waitFor();
  await opened.page.getByRole('combobox', { name: 'Order' }).selectOption('most');
  await opened.load();
  await opened.page.getByText('14 messages in 4 sessions').waitFor();
  expect(await opened.field.inputValue()).toBe('temperature');
  expect(await opened.page.getByRole('combobox', { name: 'Order' }).inputValue()).toBe('most');
  expect(await opened.page.locator('.session-title').first().innerText()).toMatch(/^(?:Raise|Bake)/);
});

const EMPTY: SearchUpdate = {
  state: 'searching',
  problems: [],
  groups: [],
  totals: { rows: 0, sessions: 0 },
  facets: [],
  histogram: { unit: 'day', bars: [], inNoBar: 0 },
  progress: { looked: 120, of: 900 },
  unread: {
    count: 2,
    first: [
      { place: { kind: 'stored', root: '/r', conversation: 'c_torn' }, why: 'The journal cannot be read.' },
    ],
  },
  incomplete: {
    count: 1,
    first: [{ place: { kind: 'stored', root: '/r', conversation: 'c_hurt' }, damaged: 3, missingTexts: 0 }],
  },
};

test('a search that takes its time tells how far it is, what it cannot read, and ends when it is told to', async ({
  search,
}) => {
  const signals: AbortSignal[] = [];
  const slow: SearchEngine = {
    async *ask(_question, signal) {
      signals.push(signal);
      yield EMPTY;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      yield { ...EMPTY, state: 'cancelled' };
    },
    near: () => Promise.resolve([]),
    argumentValues: () => Promise.resolve({}),
  };
  const opened = await search({ engine: slow });
  const { page, field } = opened;
  await opened.ask('anything');
  await page.getByText('120 / 900').waitFor();
  expect(await page.getByRole('progressbar', { name: 'Search' }).getAttribute('aria-valuenow')).toBe('120');
  await page.getByRole('button', { name: /2 sessions could not be read/ }).click();
  await page.getByText('The journal cannot be read.').waitFor();
  await page.getByText('3 damaged places').waitFor();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByText('stopped after 120 of 900 sessions').waitFor();
  await expect.poll(() => signals.map(({ aborted }) => aborted)).toEqual([true]);
  // The next key ends what is being looked for, before anything else is asked.
  await opened.ask('something');
  await page.getByText('120 / 900').waitFor();
  await field.press('End');
  await field.press('x');
  await expect.poll(() => signals[1]?.aborted).toBe(true);
});

test('a search that fails says why', async ({ search }) => {
  const broken: SearchEngine = {
    async *ask() {
      await Promise.resolve();
      throw new Error('The folder of the conversations is away.');
    },
    near: () => Promise.resolve([]),
    argumentValues: () => Promise.resolve({}),
  };
  const opened = await search({ engine: broken });
  await opened.ask('anything');
  await opened.page.getByText('The folder of the conversations is away.').waitFor();
  opened.complaints.length = 0;
});

test('where there are no conversations, the page says what to do', async ({ search }) => {
  const opened = await search({ conversations: 0 });
  await opened.page.getByText('No conversations yet').waitFor();
});

test('a question is saved, asked again, linked to and removed, and its history outlives the page', async ({
  search,
}) => {
  const opened = await search();
  const { page, field } = opened;
  const menu = page.getByTitle('Saved questions');
  await opened.ask('temperature');
  await page.getByText('14 messages in 4 sessions').waitFor();
  await field.press('Enter');
  await menu.click();
  await page.getByRole('textbox', { name: 'Name of this question' }).fill('How warm');
  await page.getByText('Save in this workspace').click();
  await page.getByText('Saved as “How warm”.').waitFor();
  await menu.click();
  await page.getByText('Copy link').click();
  await page.getByText('The link is copied.').waitFor();
  expect(opened.copied).toEqual(['messages temperature']);
  await opened.ask('');
  await opened.settled();
  await opened.load();
  await menu.click();
  const dialog = page.getByRole('dialog', { name: 'Saved questions' });
  expect(await dialog.innerText()).toContain('in this workspace');
  await dialog.getByRole('button', { name: /^How warm/ }).click();
  await page.getByText('14 messages in 4 sessions').waitFor();
  expect(await field.inputValue()).toBe('temperature');
  await menu.click();
  await dialog.getByTitle('Remove How warm').click();
  await opened.settled();
  await menu.click();
  expect(await dialog.innerText()).toContain('None yet.');
  expect(await dialog.innerText()).toContain('Asked before');
});
