import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { claudeSession, writeAt } from '../support/sessionHome.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

/** Hears when the rule held: nothing is seen of it before the run would take its next step. */
let heard = 0;
const server = createServer((request, response) => {
  request.resume().on('end', () => {
    heard++;
    response.end();
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
afterAll(() => server.close());

const RULE = 'agent:Crumb tool:run_command role:assistant';
const test = uiTest({
  prepare: async (_, home) => {
    const session = claudeSession('Whip the cream', '/home/me/bakery', 'cream');
    const asks = { type: 'tool_use', id: 't1', name: 'AskUserQuestion', input: { questions: [] } };
    const line = {
      sessionId: 'cream',
      type: 'assistant',
      uuid: 'u9',
      message: { role: 'assistant', content: [asks], stop_reason: 'tool_use' },
    };
    await writeAt(home, {
      '.claude/projects/-home-me-bakery/cream.jsonl': `${session}${JSON.stringify(line)}\n`,
    });
  },
  machineSettings: {
    'agentLogbook.watch': { rules: [{ when: RULE, then: ['pause', `webhook: ${address}`] }] },
  },
});

/** Has a command wait for its approval until the rule has held, and then run. */
async function runUntilHeld(workbench: Workbench, prompt: string): Promise<void> {
  const before = heard;
  await workbench.runAgent('Pickle', prompt);
  await workbench.told('Crumb asks: Run node kitchen/scale.mjs');
  // Nothing is sent of a run that somebody looks at.
  await expect.poll(() => heard).toBeGreaterThan(before);
  await workbench.open(workbench.treeItem(prompt).first(), prompt);
  const page = workbench.webview();
  await page.getByRole('button', { name: 'Approve', exact: true }).first().click();
  await page.getByRole('button', { name: 'Resume', exact: true }).waitFor();
}

test('a run that a rule holds waits before its next step, says why, and goes on when it is told to', async ({
  workbench,
}) => {
  await workbench.view('Agent Logbook');
  // Rules hold from when sessions are looked at, which is seen of one that waits.
  await workbench.treeItem('Show Them').first().click();
  await workbench.page.locator('.statusbar-item', { hasText: '1 waits for you' }).waitFor();
  const prompt = 'Prove it, and wait.';
  await runUntilHeld(workbench, prompt);
  const page = workbench.webview();
  const card = page.locator('.approval-card');
  await card.getByText('The run is held').waitFor();
  expect(await card.innerText()).toContain(`Your rule “${RULE}” holds the run.`);
  for (const theme of ['Light Modern', 'Dark High Contrast', 'Light High Contrast', 'Dark Modern']) {
    await workbench.chooseTheme(theme);
    await workbench.screenshot(join(pictures, `held-${theme.replaceAll(' ', '-').toLowerCase()}.png`));
  }
  // Whoever does not look at it is asked by a notice.
  await workbench.closeEditors();
  const asked = await workbench.told('Go on? Your rule');
  await workbench.treeItem(prompt).filter({ hasText: 'needs your approval' }).first().waitFor();
  await workbench.screenshot(join(pictures, 'held-notice.png'));
  await asked.getByRole('button', { name: 'Resume' }).click();
  await workbench.doneConversation(prompt).waitFor();
});

test('a run that is held when the window goes away is shown as interrupted, with a way to go on', async ({
  workbench,
}) => {
  const prompt = 'Prove it, and go away.';
  await runUntilHeld(workbench, prompt);
  await workbench.reload();
  await workbench.view('Agent Logbook');
  await workbench.open(workbench.treeItem(prompt).first(), prompt);
  await workbench.webview().locator('.failure-dock').first().waitFor();
  await workbench.screenshot(join(pictures, 'held-and-reloaded.png'));
  await workbench.page.locator(`.monaco-list-row[aria-label^="${prompt}, interrupted"]`).first().waitFor();
});
