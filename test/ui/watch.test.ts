import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { claudeSession, writeAt } from '../support/sessionHome.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

/** What the address of the rules was sent. */
const sent: { readonly text: string }[] = [];
const server = createServer((request, response) => {
  let body = '';
  request.on('data', (part) => (body += String(part)));
  request.on('end', () => {
    sent.push(JSON.parse(body) as { text: string });
    response.end();
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
afterAll(() => server.close());

const SETTINGS = '{\n  "model": "opus"\n}\n';
const pathOf = (name: string) => `.claude/projects/-home-me-bakery/${name}.jsonl`;
const asking = (session: string, question: string) =>
  `${JSON.stringify({
    sessionId: session,
    type: 'assistant',
    uuid: `${session}-asks`,
    timestamp: new Date().toISOString(),
    message: {
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [
        { type: 'tool_use', id: 't1', name: 'AskUserQuestion', input: { questions: [{ question }] } },
      ],
    },
  })}\n`;

const test = uiTest({
  prepare: async (_, home) => {
    const old = `${claudeSession('Whip the cream', '/home/me/bakery', 'cream')}${asking('cream', 'How stiff?')}`;
    await writeAt(home, {
      [pathOf('cream')]: old,
      [pathOf('cake')]: claudeSession('Bake a cake', '/home/me/bakery', 'cake'),
      '.claude/settings.json': SETTINGS,
    });
  },
  machineSettings: {
    'agentLogbook.watch': { rules: [{ when: 'waits', then: ['notify', `webhook: ${address}`] }] },
  },
});

const status = (workbench: Workbench, text: string) =>
  workbench.page.locator('.statusbar-item', { hasText: text });

test('who waits is told by a notice, the status bar, the badge and an address, and answered in its terminal', async ({
  workbench,
}) => {
  await workbench.view('Agent Logbook');
  await workbench.treeItem('Show Them').first().click();
  // What was so at the start is shown, and not told.
  await status(workbench, '1 waits for you').waitFor();
  expect(sent).toEqual([]);
  await workbench.command('Terminal: Create New Terminal');
  const pidFile = join(workbench.home, 'agent.pid');
  await workbench.page
    .locator('.terminal-wrapper.active .xterm-helper-textarea')
    .waitFor({ state: 'attached' });
  await expect
    .poll(
      async () => {
        if (existsSync(pidFile)) return true;
        await workbench.page.keyboard.type(`sh -c 'echo $$ > "${pidFile}"; exec sleep 900'\n`);
        return existsSync(pidFile);
      },
      { interval: 3_000 },
    )
    .toBe(true);
  const pid = Number(await readFile(pidFile, 'utf8'));
  await workbench.command('View: Toggle Terminal');
  await writeAt(workbench.home, {
    [`.claude/sessions/${pid}.json`]: JSON.stringify({
      pid,
      sessionId: 'cake',
      status: 'waiting',
      statusUpdatedAt: Date.now(),
    }),
  });
  await appendFile(join(workbench.home, pathOf('cake')), asking('cake', 'With or without nuts?'));
  const notice = await workbench.told('Bake a cake (Claude Code): waits for your answer');
  await status(workbench, '2 wait for you').waitFor();
  await expect
    .poll(() => sent.map(({ text }) => text))
    .toEqual(['A session (Claude Code): waits for your answer']);
  await workbench.page.locator('.activitybar .badge-content', { hasText: '2' }).waitFor();
  for (const theme of ['Light Modern', 'Dark High Contrast', 'Light High Contrast', 'Dark Modern']) {
    await workbench.chooseTheme(theme);
    await workbench.screenshot(join(pictures, `watch-${theme.replaceAll(' ', '-').toLowerCase()}.png`));
  }
  expect(await notice.innerText()).toContain('With or without nuts?');
  await notice.getByRole('button', { name: 'Answer in Its Terminal' }).click();
  await workbench.page.locator('.terminal-wrapper.active').waitFor();
  // A click leads to the one that has waited the longest.
  await status(workbench, '2 wait for you').click();
  await workbench.webview().locator('.row', { hasText: 'Whip the cream' }).first().waitFor();
  await workbench.command('Agent Logbook: Show Spending and Live Sessions');
  const page = workbench.webview();
  await page.getByRole('tab', { name: 'Live' }).click();
  await page.locator('.live-row').nth(1).waitFor();
  expect(await page.locator('.live-row .live-title').allInnerTexts()).toEqual([
    'Whip the cream',
    'Bake a cake',
  ]);
  await workbench.screenshot(join(pictures, 'watch-live.png'));
});

test('a hook is shown as a difference, written when the person says so, and removed to the byte', async ({
  workbench,
}) => {
  await workbench.view('Agent Logbook');
  await workbench.closeEditors();
  const path = join(workbench.home, '.claude/settings.json');
  const turn = async (button: string) => {
    await workbench.command('Agent Logbook: Choose Tools Whose Sessions Are Listed…');
    await workbench.quickInput.fill('Hook in Claude');
    await workbench.quickInput.tick('Hook in Claude Code');
    await workbench.screenshot(join(pictures, `hooks-choice-${button}.png`));
    await workbench.quickInput.confirm();
    const asked = await workbench.told(button === 'Install' ? 'Write this hook into' : 'Remove the hook of');
    await workbench.page.locator('.monaco-diff-editor').waitFor();
    await workbench.screenshot(join(pictures, `hooks-${button}.png`));
    await asked.getByRole('button', { name: button, exact: true }).click();
    await workbench.told('Done. It holds from the next start');
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.closeEditors();
  };
  await turn('Install');
  expect(await readFile(path, 'utf8')).toContain('PermissionRequest');
  await turn('Remove');
  expect(await readFile(path, 'utf8')).toBe(SETTINGS);
});
