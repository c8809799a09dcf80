import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const test = uiTest();
const QUESTION = 'Why were there so few cookies on Tuesday?';
const UNFINISHED = 'Prove it, and do not stop.';

const box = (workbench: Workbench) =>
  workbench.webview().getByRole('textbox', { name: 'Continue the conversation' });

async function say(workbench: Workbench, text: string): Promise<void> {
  await box(workbench).fill(text);
  await box(workbench).press('Enter');
}

/** Opens a transcript from its row. */
const open = (workbench: Workbench, title: string) =>
  workbench.open(workbench.treeItem(title).first(), title);

/** Begins a conversation and opens its transcript. */
async function begin(workbench: Workbench, prompt: string): Promise<void> {
  await workbench.runAgent('Pickle', prompt);
  await open(workbench, prompt);
}

describe('the chat box of a transcript', () => {
  test('goes on with the conversation', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', QUESTION);
    await workbench.told('upside down');
    await workbench.open(workbench.doneConversation(QUESTION), QUESTION);
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
    await workbench.closeEditors();
  });

  test('forgets what waits when the agent is stopped', async ({ workbench }) => {
    await begin(workbench, 'Prove it.');
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

  test('what came while nobody looked is marked in the list, on the view and in the transcript', async ({
    workbench,
  }) => {
    const prompt = 'Prove it while I am away.';
    await workbench.closeEditors();
    await begin(workbench, prompt);
    await workbench.webview().getByRole('button', { name: 'Approve', exact: true }).first().waitFor();
    const news = workbench.treeItem(prompt).filter({ hasText: 'new since' });
    const onView = workbench.page.locator('.pane-header', { hasText: '1 with news' });
    // What comes while somebody looks is not new to them.
    expect([await news.count(), await onView.count()]).toEqual([0, 0]);
    await workbench.closeEditors();
    const asked = await workbench.told('Crumb asks: Run node kitchen/scale.mjs');
    await asked.getByRole('button', { name: 'Deny' }).click();
    await workbench.doneConversation(prompt).and(news).waitFor();
    await onView.waitFor();
    await workbench.screenshot(join(pictures, 'unread-listed.png'));
    await open(workbench, prompt);
    const line = workbench.webview().locator('.new-since');
    await expect.poll(() => line.first().isVisible()).toBe(true);
    expect(await line.count()).toBe(1);
    // It is in sight, whatever came when: what is read first is what is new.
    await workbench.webview().locator('.row.selected .new-since').waitFor();
    const isInSight = (element: Element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    };
    expect(await line.first().evaluate(isInSight)).toBe(true);
    await workbench.screenshot(join(pictures, 'unread-line.png'));
    await onView.waitFor({ state: 'hidden' });
  });

  test('keeps what is typed while another transcript is read, and what waits when the window goes away', async ({
    workbench,
  }) => {
    await begin(workbench, 'Who are you?');
    await begin(workbench, UNFINISHED);
    const page = workbench.webview();
    await page.getByRole('button', { name: 'Approve', exact: true }).first().waitFor();
    await say(workbench, 'And on Wednesday?');
    await expect
      .poll(() => box(workbench).getAttribute('placeholder'))
      .toMatch(/^1 message waits its turn\./);
    await box(workbench).fill('And half a sen');
    // Another transcript takes the page away, as soon as what is typed was kept.
    await open(workbench, 'Who are you?');
    await page.locator('h1', { hasText: 'Who are you?' }).waitFor();
    await workbench.tab(UNFINISHED).click();
    await expect.poll(() => box(workbench).inputValue()).toBe('And half a sen');

    await workbench.reload();
    await open(workbench, UNFINISHED);
    // Only then is there something to look at again and again: the new window takes its time to begin.
    await box(workbench).waitFor();
    await expect.poll(() => box(workbench).inputValue()).toBe('And on Wednesday?\n\nAnd half a sen');
    await workbench.screenshot(join(pictures, 'chat-box-after-reload.png'));
    await box(workbench).press('Enter');
    await page.getByText('And half a sen').first().waitFor();
    await expect.poll(() => box(workbench).inputValue()).toBe('');
  });
});
