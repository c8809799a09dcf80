import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { uiTest } from '../ui/support/uiTest.js';
import { QUESTION } from './kitchenTour.js';

const demo = join(import.meta.dirname, '../../demo');

const test = uiTest();

test('the pictures of a replay that departs, for readers of dark and of light pages', async ({ workbench }) => {
  await workbench.view('Agent Logbook');
  await workbench.runAgent('Pickle', QUESTION);
  await workbench.told('Want to see it with your own eyes?');
  const folder = join(workbench.folder, '.github/agents');
  const file = join(folder, 'cookie.agent.md');
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('You are Cookie', 'You are Cookie, the careful one'));
  // VS Code hears of files seconds late, and of this one not before the other.
  await writeFile(join(folder, 'waiter.agent.md'), '---\nname: Waiter\ndescription: Waits\n---\nYou wait.\n');
  await workbench
    .treeItem(/^Waiter/)
    .first()
    .waitFor();
  await workbench.open(workbench.doneConversation(QUESTION), QUESTION);
  await workbench.command('Notifications: Clear All Notifications');
  await workbench.command('Agent Logbook: Replay Run');
  await workbench.told('The system prompt of Cookie is another now.');
  const page = workbench.webview();
  await page.getByText('Cookie departed: The system prompt of Cookie is another').waitFor();
  await workbench.screenshot(join(demo, '10-replay.png'));
  await workbench.chooseTheme('Light Modern');
  await page.locator('body.vscode-light').waitFor();
  await workbench.screenshot(join(demo, '10-replay-light.png'));
});
