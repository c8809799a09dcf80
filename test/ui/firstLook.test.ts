import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { keepStories } from './support/pastStories.js';
import { SEARCHED } from './support/searchedStories.js';
import { pictures, uiTest } from './support/uiTest.js';

/** A trajectory as SWE-agent writes it. */
const TRAJECTORY = JSON.stringify({
  trajectory: [],
  history: [
    { role: 'system', content: 'You bake.', agent: 'main', message_type: 'system_prompt' },
    { role: 'user', content: 'Which flour is it?', agent: 'main', message_type: 'observation' },
    { role: 'assistant', content: 'It is rye.', agent: 'main', message_type: 'action' },
  ],
  info: {},
});

const test = uiTest({
  prepare: async (folder) => {
    await keepStories(folder, SEARCHED);
    await writeFile(join(folder, 'bread.traj'), TRAJECTORY);
    const sessions = join(folder, '.codex', 'sessions');
    await mkdir(sessions, { recursive: true });
    const said = (role: string, type: string, text: string) =>
      JSON.stringify({
        type: 'response_item',
        payload: { type: 'message', role, content: [{ type, text }] },
      });
    await writeFile(
      join(sessions, 'rollout-1.jsonl'),
      `${JSON.stringify({ type: 'session_meta', payload: { id: '2', cwd: '/mill' } })}\n${said('user', 'input_text', 'Grind the corn')}\n${said('assistant', 'output_text', 'It is ground.')}\n`,
    );
  },
});

const folder = join(pictures, 'first-look');

describe('files that are transcripts', () => {
  test('a trajectory opens as one by a double-click', async ({ workbench }) => {
    await mkdir(folder, { recursive: true });
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    await workbench.command('View: Show Explorer');
    await workbench.page
      .locator('.explorer-folders-view .monaco-list-row', { hasText: 'bread.traj' })
      .dblclick();
    await workbench.tab('bread.traj').waitFor();
    await workbench.webview().locator('.row', { hasText: 'Which flour is it?' }).first().waitFor();
    await workbench.closeEditors();
  });

  test('a session of a tool does after one question, which is asked once', async ({ workbench }) => {
    await workbench.command('Go to File...');
    await workbench.quickInput.fill('rollout-1');
    await workbench.quickInput.choose('rollout-1');
    await workbench.tab('rollout-1.jsonl').waitFor();
    await workbench.text('editor').waitFor();
    await workbench.closeEditors();
    await workbench.command('Agent Logbook: Open File as Transcript…');
    await workbench.quickInput.file(join(workbench.folder, '.codex/sessions/rollout-1.jsonl'));
    await workbench.webview().locator('.row', { hasText: 'Grind the corn' }).first().waitFor();
    const asked = await workbench.told('Open the session files of Codex as transcripts');
    await workbench.screenshot(join(folder, 'always.png'));
    await asked.getByRole('button', { name: 'Always' }).click();
    await workbench.closeEditors();
    await workbench.command('Go to File...');
    await workbench.quickInput.fill('rollout-1');
    await workbench.quickInput.choose('rollout-1');
    await workbench.webview().locator('.row', { hasText: 'Grind the corn' }).first().waitFor();
    await workbench.closeEditors();
  });
});

describe('the search', () => {
  test('has one name, and opens in an editor with what is asked in it', async ({ workbench }) => {
    const field = await workbench.openSearch();
    const { page } = workbench;
    expect(await page.locator('.sidebar .composite.title h2').innerText()).toMatch(/^Logbook Search$/i);
    const search = workbench.searchView();
    await field.fill('agnt:');
    await search.locator('.question-problem').waitFor();
    expect(await search.locator('.question-problem').innerText()).not.toContain('Still shown');
    await field.fill('temperature agent:Crumb');
    await search.getByText(/^4 messages in 4 sessions/).waitFor();
    expect(await search.locator('.refine > summary').innerText()).toMatch(/^Refine 1 chosen$/);
    await workbench.screenshot(join(folder, 'search.png'));
    await workbench.command('Agent Logbook: Open Search in Editor');
    await workbench.tab('Search: temperature agent:Crumb').waitFor();
    await workbench
      .webview()
      .getByText(/^4 messages in 4 sessions/)
      .waitFor();
    await workbench.closeEditors();
    await field.fill('');
    await search.getByText('Commands that removed files').waitFor();
    await workbench.command('Agent Logbook: Open Search in Editor');
    await workbench.webview().getByText('Commands that removed files').click();
    expect(await workbench.webview().getByRole('combobox', { name: 'Search all' }).inputValue()).toBe(
      'command:rm -is:denied',
    );
    await workbench.closeEditors();
  });

  test('a hit is marked in its menu, and compared with one that is chosen after it', async ({
    workbench,
  }) => {
    const field = await workbench.openSearch();
    const search = workbench.searchView();
    await field.fill('temperature');
    await search.getByText('14 messages in 4 sessions').waitFor();
    const hit = (text: string) => search.locator('.result', { hasText: text }).first();
    await workbench.fromMenu(hit('Why are the cookies raw?'), 'Select for Compare');
    await workbench.fromMenu(hit('Raise the temperature'), 'Compare with Selected');
    await workbench.webview().locator('.compare-sentence').waitFor();
    await workbench.screenshot(join(folder, 'search-compared.png'));
    await workbench.closeEditors();
  });
});

test('a row of the tree is marked, and compared with one that is chosen after it', async ({ workbench }) => {
  await workbench.view('Agent Logbook');
  await workbench.showOnly('Sessions');
  await workbench.unfoldGroups();
  await workbench.fromMenu(workbench.doneConversation('Why are the cookies raw?'), 'Select for Compare');
  await workbench.fromMenu(workbench.doneConversation('Bake'), 'Compare with Selected');
  await workbench.webview().locator('.compare-sentence').waitFor();
  await workbench.screenshot(join(folder, 'tree-compared.png'));
  await workbench.closeEditors();
});

test('a link to a message opens it there', async ({ workbench }) => {
  const { page } = workbench;
  await workbench.open(workbench.doneConversation('Why are the cookies raw?'), 'Why are the cookies raw?');
  const row = workbench.webview().locator('.row', { hasText: 'The oven is at 190 degrees now' }).last();
  await row.click();
  await page.keyboard.press('l');
  await workbench.closeEditors();
  await workbench.command('Developer: Open URL');
  await workbench.quickInput.box.waitFor();
  await page.keyboard.press('ControlOrMeta+v');
  await workbench.screenshot(join(folder, 'link.png'));
  await page.keyboard.press('Enter');
  await workbench.dialog('open this URI').getByRole('button', { name: 'Open' }).click();
  await workbench.tab('Why are the cookies raw?').waitFor();
  await workbench.webview().locator('.row.selected', { hasText: 'The oven is at 190 degrees now' }).waitFor();
  await workbench.screenshot(join(folder, 'link-opened.png'));
  await workbench.closeEditors();
});

test('formats stand in three groups', async ({ workbench }) => {
  await workbench.open(workbench.doneConversation('Bake'), 'Bake');
  const page = workbench.webview();
  await page.locator('#export').click();
  const legends = page.locator('.popover:popover-open legend');
  await expect
    .poll(() => legends.allTextContents())
    .toEqual(['To read', 'To work with', 'For other tools', 'What']);
  await workbench.screenshot(join(folder, 'export.png'));
  await workbench.page.keyboard.press('Escape');
  await workbench.command('Agent Logbook: Open Recording…');
  const told = await workbench.told('Nothing was recorded yet');
  await told.getByRole('button', { name: 'Record in a New Terminal' }).waitFor();
  expect(await told.locator('.codicon-info').count()).toBe(1);
  await workbench.screenshot(join(folder, 'no-recording.png'));
});
