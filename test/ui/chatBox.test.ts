import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const test = uiTest();
const QUESTION = 'Why were there so few cookies on Tuesday?';

const box = (workbench: Workbench) =>
  workbench.webview().getByRole('textbox', { name: 'Continue the conversation' });

async function say(workbench: Workbench, text: string): Promise<void> {
  await box(workbench).fill(text);
  await box(workbench).press('Enter');
}

describe('the chat box of a transcript', () => {
  test('goes on with the conversation', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.command('Agent Logbook: Run Agent…');
    await workbench.quickInput.choose('Pickle');
    await workbench.quickInput.answer(QUESTION);
    await workbench.told('upside down');
    await workbench.doneConversation(QUESTION).click();
    await say(workbench, 'Prove it.');
    await workbench.webview().getByText('Gladly. Cookie checks').waitFor();
  });

  test('takes more while an agent waits for an approval, and says it when its turn has come', async ({
    workbench,
  }) => {
    const page = workbench.webview();
    await page.getByRole('button', { name: 'Approve', exact: true }).first().waitFor();
    await say(workbench, 'And who are you?');
    await expect
      .poll(() => box(workbench).getAttribute('placeholder'))
      .toMatch(/^1 message waits its turn\./);
    await workbench.screenshot(join(pictures, 'chat-box.png'));
    await page.getByRole('button', { name: 'Approve', exact: true }).first().click();
    await page.getByText('And who are you?').first().waitFor();
    await workbench.page.keyboard.press('Control+k');
    await workbench.page.keyboard.press('Control+w');
  });

  test('forgets what waits when the agent is stopped', async ({ workbench }) => {
    await workbench.command('Agent Logbook: Run Agent…');
    await workbench.quickInput.choose('Pickle');
    await workbench.quickInput.answer('Prove it.');
    await workbench.treeItem('Prove it.').first().click();
    const page = workbench.webview();
    await page.getByRole('button', { name: 'Approve', exact: true }).first().waitFor();
    await say(workbench, 'Never said.');
    await expect
      .poll(() => box(workbench).getAttribute('placeholder'))
      .toMatch(/^1 message waits its turn\./);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect.poll(() => box(workbench).getAttribute('placeholder')).toBe('Say something to Pickle…');
    expect(await page.getByText('Never said.').count()).toBe(0);
  });
});
