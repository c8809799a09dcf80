import { appendFile, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { claudeSession, sessionsOfTools, writeAt } from '../support/sessionHome.js';
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
      '.claude/projects/-home-me-mill/failed.jsonl': `${claudeSession('Turn the mill', '/home/me/mill')}${JSON.stringify(
        { type: 'assistant', isApiErrorMessage: true, message: { content: 'Overloaded' } },
      )}\n`,
    });
    const yesterday = (Date.now() - 20 * HOUR) / 1000;
    await utimes(failed, yesterday, yesterday);
  },
});

const row = (workbench: Workbench, label: string) =>
  workbench.page.locator(`.pane-body .monaco-list-row[aria-label*="${label}"]`).first();

test('asks which tools may be looked at, and lists the sessions of those', async ({ workbench }) => {
  await workbench.showOnly('Sessions of Other Tools');
  const choose = workbench.page.locator('.welcome-view').getByRole('button', { name: 'Choose Tools…' });
  await choose.first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-welcome.png'));
  await choose.first().click();
  await workbench.quickInput.choice('Claude Code').first().waitFor();
  await workbench.quickInput.tick('Claude Code');
  await workbench.quickInput.tick('Codex');
  await workbench.screenshot(join(pictures, 'sessions-tools.png'));
  await workbench.quickInput.confirm();
  await workbench.unfold(row(workbench, 'Claude Code, 2 sessions'));
  await workbench.unfold(row(workbench, 'bakery, 1 session'));
  await workbench.unfold(row(workbench, 'mill, 1 session'));
  await row(workbench, 'Bake a cake, answered, Claude Code').waitFor();
  await row(workbench, 'Turn the mill, failed, Claude Code').waitFor();
  await workbench.unfold(row(workbench, 'Codex, 1 session'));
  await workbench.screenshot(join(pictures, 'sessions-listed.png'));
});

test('a session that is being written to is listed as live, opens where it is, and grows', async ({
  workbench,
}) => {
  const [path = ''] = await writeAt(workbench.home, { [live]: claudeSession('Whip the cream') });
  await workbench.open(row(workbench, 'Whip the cream, live, Claude Code'), 'live.jsonl');
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
  await row(workbench, '3 messages').waitFor();
  await workbench.screenshot(join(pictures, 'sessions-live.png'));
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
  await workbench.showOnly('Sessions of Other Tools');
});

test('reads well in every theme', async ({ workbench }) => {
  for (const theme of ['Light Modern', 'Dark Modern', 'Dark High Contrast', 'Light High Contrast']) {
    await workbench.chooseTheme(theme);
    await workbench.pointAt(row(workbench, 'Whip the cream'));
    await workbench.screenshot(join(pictures, `sessions-${theme.replaceAll(' ', '-').toLowerCase()}.png`));
  }
  expect(await row(workbench, 'Whip the cream').isVisible()).toBe(true);
});

test('a copy of a session goes into the logbook', async ({ workbench }) => {
  await workbench.pointAt(row(workbench, 'Bake a cake'));
  await row(workbench, 'Bake a cake').getByRole('button', { name: 'Keep a Copy' }).click();
  await workbench.told('imported');
});
