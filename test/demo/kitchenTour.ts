import type { FrameLocator } from 'playwright-core';
import type { Workbench } from '../ui/support/workbench.js';

export const QUESTION = 'Why were there so few cookies on Tuesday?';

/**
 * With the view open, asks the sample team, and has it prove what it says: two agents at once, one of which asks a third one, and a command
 * that the person allows. Gives the transcript's page, with the dispatches unfolded and the tree beside it.
 */
export async function kitchenTour(workbench: Workbench): Promise<FrameLocator> {
  const { page } = workbench;
  await workbench.runAgent('Pickle', QUESTION);
  await workbench.open(workbench.doneConversation(QUESTION), QUESTION);
  await workbench.command('Notifications: Clear All Notifications');

  const panel = workbench.webview();
  await panel.getByText('line 8').first().waitFor();
  await panel.locator('.chat-text textarea').fill('Prove it.');
  await panel.locator('.chat-text textarea').press('Enter');
  await panel.getByRole('button', { name: 'Approve' }).click();
  await panel.getByText('Proven twice.').waitFor();
  await panel.locator('.badge', { hasText: 'Done' }).waitFor();
  await workbench.command('Notifications: Clear All Notifications');

  // The command ran in a terminal, which has opened below.
  await workbench.command('View: Hide Panel');
  await workbench.unfold(workbench.doneConversation(QUESTION));
  for (const run of [QUESTION, 'Prove it.']) {
    const cookie = workbench.treeItem(run === QUESTION ? /^Cookie: Find/ : /^Cookie: Does/).first();
    await workbench.unfold(cookie);
  }
  await workbench
    .treeItem(/^Crumb: What is/)
    .first()
    .waitFor();

  await panel.locator('vscode-button[aria-label="Show the conversations of all dispatches"]').click();
  await page.mouse.move(700, 5);
  return panel;
}

/** Brings the part of the transcript into sight in which Pickle asks Cookie, and Cookie asks Crumb. */
export async function showTwoLevels(panel: FrameLocator): Promise<void> {
  await panel.locator('.list').press('Home');
  await panel.locator('.row.selected').press('p');
  const prompt = panel.locator('.row.selected', { hasText: 'Why were there' });
  await prompt.press('p');
  await panel.locator('.row.selected', { hasText: 'Prove it.' }).evaluate((row) => {
    row.style.scrollMarginTop = '20px'; // Room for the row's buttons.
    row.scrollIntoView({ block: 'start' });
  });
  await panel.locator('.row', { hasText: 'What is 200 ml' }).first().waitFor();
}

/** A picture of a window that has nothing left to do but what it shows. */
export async function quietPicture(workbench: Workbench, path: string): Promise<void> {
  const status = workbench.page.locator('.part.statusbar .statusbar-item');
  await status.filter({ hasText: 'Activating Extensions' }).first().waitFor({ state: 'hidden' });
  await workbench.page.locator('.notification-toast').first().waitFor({ state: 'hidden' });
  await workbench.screenshot(path);
}
