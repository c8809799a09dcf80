import { expect } from 'vitest';
import { memoryQuestions } from '../support/memoryQuestions.js';
import { StoryTeller } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import type { PanelPage } from './support/panelPage.js';
import { panelTest } from './support/panelTest.js';

const field = (panel: PanelPage) =>
  panel.page.getByRole('combobox', { name: 'Question about this transcript' });

async function type(panel: PanelPage, text: string): Promise<void> {
  await field(panel).fill(text);
}

/** Resolves when the count beside the question says so. */
async function counted(panel: PanelPage, words: string): Promise<void> {
  await expect.poll(() => panel.page.locator('.count').textContent()).toBe(words);
}

/** Ticks boxes of one of the menus of the bar. */
async function tick(panel: PanelPage, menu: string, ...names: string[]): Promise<void> {
  await panel.page.locator('.facet', { hasText: menu }).click();
  for (const name of names)
    await panel.page.locator('.popover:popover-open vscode-checkbox', { hasText: name }).click();
  await panel.page.keyboard.press('Escape');
}

const written = (panel: PanelPage) => field(panel).inputValue();

panelTest('a text is found in what was said, marked, counted, and walked through', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'zoneddatetime');
  await counted(panel, '3 of 48 rows');
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
  await counted(panel, '4 of 48 rows');
  await type(panel, 'text:=temporal');
  await counted(panel, '1 of 48 rows');
  await panel.settled();
  const marked = await panel.page.locator('mark').allInnerTexts();
  expect(marked.filter((mark) => mark !== 'temporal')).toEqual([]);
});

panelTest('a pattern finds, and what it matched is marked', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, '/expected \\d{3} but got \\d{3}/');
  await counted(panel, '1 of 48 rows');
  await panel.page.locator('mark', { hasText: 'expected 409 but got 422' }).waitFor();
});

panelTest(
  'what is wrong is underlined where it is and told in words, while the last answer stays',
  async ({ open }) => {
    const panel = await open({ story: teamStory() });
    await type(panel, 'epoch');
    await counted(panel, '10 of 48 rows');
    await type(panel, 'epoch agnt:coder');
    const problem = panel.page.locator('.question-problem');
    await problem.waitFor();
    expect(await problem.innerText()).toMatch(/There is no field 'agnt'.*Still shown: what epoch finds\./s);
    expect(await problem.getAttribute('role')).toBe('alert');
    expect(await panel.page.locator('.question-wrong').allInnerTexts()).toEqual(['agnt:']);
    expect(await field(panel).getAttribute('aria-invalid')).toBe('true');
    expect(await field(panel).getAttribute('aria-errormessage')).toBe(await problem.getAttribute('id'));
    await counted(panel, '10 of 48 rows');
    await panel.page.locator('.question-fix', { hasText: 'Write agent:' }).click();
    expect(await written(panel)).toBe('epoch agent:coder');
    await problem.waitFor({ state: 'hidden' });
    expect(await field(panel).getAttribute('aria-invalid')).toBe('false');
  },
);

panelTest('a pattern that does not end is given up with words, at its place', async ({ open }) => {
  const story = teamStory();
  story.run('planner', 'Go on').say(`${'x'.repeat(60)}!`);
  const panel = await open({ story });
  await type(panel, 'epoch');
  await counted(panel, '10 of 51 rows');
  await type(panel, 'role:assistant /^(x+x+)+y/');
  const problem = panel.page.locator('.question-problem');
  await problem.waitFor();
  expect(await problem.innerText()).toContain('The pattern takes too long on this text.');
  expect(await panel.page.locator('.question-wrong').innerText()).toBe('/^(x+x+)+y/');
  await counted(panel, '10 of 51 rows');
});

panelTest('menus write into the question, and show what it says', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await tick(panel, 'Agents', 'coder', 'reviewer');
  await counted(panel, '14 of 48 rows');
  expect(await written(panel)).toBe('agent:(coder OR reviewer)');
  await tick(panel, 'Tools', 'run_command');
  await counted(panel, '2 of 48 rows');
  await panel.page.locator('.facet', { hasText: 'Errors' }).click();
  await counted(panel, '1 of 48 rows');
  expect(await written(panel)).toBe('agent:(coder OR reviewer) tool:run_command is:error');
  await panel.row('run_command').waitFor();
  await type(panel, '  -tool:edit_file   AGENT:c*  ');
  await expect
    .poll(() => panel.page.locator('.facet', { hasText: 'Agents' }).innerText())
    .toMatch(/Agents\s*1/);
  expect(await panel.page.locator('.facet', { hasText: 'Errors' }).getAttribute('aria-pressed')).toBe(
    'false',
  );
  await panel.page.locator('.facet', { hasText: 'Errors' }).click();
  expect(await written(panel)).toBe('  -tool:edit_file   AGENT:c* is:error  ');
  await panel.page.getByTitle('Clear the question (Escape)').click();
  await tick(panel, 'Roles', 'system');
  await counted(panel, '1 of 48 rows');
});

panelTest('text, menus and the parts of a question are one', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const parts = panel.page.getByRole('group', { name: 'Parts of the question' });
  const shown = () => parts.getByRole('button').allInnerTexts();
  await type(panel, 'epoch');
  await counted(panel, '10 of 48 rows');
  await tick(panel, 'Agents', 'coder', 'reviewer');
  await expect.poll(shown).toEqual(['epoch', 'agent:(coder OR reviewer)']);
  await panel.page.locator('.facet', { hasText: 'Errors' }).click();
  await expect.poll(shown).toEqual(['epoch', 'agent:(coder OR reviewer)', 'is:error']);
  // What is wrong has no parts; those of the question that is answered stay.
  await type(panel, `${await written(panel)} -agent:`);
  expect(await shown()).toHaveLength(3);
  await parts.getByRole('button', { name: 'Ask without agent:(coder OR reviewer)' }).click();
  await expect.poll(() => written(panel)).toBe('epoch is:error');
  expect(await panel.page.locator('.facet', { hasText: 'Agents' }).innerText()).not.toMatch(/\d/);
  const focused = () => panel.page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await expect.poll(focused).toBe('Ask without is:error');
  await panel.page.keyboard.press('Enter');
  await expect.poll(() => written(panel)).toBe('epoch');
  await counted(panel, '10 of 48 rows');
  await parts.waitFor({ state: 'hidden' });
  await expect.poll(focused).toBe('Question about this transcript');
});

panelTest('a menu changes nothing while something is wrong, and says so', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'agent:coder (');
  await panel.page.locator('.facet', { hasText: 'Errors' }).click();
  await panel.page.getByText('First mend what is wrong with the question.').waitFor();
  expect(await written(panel)).toBe('agent:coder (');
});

panelTest('what may stand in a question is offered, and chosen by keys alone', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await page.keyboard.press('/');
  await page.keyboard.type('ag');
  const options = page.locator('.question-option');
  expect(await options.allInnerTexts()).toEqual([expect.stringContaining('agent:')]);
  expect(await field(panel).getAttribute('aria-expanded')).toBe('true');
  await page.keyboard.press('ArrowDown');
  const active = await field(panel).getAttribute('aria-activedescendant');
  expect(await options.first().getAttribute('id')).toBe(active);
  expect(await options.first().getAttribute('aria-selected')).toBe('true');
  await page.keyboard.press('Enter');
  expect(await written(panel)).toBe('agent:');
  await expect.poll(() => options.allInnerTexts()).toContain('coder');
  await page.keyboard.type('cod');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  expect(await written(panel)).toBe('agent:coder');
  expect(await field(panel).getAttribute('aria-expanded')).toBe('false');
  await page.keyboard.type(' tool:');
  await expect.poll(() => options.allInnerTexts()).toContain('run_command');
  await page.keyboard.press('Escape');
  expect(await options.count()).toBe(0);
  expect(await written(panel)).toBe('agent:coder tool:');
  await page.keyboard.press('Control+Space');
  await expect.poll(() => options.allInnerTexts()).toContain('run_command');
});

panelTest('files and programs that occur are offered too', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await panel.page.keyboard.press('/');
  await panel.page.keyboard.type('file:src');
  await expect
    .poll(() => panel.page.locator('.question-option').allInnerTexts())
    .toContain('"src/export/invoices.ts"');
});

panelTest('what a part asks for is told where the caret or the pointer is', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await type(panel, 'is:error tokens:>1000');
  const words = page.locator('.question-description');
  await words.waitFor({ state: 'hidden' });
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => words.innerText()).toContain('It holds where tokens are more than 1000.');
  expect(await field(panel).getAttribute('aria-describedby')).toBe(await words.getAttribute('id'));
  for (let at = 0; at < 14; at++) await page.keyboard.press('ArrowLeft');
  await expect.poll(() => words.innerText()).toContain('It holds where it is an error.');
  await page.keyboard.press('Escape');
  await words.waitFor({ state: 'hidden' });
  const box = await field(panel).boundingBox();
  await page.mouse.move((box?.x ?? 0) + 14 * 7.5, (box?.y ?? 0) + 10);
  await expect.poll(() => words.innerText()).toContain('tokens are more than 1000');
});

panelTest(
  'the same question is asked of other rows, and it is clear what is shown for them',
  async ({ open }) => {
    const panel = await open({ story: teamStory() });
    const rows = panel.page.getByRole('combobox', { name: 'What to find' });
    expect(await rows.locator('option').allInnerTexts()).toEqual([
      'Everything',
      'Messages',
      'Tool calls',
      'Agent calls',
      'Runs',
    ]);
    await type(panel, 'is:error');
    await rows.selectOption('Tool calls');
    await expect.poll(() => panel.page.locator('.count').textContent()).toMatch(/^\d+ of \d+ tool calls$/);
    await panel.settled();
    expect(await panel.page.locator('.row:not(:has(.card))').count()).toBe(0);
    await rows.selectOption('Agent calls');
    await expect
      .poll(() => panel.page.locator('.count').textContent())
      .toMatch(/^\d+ of \d+ calls of agents$/);
    await panel.page.getByText('Of each call of an agent that was found').waitFor();
    await rows.selectOption('Runs');
    await expect.poll(() => panel.page.locator('.count').textContent()).toMatch(/^\d+ of \d+ runs$/);
    await rows.selectOption('Messages');
    await expect.poll(() => panel.page.locator('.count').textContent()).toMatch(/^\d+ of \d+ messages$/);
    expect(await written(panel)).toBe('is:error');
  },
);

panelTest('order and tree are answered, and again as the transcript grows', async ({ open }) => {
  const story = new StoryTeller('20261122-000000-00000000');
  const call = story.run('baker', 'Bake');
  call.useTool('read_file', { path: 'a.md' }, 'text');
  call.useTool('edit_file', { path: 'a.md' }, 'done');
  const panel = await open({ story });
  await panel.page.getByRole('combobox', { name: 'What to find' }).selectOption('Tool calls');
  await type(panel, 'tool:edit_file after tool:read_file same:path');
  await counted(panel, '1 of 2 tool calls');
  const before = story.records.length;
  call.useTool('edit_file', { path: 'a.md' }, 'again');
  panel.transcript.append(story.records.slice(before));
  await counted(panel, '2 of 3 tool calls');
});

panelTest('questions that were asked come back by the arrow keys', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  for (const text of ['epoch', 'is:error']) {
    await type(panel, text);
    await field(panel).press('Enter');
    await panel.settled();
  }
  await type(panel, '');
  await panel.page.keyboard.press('ArrowUp');
  await expect.poll(() => written(panel)).toBe('is:error');
  await panel.page.keyboard.press('ArrowUp');
  expect(await written(panel)).toBe('epoch');
  await counted(panel, '10 of 48 rows');
  await panel.page.keyboard.press('ArrowDown');
  await panel.page.keyboard.press('ArrowDown');
  expect(await written(panel)).toBe('');
});

panelTest('a question that finds nothing says so and can be left', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'no such text anywhere');
  await panel.page.getByText('Nothing was found').waitFor();
  await panel.page.locator('.empty vscode-button').click();
  await panel.row('The nightly export').waitFor();
});

panelTest('a question is kept under a name, used again, and removed', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'epoch');
  const menu = panel.page.locator('vscode-button[aria-label="Saved questions"]');
  await menu.click();
  await panel.page.locator('.save-line input').fill('about time');
  await panel.page.locator('.save-line vscode-button', { hasText: 'Save in this workspace' }).click();
  await panel.page.getByText('Saved as “about time”.').waitFor();
  await panel.page.getByTitle('Clear the question (Escape)').click();
  await menu.click();
  await panel.page.locator('.saved-name', { hasText: 'about time' }).click();
  await counted(panel, '10 of 48 rows');
  await menu.click();
  await panel.page.locator('vscode-button[aria-label="Remove about time"]').click();
  await panel.settled();
  await menu.click();
  await panel.page.getByText('None yet.').waitFor();
});

panelTest('a link to the question is copied, and a link sets it', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, 'epoch');
  await panel.page.locator('vscode-button[aria-label="Saved questions"]').click();
  await panel.page.locator('.save-line vscode-button', { hasText: 'Copy link' }).click();
  expect(await panel.wasDone('copyLink')).toBe('copyLink records epoch');
  panel.session.show({ tab: 'messages', question: { text: 'is:error', rows: 'messages' } });
  await expect.poll(() => written(panel)).toBe('is:error');
  await expect.poll(() => panel.page.locator('.count').textContent()).toMatch(/messages$/);
});

panelTest(
  'the question survives switching to another transcript, and can be used there',
  async ({ open }) => {
    const questions = memoryQuestions();
    const panel = await open({ story: teamStory(), questions });
    await type(panel, 'needle');
    await panel.page.getByText('Nothing was found').waitFor();
    await panel.page.keyboard.press('ArrowDown');
    await panel.leftBehind(/needle/);
    await expect.poll(() => questions.known().recent.length).toBe(1);
    await panel.hide();
    const other = new StoryTeller('20261122-000000-00000000');
    other.run('searcher', 'Find it').say('Here is the needle, and the straw.');
    const second = await open({ story: other, questions });
    await second.page.locator('vscode-button[aria-label="Saved questions"]').click();
    await second.page.locator('.saved-name', { hasText: 'needle' }).click();
    await counted(second, '1 of 3 rows');
    await second.settled();
    expect(await second.page.locator('mark').allInnerTexts()).toEqual(['needle']);
    await panel.load();
    await counted(panel, '0 of 48 rows');
    expect(await written(panel)).toBe('needle');
  },
);

panelTest(
  'a question that is asked in the moment in which the panel is hidden is not lost',
  async ({ open }) => {
    const panel = await open({ story: teamStory() });
    await panel.page.evaluate(() => {
      const input = document.querySelector<HTMLInputElement>('.question-input');
      if (!input) throw new Error('There is no field.');
      input.value = 'epoch';
      input.dispatchEvent(new Event('input'));
      // Nothing of the page runs any more after this turn, as when VS Code takes it away.
      const stop = window as unknown as { keepState: unknown };
      stop.keepState = () => undefined;
    });
    await panel.hide();
    await panel.load();
    expect(await written(panel)).toBe('epoch');
    await counted(panel, '10 of 48 rows');
  },
);

panelTest('the next key cancels what the last one asked', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await field(panel).pressSequentially('epoch', { delay: 0 });
  await counted(panel, '10 of 48 rows');
  expect(panel.scans.length).toBeGreaterThan(0);
  expect(panel.scans.slice(0, -1).every(({ aborted }) => aborted)).toBe(true);
});

panelTest('a match is shown among its neighbours, without the question', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  await type(panel, '"got 422"');
  await counted(panel, '1 of 48 rows');
  await panel.row('got 422').hover();
  await panel.page.getByTitle('Show among its neighbours').first().click();
  await panel.row('A small change at the one call.').waitFor();
  expect(await written(panel)).toBe('');
  await panel.page.locator('.row.selected', { hasText: 'run_command' }).waitFor();
});
