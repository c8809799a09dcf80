import { appendFile, readdir, readFile, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { claudeSession, sessionsOfTools, writeAt } from '../support/sessionHome.js';
import { wear, WINDOW_THEMES } from './support/inEachTheme.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const HOUR = 3_600_000;
const live = '.claude/projects/-home-me-bakery/live.jsonl';

const test = uiTest({
  prepare: async (_, home) => {
    await writeAt(
      home,
      { ...sessionsOfTools['claude-code'], ...sessionsOfTools.codex },
      Date.now() - 2 * HOUR,
    );
    const [failed = ''] = await writeAt(home, {
      '.claude/projects/-home-me-mill/failed.jsonl': `${claudeSession('Turn the mill', '/home/me/mill', 'mill')}${JSON.stringify(
        { type: 'assistant', isApiErrorMessage: true, message: { content: 'Overloaded' } },
      )}\n`,
    });
    const yesterday = (Date.now() - 20 * HOUR) / 1000;
    await utimes(failed, yesterday, yesterday);
  },
});

/** A line of the live session. */
const line = (value: object) =>
  `${JSON.stringify({ sessionId: '1', timestamp: new Date().toISOString(), ...value })}\n`;
const asks = (id: string) =>
  line({
    type: 'assistant',
    message: {
      id,
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        {
          type: 'tool_use',
          id,
          name: 'AskUserQuestion',
          input: { questions: [{ question: 'With sugar?' }] },
        },
      ],
    },
  });
const answers = (id: string) =>
  line({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'Yes' }] },
  });

const row = (workbench: Workbench, label: string) =>
  workbench.page.locator(`.pane-body .monaco-list-row[aria-label*="${label}"]`).first();

test('says what there is, and leads from the icon to a live session in two clicks', async ({ workbench }) => {
  await writeAt(workbench.home, {
    [live]:
      claudeSession('Whip the cream', '/home/me/bakery', 'cream') +
      line({ type: 'user', uuid: 'u1b', message: { role: 'user', content: 'Faster' } }),
  });
  await workbench.activityBarItem('Agent Logbook').click();
  await workbench.page.getByText('Claude Code and Codex keep sessions on this machine.').waitFor();
  await workbench.screenshot(join(pictures, 'sessions-welcome.png'));
  await row(workbench, 'Show the sessions of Claude Code and Codex').click();
  await row(workbench, 'Whip the cream, working, Claude Code').click();
  await workbench.tab('live.jsonl').waitFor();
  await workbench.webview().locator('.row', { hasText: 'Whip the cream' }).first().waitFor();
  await row(workbench, 'Live, 1 session').waitFor();
  for (const listed of ['Bake a cake, finished, Claude Code', 'Grind the corn, finished, Codex'])
    await row(workbench, listed).waitFor();
  await row(workbench, 'Turn the mill, failed, Claude Code').waitFor();
  await workbench.screenshot(join(pictures, 'sessions-listed.png'));
  expect(await workbench.page.getByText('keep sessions on this machine').count()).toBe(0);
});

test('lists them by project with everything else, and by the tools that a person chooses', async ({
  workbench,
}) => {
  await workbench.command('Agent Logbook: Group Transcripts…');
  await workbench.quickInput.choose('By Project');
  await row(workbench, 'bakery, 1 session').waitFor();
  await row(workbench, 'mill, 2 sessions').waitFor();
  await workbench.screenshot(join(pictures, 'sessions-projects.png'));
  await workbench.command('Agent Logbook: Group Transcripts…');
  await workbench.quickInput.choose('By Date');
  await workbench.command('Agent Logbook: Choose Tools Whose Sessions Are Listed…');
  await workbench.quickInput.choice('Claude Code').first().waitFor();
  await workbench.quickInput.tick('Codex');
  await workbench.screenshot(join(pictures, 'sessions-tools.png'));
  await workbench.quickInput.confirm();
  await expect.poll(() => row(workbench, 'Grind the corn').count()).toBe(0);
});

test('a session that is being written to grows where it is', async ({ workbench }) => {
  const path = join(workbench.home, live);
  const page = workbench.webview();
  await page.locator('.row', { hasText: 'Whip the cream' }).first().waitFor();
  const more = {
    type: 'user',
    uuid: 'u2',
    sessionId: '1',
    message: { role: 'user', content: 'And the eggs?' },
  };
  await appendFile(path, `${JSON.stringify(more)}\n`);
  await page.locator('.row', { hasText: 'And the eggs?' }).first().waitFor();
  await row(workbench, 'Whip the cream, working, Claude Code').and(row(workbench, '4 messages')).waitFor();
  await workbench.screenshot(join(pictures, 'sessions-live.png'));
});

test('a session that waits is told in the list, in the status bar, on the view and by one notice, which leads there', async ({
  workbench,
}) => {
  const { page, home } = workbench;
  const status = page.locator('.statusbar-item', { hasText: '1 waits for you' });
  await appendFile(join(home, live), asks('q1'));
  await status.waitFor();
  await row(workbench, 'Whip the cream, waits for your answer').waitFor();
  await appendFile(join(home, live), answers('q1'));
  await status.waitFor({ state: 'hidden' });
  // Another is looked at meanwhile: who looks at a session needs no notice.
  await row(workbench, 'Bake a cake').click();
  await workbench.tab('11111111-1111-1111-1111-111111111111.jsonl').waitFor();
  await appendFile(join(home, live), asks('q2'));
  const notice = page.locator('.notification-toast', {
    hasText: 'Whip the cream (Claude Code): waits for your answer',
  });
  await notice.waitFor();
  await status.waitFor();
  await page.locator('.activitybar .badge-content', { hasText: '1' }).first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-waits.png'));
  await workbench.command('Agent Logbook: Show Spending and Live Sessions');
  const overview = workbench.webview();
  await overview.getByRole('tab', { name: 'Live' }).click();
  await overview.locator('.live-row', { hasText: 'waits for your answer' }).first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-live-page.png'));
  await workbench.closeEditors();
  await notice.getByRole('button', { name: 'Open' }).click();
  await workbench.webview().locator('.row', { hasText: 'Whip the cream' }).first().waitFor();
  await appendFile(join(home, live), answers('q2'));
  await status.waitFor({ state: 'hidden' });
});

test('a session is pinned, gets a name, and says what came since one looked', async ({ workbench }) => {
  const { page, home } = workbench;
  const dough = '.claude/projects/-home-me-bakery/dough.jsonl';
  const content = claudeSession('Knead the dough', '/home/me/bakery', 'dough');
  await writeAt(home, { [dough]: content }, Date.now() - 3 * HOUR);
  await workbench.fromMenu(row(workbench, 'Knead the dough'), 'Pin or Unpin');
  await row(workbench, 'Pinned, 1 session').waitFor();
  // Its key stands in its name, too.
  await workbench.fromMenu(row(workbench, 'Knead the dough'), /^Rename Conversation…/);
  await workbench.quickInput.answer('Bread for Sunday');
  await row(workbench, 'Bread for Sunday').waitFor();
  await row(workbench, 'Bread for Sunday').click();
  await workbench.webview().locator('.row', { hasText: 'Knead the dough' }).first().waitFor();
  // Another is looked at; what comes to the first one meanwhile is new.
  await row(workbench, 'Whip the cream').click();
  await workbench.webview().locator('.row', { hasText: 'Whip the cream' }).first().waitFor();
  await appendFile(
    join(home, dough),
    line({ type: 'user', message: { role: 'user', content: 'And icing?' } }),
  );
  await row(workbench, 'Bread for Sunday').and(row(workbench, 'new since')).waitFor();
  await page.locator('.pane-header', { hasText: '1 with news' }).waitFor();
  await workbench.screenshot(join(pictures, 'sessions-news.png'));
  await row(workbench, 'Bread for Sunday').click();
  const icing = workbench.webview().locator('.row', { hasText: 'And icing?' }).first();
  await icing.locator('.new-since', { hasText: /^new since \d\d:\d\d$/ }).waitFor();
  expect(await workbench.webview().locator('.new-since').count()).toBe(1);
  await workbench.screenshot(join(pictures, 'sessions-new-since.png'));
  await expect.poll(() => row(workbench, 'new since').count()).toBe(0);
  await workbench.fromMenu(row(workbench, 'Bread for Sunday'), 'Pin or Unpin');
  await expect.poll(() => row(workbench, 'Pinned, 1 session').count()).toBe(0);
  await rm(join(home, dough));
  await expect.poll(() => row(workbench, 'Bread for Sunday').count()).toBe(0);
});

test('what is said in a session is found by the search, and opens where it is', async ({ workbench }) => {
  const { page } = workbench;
  const field = await workbench.openSearch();
  await field.fill('"turn the mill"');
  const search = workbench.searchView();
  await search.locator('.result-hit', { hasText: 'Turn the mill' }).first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-searched.png'));
  await field.focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await workbench.tab('failed.jsonl').waitFor();
  await workbench
    .webview()
    .locator('mark', { hasText: /turn the mill/i })
    .first()
    .waitFor();
  await workbench.screenshot(join(pictures, 'sessions-found.png'));
  await workbench.view('Agent Logbook');
});

test('sessions are exported from where they are, one into an editor, many into a folder with an index', async ({
  workbench,
}) => {
  const { quickInput, folder } = workbench;
  await workbench.closeEditors();
  // Nothing is kept here, and what is found is there for the commands.
  await workbench.openSearch();
  await workbench.view('Agent Logbook');
  await workbench.fromMenu(row(workbench, 'Turn the mill'), /^Export Transcript…/);
  await quickInput.choose(/^Markdown$/);
  await quickInput.choose('Into an editor');
  await expect.poll(() => workbench.text('editor').textContent()).toContain('Overloaded');
  await workbench.command('View: Revert and Close Editor');
  // A group stands for all of its sessions; Cancel leaves nothing.
  await workbench.command('Agent Logbook: Group Transcripts…');
  await quickInput.choose('By Project');
  const project = workbench.page.locator('.pane-body .monaco-list-row[aria-label^="mill, "]');
  await workbench.fromMenu(project, /^Export Transcript…/);
  await quickInput.choice('Web page').first().waitFor();
  await quickInput.cancel();
  await workbench.command('Agent Logbook: Group Transcripts…');
  await quickInput.choose('By Date');
  await project.waitFor({ state: 'detached' });
  await row(workbench, 'Turn the mill').click();
  await row(workbench, 'Bake a cake').click({ modifiers: ['ControlOrMeta'] });
  await workbench.fromMenu(row(workbench, 'Bake a cake'), /^Export Transcript…/);
  await quickInput.choose(/^Markdown$/);
  await quickInput.choose('To files in a folder…');
  await quickInput.box.getByText('Export 2 Here').waitFor();
  await workbench.screenshot(join(pictures, 'sessions-export.png'));
  await quickInput.box.getByText('Export 2 Here').click();
  await workbench.told('Exported 2 transcripts');
  const files = ['Bake a cake.md', 'Turn the mill.md', 'index.md'];
  expect(await readdir(folder)).toEqual(expect.arrayContaining(files));
  expect(await readFile(join(folder, 'index.md'), 'utf8')).toContain('Bake a cake');
  // What is selected is what the next command is for.
  await row(workbench, 'Bake a cake').click();
  await workbench.closeEditors();
});

test('reads well in every theme', async ({ workbench }) => {
  for (const [name, theme, className] of WINDOW_THEMES) {
    await wear(workbench, theme, className);
    await workbench.pointAt(row(workbench, 'Whip the cream'));
    await workbench.screenshot(join(pictures, `sessions-${name}.png`));
  }
  expect(await row(workbench, 'Whip the cream').isVisible()).toBe(true);
});

test('a copy of a session goes into the logbook', async ({ workbench }) => {
  await workbench.pointAt(row(workbench, 'Bake a cake'));
  await row(workbench, 'Bake a cake').getByRole('button', { name: 'Keep a Copy' }).click();
  await workbench.told('imported');
});

test('a note on a session is kept when its tab closes, is listed, and is on its copy too', async ({
  workbench,
}) => {
  const { page } = workbench;
  await workbench.closeEditors();
  await workbench.open(row(workbench, 'Turn the mill'), 'Turn the mill');
  await workbench.webview().locator('.row', { hasText: 'Turn the mill' }).first().click();
  await page.keyboard.press('n');
  const box = workbench.webview().getByRole('dialog', { name: 'Note' });
  await box.locator('textarea').fill('Why overloaded?');
  await page.keyboard.press('Control+Enter');
  await workbench.webview().getByText('Why overloaded?').first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-noted.png'));
  await workbench.closeEditors();
  await workbench.showOnly('Notes');
  await workbench.open(workbench.treeItem('Why overloaded?'), 'Turn the mill');
  await workbench.webview().getByText('Why overloaded?').first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-note-listed.png'));
  await workbench.command('Agent Logbook: Keep a Copy');
  await workbench.told('Imported 1 conversation');
  await workbench.closeEditors();
  await workbench.open(workbench.treeItem('Why overloaded?').first(), 'Turn the mill');
  await workbench.webview().getByText('Why overloaded?').first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-note-on-copy.png'));
});

test('what is kept about sessions is exported and deleted by one command', async ({ workbench }) => {
  const { page, quickInput } = workbench;
  await workbench.closeEditors();
  const ask = () => workbench.command('Agent Logbook: Export or Delete What Is Kept About Sessions…');
  await ask();
  await quickInput.choice('Export').first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-kept.png'));
  await quickInput.choose('Export');
  await expect.poll(() => workbench.text('editor').textContent()).toMatch(/"version":\s1/);
  // An editor shows no more lines than it has room for.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('ControlOrMeta+c');
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('Why overloaded?');
  await workbench.command('View: Revert and Close Editor');
  await ask();
  await quickInput.choose('Delete…');
  await workbench
    .dialog('Delete what is kept about')
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  await workbench.told(/What was kept about \d+ sessions? is deleted/);
  await ask();
  await workbench.told('Nothing is kept about sessions of other tools');
});
