import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { Outcome } from '../../src/core/record.js';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories, type PastStory } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

/** A story of one run that ends in this way, with a dispatch inside. */
function story(title: string, daysAgo: number, outcome: Outcome | 'open' = 'done'): PastStory {
  const story = new StoryTeller();
  const planner = story.run('planner', `${title}: please look into it.`);
  planner.useTool('read_file', { path: 'src/app.ts' }, 'const answer = 42;');
  const { child, call } = planner.dispatch('researcher', 'Find the reason');
  child.say('## It is the **third** `line`.');
  child.end();
  planner.answer(call, 'It is the third line.');
  planner.say('The third line was wrong.');
  if (outcome !== 'open') planner.end(outcome, outcome === 'failed' ? 'The endpoint is gone.' : undefined);
  return { title, daysAgo, story };
}

/** So slow, and so long, that it ends only when a person stops it. */
const SLOW_STEP = `
    - expect: { role: user, contains: slowly }
      text: ${'One thing after the other, and each of them with care. '.repeat(4_000)}
      delayMs: 200
`;

const test = uiTest({
  prepare: async (folder) => {
    const script = join(folder, 'agents.script.yaml');
    const text = await readFile(script, 'utf8');
    await writeFile(script, text.replace('\n  Pickle:', `\n  Pickle:${SLOW_STEP}`));
    await keepStories(folder, [
      story('Invoices are late', 0),
      story('The endpoint fell over', 0, 'failed'),
      story('Nobody waited', 1, 'cancelled'),
      story('Too many steps', 1, 'limited'),
      story('The power went', 2, 'open'),
      story('Last week: the shop', 7),
    ]);
  },
});

/** Presses one of the buttons that a row shows while it is pointed at. */
async function pressOn(workbench: Workbench, label: string, name: string): Promise<void> {
  const row = workbench.treeItem(label).first();
  await workbench.pointAt(row);
  await row.getByRole('button', { name }).click();
}

/** What a screen reader says of the rows of the tree, from the first group on. */
async function readAloud(workbench: Workbench): Promise<string[]> {
  const rows = workbench.treeItem(/./);
  const labels = await rows.evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
  return labels.slice(labels.findIndex((label) => label.startsWith('Today')));
}

describe('the Transcripts tree', () => {
  test('lists by day, with state, counts, tokens and cost, and says all of it to a screen reader', async ({
    workbench,
  }) => {
    await workbench.view('Agent Logbook');
    await workbench.showOnly('Sessions');
    await workbench.treeItem('Invoices are late').waitFor();
    await workbench.unfoldGroups();
    await workbench.treeItem('The power went').waitFor();
    await workbench.treeItem('Last week: the shop').waitFor();
    const counts =
      /^.*, (?:\d+ \w+, )?\d\d:\d\d · 8 messages · 1\.7k tokens · \$0\.0006 · planner, researcher$/;
    const isOther = (label: string) => !/sessions?$/.test(label) && !counts.test(label);
    // What they cost is read once they are listed.
    await expect.poll(async () => (await readAloud(workbench)).filter(isOther)).toEqual([]);
    const said = await readAloud(workbench);
    const brief = said.map((label) => label.split(', ').slice(0, 2).join(': '));
    expect(brief.slice(0, 6)).toEqual([
      'Today: 2 sessions',
      'The endpoint fell over: failed',
      'Invoices are late: done',
      'Yesterday: 2 sessions',
      'Too many steps: ended by a limit',
      'Nobody waited: cancelled',
    ]);
    // Two and seven days ago are in this week, in this month or in the last one, as the calendar has it.
    const period = /^(?:This Week|\w+ 20\d\d): [12] sessions?$/;
    expect(brief.slice(6).filter((label) => !period.test(label))).toEqual([
      'The power went: interrupted',
      'Last week: the shop: done',
    ]);
    const hover = await workbench.tooltipOf(workbench.treeItem('Invoices are late'), 'On disk:');
    expect(await hover.innerText()).toMatch(/\$0\.0006 recorded tokens times dated prices \(\d+ requests\)/);
    await workbench.screenshot(join(pictures, 'tree.png'));
  });

  test('unfolds a conversation into its runs, nested calls and turns', async ({ workbench }) => {
    await workbench.unfold(workbench.treeItem('Invoices are late').first());
    await workbench.treeItem('Invoices are late: please').waitFor();
    await workbench.unfold(workbench.treeItem(/^researcher: Find the reason/));
    await workbench.treeItem('It is the third line.').waitFor();
    expect((await readAloud(workbench)).slice(3, 8)).toEqual([
      expect.stringMatching(
        /^Invoices are late: please look into it\., run, done, planner · 6 messages · .* s$/,
      ),
      'read_file src/app.ts, turn, 1 tool call',
      'subagent_dispatch researcher: Find the reason, turn, 1 tool call',
      expect.stringMatching(/^researcher: Find the reason, call at depth 1, done, 2 messages · .* s$/),
      'It is the third line., turn',
    ]);
    await workbench.tooltipOf(workbench.treeItem(/^researcher: Find the reason/), 'researcher (gpt-5-mini)');
    await workbench.screenshot(join(pictures, 'tree-unfolded.png'));
    await workbench.treeItem('Invoices are late').first().locator('.monaco-tl-twistie').click();
  });

  test('filters while one types, and Escape takes it back', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await workbench.focusView('Sessions');
    await page.keyboard.press('Control+F');
    await quickInput.fill('shop');
    await workbench.treeItem('Last week: the shop').waitFor();
    await workbench.treeItem('Nobody waited').waitFor({ state: 'detached' });
    await page.keyboard.press('Enter');
    await page.getByText('1 of 6 match').waitFor();
    await workbench.screenshot(join(pictures, 'tree-filtered.png'));
    await workbench.focusView('Sessions');
    await page.keyboard.press('Control+F');
    await quickInput.fill('nothing of this name');
    await page.getByText('No session matches the filter.').waitFor();
    await workbench.screenshot(join(pictures, 'tree-no-match.png'));
    await page.keyboard.press('Escape');
    await workbench.treeItem('Last week: the shop').waitFor();
    await workbench.focusView('Sessions');
    await page.keyboard.press('Escape');
    await workbench.treeItem('Nobody waited').waitFor();
  });

  test('is worked by keys alone: arrows, Enter opens, F2 renames, Delete deletes', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await workbench.focusView('Sessions');
    await workbench.walkTo(workbench.treeItem('The endpoint fell over'));
    await page.keyboard.press('Enter');
    await workbench.tab('The endpoint fell over').waitFor();
    await workbench.focusView('Sessions');
    await workbench.walkTo(workbench.treeItem('Invoices are late'));
    await page.keyboard.press('F2');
    await quickInput.answer('Invoices are paid');
    await workbench.treeItem('Invoices are paid').waitFor();
    await workbench.focusView('Sessions');
    await workbench.walkTo(workbench.treeItem('Invoices are paid'));
    await page.keyboard.press('Delete');
    await workbench.dialog('Delete "Invoices are paid"?').getByRole('button', { name: 'Delete' }).click();
    await workbench.treeItem('Invoices are paid').waitFor({ state: 'detached' });
  });

  test('keeps the focus when a row is clicked, so that its keys work on it', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await workbench.closeEditors();
    await workbench.treeItem('Too many steps').click();
    await workbench.webview().locator('.row', { hasText: 'Too many steps: please' }).waitFor();
    await page.keyboard.press('F2');
    await expect.poll(() => quickInput.box.locator('input').inputValue()).toBe('Too many steps');
    await quickInput.cancel();
    await workbench.treeItem('Too many steps').click();
    await page.keyboard.press('Delete');
    await workbench.dialog('Delete "Too many steps"?').getByRole('button', { name: 'Cancel' }).click();
  });

  test('groups by what a person chooses, and remembers it', async ({ workbench }) => {
    await workbench.command('Agent Logbook: Group Transcripts…');
    await workbench.screenshot(join(pictures, 'tree-grouping.png'));
    await workbench.quickInput.choose('By Agent');
    await workbench
      .treeItem(/^planner/)
      .first()
      .waitFor();
    await workbench.page.locator('.pane-header', { hasText: 'by agent' }).waitFor();
    await workbench.screenshot(join(pictures, 'tree-by-agent.png'));
    await workbench.keptForReload(/transcriptsGroupedBy.*agent/);
    await workbench.reload();
    await workbench
      .treeItem(/^planner/)
      .first()
      .waitFor();
    await workbench.command('Agent Logbook: Group Transcripts…');
    await workbench.quickInput.choose('By Date');
    await workbench.treeItem('Yesterday').waitFor();
  });

  test('exports and deletes several at once, after a question', async ({ workbench }) => {
    const { page, quickInput } = workbench;
    await workbench.treeItem('Too many steps').click();
    await workbench.webview().locator('.row', { hasText: 'Too many steps: please' }).waitFor();
    await workbench.treeItem('Nobody waited').click({ modifiers: ['Control'] });
    await workbench.focusView('Sessions');
    await page.keyboard.press('Control+Shift+S');
    await quickInput.choose('Markdown');
    await quickInput.choose('To files in a folder');
    await quickInput.box.getByText('Export 2 Here').click();
    await workbench.told('Exported 2 transcripts (16 messages)');
    const files = ['Nobody waited.md', 'Too many steps.md'];
    expect(await readdir(workbench.folder)).toEqual(expect.arrayContaining([...files, 'index.md']));
    const index = await readFile(join(workbench.folder, 'index.md'), 'utf8');
    for (const file of files) expect(index).toContain(`](${encodeURIComponent(file)})`);
    await workbench.focusView('Sessions');
    await page.keyboard.press('Delete');
    const question = workbench.dialog('Delete 2 conversations?');
    await question.getByText('• Too many steps').waitFor();
    await workbench.screenshot(join(pictures, 'tree-delete.png'));
    await question.getByRole('button', { name: 'Delete' }).click();
    await workbench.treeItem('Yesterday').waitFor({ state: 'detached' });
  });

  test('has buttons on its rows that open, export and delete, the last after a question', async ({
    workbench,
  }) => {
    const title = 'The endpoint fell over';
    // The exported document begins with the title too, behind a #.
    const panel = workbench.tab(/^The endpoint fell over/);
    await workbench.closeEditors();
    await pressOn(workbench, title, 'Open Transcript');
    await panel.waitFor();
    await pressOn(workbench, title, 'Export Transcript to Markdown');
    await workbench
      .tab(/Untitled-\d/)
      .first()
      .waitFor();
    await workbench.text('editor').getByText(`${title}: please look into it.`).first().waitFor();
    await pressOn(workbench, title, 'Delete Conversation');
    const question = workbench.dialog(`Delete "${title}"?`);
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await pressOn(workbench, title, 'Delete Conversation');
    await question.getByRole('button', { name: 'Delete' }).click();
    await workbench.treeItem(title).waitFor({ state: 'detached' });
    await panel.waitFor({ state: 'detached' });
  });

  test('has a button on a running conversation that stops it, and none that deletes it', async ({
    workbench,
  }) => {
    await workbench.runAgent('Pickle', 'Tell it slowly');
    const row = (state: string) =>
      workbench.page.locator(`.pane-body .monaco-list-row[aria-label^="Tell it slowly, ${state}"]`).first();
    await workbench.pointAt(row('running'));
    await row('running').getByRole('button', { name: 'Stop Run' }).waitFor();
    expect(await row('running').getByRole('button', { name: 'Delete Conversation' }).count()).toBe(0);
    await row('running').getByRole('button', { name: 'Stop Run' }).click();
    await row('cancelled').waitFor();
  });

  test('tells in a second window what goes on in the first, and that it has ended', async ({ workbench }) => {
    const second = await workbench.secondWindow();
    await second.view('Agent Logbook');
    // Which day the recorded ones are shown under depends on the day of the week, and their group may be folded.
    await second.treeItem('Today').first().waitFor();
    await workbench.runAgent('Pickle', 'Count the windows slowly.');
    const row = (state: string) =>
      second.treeItem(/./).and(second.page.locator(`[aria-label^="Count the windows slowly., ${state}"]`));
    await row('running').first().waitFor();
    await second.open(row('running').first(), 'Count the windows slowly.');
    const badge = second.webview().locator('header .badge');
    await expect.poll(() => badge.innerText()).toBe('Running');
    await second.screenshot(join(pictures, 'second-window-running.png'));
    await pressOn(workbench, 'Count the windows slowly.', 'Stop Run');
    await row('cancelled').first().waitFor();
    await expect.poll(() => badge.innerText()).toBe('Stopped');
    await second.screenshot(join(pictures, 'second-window.png'));
    await second.page.close();
  });
});
