import { expect } from 'vitest';
import { MemoryFilters } from '../support/memoryFilters.js';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import type { PanelPage } from './support/panelPage.js';
import { panelTest } from './support/panelTest.js';

async function type(panel: PanelPage, text: string): Promise<void> {
  await panel.page.locator('.filter-text input').fill(text);
}

/** Resolves when the count beside the filter says so. */
async function counted(panel: PanelPage, words: string): Promise<void> {
  await expect.poll(() => panel.page.locator('.count').textContent()).toBe(words);
}

/** Ticks boxes of one of the menus of the filter. */
async function tick(panel: PanelPage, menu: string, ...names: string[]): Promise<void> {
  await panel.page.locator('.facet', { hasText: menu }).click();
  for (const name of names)
    await panel.page.locator('.popover:popover-open vscode-checkbox', { hasText: name }).click();
  await panel.page.keyboard.press('Escape');
}

panelTest('a text is found in what was said, marked, counted, and walked through', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'zoneddatetime');
  await counted(panel, '3 of 48');
  await panel.settled();
  expect(await panel.page.locator('.row:not(:has(mark))').allInnerTexts()).toEqual([]);
  expect(new Set(await panel.page.locator('mark').allInnerTexts())).toEqual(new Set(['ZonedDateTime']));
  const selected = panel.page.locator('.row.selected');
  const at = () => selected.getAttribute('aria-posinset');
  await panel.page.getByTitle('Next match (F3)').click();
  expect(await at()).toBe('1');
  await panel.page.getByTitle('Next match (F3)').click();
  expect(await at()).toBe('2');
  await panel.page.getByTitle('Previous match (Shift+F3)').click();
  await panel.page.getByTitle('Previous match (Shift+F3)').click();
  expect(await at()).toBe('3');
});

panelTest('upper and lower case are told apart when asked', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'temporal');
  await counted(panel, '4 of 48');
  await panel.page.getByTitle('Match case (Alt+C)').click();
  await counted(panel, '1 of 48');
  expect(await panel.page.getByTitle('Match case (Alt+C)').getAttribute('aria-pressed')).toBe('true');
});

panelTest('a pattern filters, and what it matched is marked', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.getByTitle('Use a regular expression (Alt+R)').click();
  await type(panel, 'expected \\d{3} but got \\d{3}');
  await counted(panel, '1 of 48');
  await panel.page.locator('mark', { hasText: 'expected 409 but got 422' }).waitFor();
});

panelTest(
  'a pattern that cannot be used is explained below the field, and hides nothing',
  async ({ open }) => {
    const panel = await open({ story: teamStory() });
    await panel.page.getByTitle('Use a regular expression (Alt+R)').click();
    await type(panel, '(unclosed');
    const problem = panel.page.locator('.problem');
    await problem.waitFor();
    expect(await problem.innerText()).toMatch(/^Invalid regex pattern: .*Unterminated group/);
    expect(await problem.getAttribute('role')).toBe('alert');
    expect(await panel.page.locator('.row').count()).toBeGreaterThan(5);
    await type(panel, '(closed)');
    await problem.waitFor({ state: 'hidden' });
  },
);

panelTest('roles, agents, tools and errors narrow the list together', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await tick(panel, 'Agents', 'coder', 'reviewer');
  await counted(panel, '12 of 48');
  await tick(panel, 'Tools', 'run_command');
  await counted(panel, '2 of 48');
  await panel.page.locator('.facet', { hasText: 'Errors' }).click();
  await counted(panel, '1 of 48');
  await panel.row('run_command').waitFor();
  await panel.page.getByTitle('Clear the filter (Escape)').click();
  await tick(panel, 'Roles', 'system');
  await counted(panel, '1 of 48');
});

panelTest('a filter that finds nothing says so and can be left', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'no such text anywhere');
  await panel.page.getByText('Nothing matches this filter').waitFor();
  await panel.page.locator('.empty vscode-button').click();
  await panel.row('The nightly export').waitFor();
});

panelTest('a filter is kept under a name, used again, and removed', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'epoch');
  const menu = panel.page.locator('vscode-button[aria-label="Saved filters"]');
  await menu.click();
  await panel.page.locator('.save-line input').fill('about time');
  await panel.page.locator('.save-line vscode-button').click();
  await panel.page.getByText('Saved as “about time”.').waitFor();
  await panel.page.getByTitle('Clear the filter (Escape)').click();
  await menu.click();
  await panel.page.locator('.saved-name', { hasText: 'about time' }).click();
  await counted(panel, '10 of 48');
  await menu.click();
  await panel.page.locator('vscode-button[aria-label="Remove about time"]').click();
  await menu.click();
  await panel.page.getByText('None yet.').waitFor();
});

panelTest('the filter survives switching to another transcript, and can be used there', async ({ open }) => {
  const filters = new MemoryFilters();
  const panel = await open({ story: teamStory(), filters });
  await type(panel, 'needle');
  await panel.page.getByText('Nothing matches this filter').waitFor();
  await panel.leftBehind(/needle/);
  await panel.hide();
  const other = new StoryTeller('20261122-000000-00000000');
  other.run('searcher', 'Find it').say('Here is the needle, and the straw.');
  const second = await open({ story: other, filters });
  await second.page.locator('vscode-button[aria-label="Saved filters"]').click();
  await second.page.locator('.saved-name', { hasText: 'Used last' }).click();
  await counted(second, '1 of 3');
  expect(await second.page.locator('mark').allInnerTexts()).toEqual(['needle']);
  await panel.load();
  await counted(panel, '0 of 48');
  expect(await panel.page.locator('.filter-text input').inputValue()).toBe('needle');
});

panelTest('a filter that is set in the moment in which the panel is hidden is not lost', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.evaluate(() => {
    const field = document.querySelector<HTMLElement & { value: string }>('.filter-text');
    if (!field) throw new Error('There is no field.');
    field.value = 'epoch';
    field.dispatchEvent(new Event('input'));
    // Nothing of the page runs any more after this turn, as when VS Code takes it away.
    const stop = window as unknown as { keepState: unknown };
    stop.keepState = () => undefined;
  });
  await panel.hide();
  await panel.load();
  expect(await panel.page.locator('.filter-text input').inputValue()).toBe('epoch');
  await counted(panel, '10 of 48');
});

panelTest('the next key cancels what the last one asked', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.locator('.filter-text input').pressSequentially('epoch', { delay: 0 });
  await counted(panel, '10 of 48');
  expect(panel.scans.length).toBeGreaterThan(0);
  expect(panel.scans.slice(0, -1).every(({ aborted }) => aborted)).toBe(true);
});

panelTest('a match is shown among its neighbours, without the filter', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, '422 but');
  await type(panel, 'got 422');
  await counted(panel, '1 of 48');
  await panel.row('got 422').hover();
  await panel.page.getByTitle('Show among its neighbours').first().click();
  await panel.row('A small change at the one call.').waitFor();
  expect(await panel.page.locator('.filter-text input').inputValue()).toBe('');
  await panel.page.locator('.row.selected', { hasText: 'run_command' }).waitFor();
});
