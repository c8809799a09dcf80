import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { parseArchiveAddress } from '../../src/archive/archiveAddress.js';
import { ArchiveConnection } from '../../src/archive/archiveConnection.js';
import { checkSchema } from '../../src/archive/archiveSchema.js';
import { OWNER, PASSWORD, PostgresServer } from '../support/postgresServer.js';
import { pushTo } from '../support/pushedArchive.js';
import { recordOf, said } from '../support/storeFixture.js';
import { STORY_START } from '../support/storyTeller.js';
import { teamStory } from '../support/teamStory.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const server = await PostgresServer.start();
afterAll(() => server.remove());

const HOUR = 3_600_000;

/** What colleagues have pushed: more conversations than one page of the list, and a long one. */
async function fill(): Promise<void> {
  const connection = await ArchiveConnection.open(parseArchiveAddress(server.address('postgres', OWNER)), {
    password: () => Promise.resolve(PASSWORD),
  });
  await checkSchema(connection, true);
  const now = Date.now();
  for (let number = 1; number <= 104; number++) {
    const id = `shift-${number}`;
    const records = [
      recordOf(1, said(`Open the bakery, day ${number}`, 'user'), id),
      recordOf(2, said('Done.'), id),
    ];
    const at = now - (number + 30) * HOUR;
    const timed = records.map((record, index) => ({ ...record, time: at + index }));
    await pushTo(connection, id, timed, { title: `Shift ${number}`, project: 'bakery' });
  }
  const story = teamStory();
  const begun = now - 2 * HOUR - STORY_START;
  const told = story.records.map((record) => ({
    ...record,
    conversation: 'oven',
    time: record.time + begun,
  }));
  await pushTo(connection, 'oven', told, {
    title: 'Repair the oven [x](command:evil)',
    source: 'codex',
    project: 'bakery',
  });
  const long = Array.from({ length: 1_500 }, (_, at) => ({
    ...recordOf(
      at + 1,
      said(at === 1_400 ? 'Where is the marzipan?' : `Loaf ${at + 1}`, at % 2 ? 'assistant' : 'user'),
      'loaves',
    ),
    time: now - 24 * HOUR + at,
  }));
  await pushTo(connection, 'loaves', long, { title: 'A thousand loaves' });
  await connection.close();
}

const test = uiTest({
  machineSettings: { 'agentLogbook.archive.address': server.address('postgres', OWNER) },
  prepare: async (folder) => {
    await fill();
    await keepStories(folder, [{ title: 'Nightly export', daysAgo: 0, story: teamStory() }]);
  },
});

const row = (workbench: Workbench, label: string) =>
  workbench.page.locator(`.pane-body .monaco-list-row[aria-label*="${label}"]`).first();

test('without a password the view says what to do, and lists the archive once there is one', async ({
  workbench,
}) => {
  await workbench.showOnly('Sessions');
  await workbench.unfold(row(workbench, 'Archive'));
  await row(workbench, 'Set Archive Password…').waitFor();
  const message = workbench.page
    .locator('.pane-body .monaco-list-row', { hasText: /needs a password|password/ })
    .first();
  await message.waitFor();
  await workbench.screenshot(join(pictures, 'archive-refused.png'));
  await row(workbench, 'Set Archive Password…').click();
  await workbench.quickInput.answer(PASSWORD);
  await row(workbench, 'Repair the oven').waitFor();
  await row(workbench, 'A thousand loaves').waitFor();
  await expect.poll(() => message.count()).toBe(0);
  await workbench.screenshot(join(pictures, 'archive-listed.png'));
});

test('more of it is listed when a person asks for it', async ({ workbench }) => {
  const { page } = workbench;
  await row(workbench, 'A thousand loaves').click();
  await workbench.tab('A thousand loaves').waitFor();
  await workbench.focusView('Sessions');
  await page.keyboard.press('End');
  await row(workbench, 'Show More…').click();
  await workbench.focusView('Sessions');
  await page.keyboard.press('End');
  await row(workbench, 'Shift 104').waitFor();
  // A key that comes while the list is drawn anew goes nowhere.
  const toTop = async () => {
    await page.keyboard.press('Home');
    return row(workbench, 'Repair the oven').isVisible();
  };
  await expect.poll(toTop).toBe(true);
});

test('a conversation opens from the archive, and says where it is', async ({ workbench }) => {
  await workbench.closeEditors();
  await row(workbench, 'Repair the oven').click();
  await workbench.tab(/Repair the oven/).waitFor();
  const transcript = workbench.webview();
  await transcript.locator('.row').first().waitFor();
  await transcript.getByText('it can be read and exported, but not continued').waitFor();
  await workbench.screenshot(join(pictures, 'archive-opened.png'));
  await workbench.closeEditors();
});

test('the search asks it where a person wants that, and opens what it finds where it is', async ({
  workbench,
}) => {
  const { page } = workbench;
  const field = await workbench.openSearch();
  await field.fill('marzipan');
  const search = workbench.searchView();
  await search.getByText('Nothing found').waitFor();
  await search.getByRole('checkbox', { name: 'Search the archive too' }).click();
  await search.locator('.result-hit', { hasText: 'marzipan' }).waitFor();
  await search.locator('.session-facts', { hasText: 'archive' }).waitFor();
  await workbench.screenshot(join(pictures, 'archive-searched.png'));
  await field.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await workbench.tab('A thousand loaves').waitFor();
  await workbench.webview().locator('mark', { hasText: 'marzipan' }).waitFor();
  for (const theme of ['Light Modern', 'Dark Modern']) {
    await workbench.chooseTheme(theme);
    await workbench.pointAt(search.locator('.result-hit', { hasText: 'marzipan' }));
    await workbench.screenshot(join(pictures, `archive-found-${theme.split(' ')[0]?.toLowerCase()}.png`));
  }
});

test('a transcript of the archive is compared with one that is here', async ({ workbench }) => {
  await workbench.closeEditors();
  await workbench.view('Agent Logbook');
  await workbench.showOnly('Sessions');
  await workbench.fromMenu(row(workbench, 'Nightly export'), 'Select for Compare');
  await workbench.fromMenu(row(workbench, 'Repair the oven'), 'Compare with Selected');
  const comparison = workbench.webview();
  await comparison.locator('.compare-sentence', { hasText: /same|alike/ }).waitFor();
  await workbench.screenshot(join(pictures, 'archive-compared.png'));
  await comparison
    .getByText(/^\d+ steps alike$/)
    .first()
    .click();
  await comparison.locator('[aria-label^="Open the right transcript"]').first().click();
  await workbench.tab(/Repair the oven/).waitFor();
  await workbench.closeEditors();
  await row(workbench, 'A thousand loaves').click();
  await workbench.tab('A thousand loaves').waitFor();
});

test('what was open of the archive waits for it after a reload, and is there again', async ({
  workbench,
}) => {
  await workbench.keptForReload(/editorpart\.state.*"archived"/);
  await workbench.reload();
  await workbench.tab('A thousand loaves').click();
  // The keychain of this VS Code is in memory, and gone with the page.
  const away = workbench.webview().locator('main', { hasText: 'cannot be read from the archive now' });
  await away.getByText('wants another password').waitFor();
  await workbench.screenshot(join(pictures, 'archive-panel-away.png'));
  await workbench.command('Agent Logbook: Set Archive Password…');
  await workbench.quickInput.answer(PASSWORD);
  await away.getByRole('link', { name: 'Try Again' }).click();
  const transcript = workbench.webview();
  await transcript.getByText('it can be read and exported, but not continued').waitFor();
  // Where one was in it is kept when the page next says so, which a reload may come before.
  await transcript
    .locator('.row', { hasText: /Loaf \d|marzipan/ })
    .first()
    .waitFor();
  await workbench.screenshot(join(pictures, 'archive-panel-again.png'));
});

test('an archive that is away is told beside what is found here, and in its view', async ({ workbench }) => {
  await server.stop();
  const field = await workbench.openSearch();
  await field.fill('export');
  const search = workbench.searchView();
  await search.locator('.result-hit').first().waitFor();
  await search.getByText('The archive is missing here. No server answers').waitFor();
  await workbench.screenshot(join(pictures, 'archive-away-search.png'));
  await workbench.showOnly('Sessions');
  await workbench.unfold(row(workbench, 'Archive'));
  await workbench.command('Agent Logbook: Refresh Archive');
  await row(workbench, 'Try Again').waitFor();
  await workbench.chooseTheme('Light Modern');
  await workbench.screenshot(join(pictures, 'archive-away.png'));
  await server.begin();
  await row(workbench, 'Try Again').click();
  await row(workbench, 'Repair the oven').waitFor();
  await workbench.screenshot(join(pictures, 'archive-light.png'));
});
