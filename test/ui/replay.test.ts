import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

describe('a recorded run is run again', () => {
  test('exactly, and nobody is asked anything', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Prove it.');
    const question = await workbench.told('Crumb asks: Run node kitchen/scale.mjs');
    await question.getByRole('button', { name: 'Deny' }).click();
    await workbench.told('Proven twice');
    await workbench.open(workbench.doneConversation('Prove it.'), 'Prove it.');
    await workbench.command('Agent Logbook: Replay Run');
    const exact = await workbench.told('Exact: 1 run');
    await workbench.screenshot(join(pictures, 'replay-exact.png'));
    await exact.getByRole('button', { name: 'Show Report' }).click();
    await workbench.tab('replay.md').waitFor();
    await workbench.closeEditors();
  });

  test('and a changed prompt is shown where it is asked first', async ({ workbench }) => {
    const folder = join(workbench.folder, '.github/agents');
    const file = join(folder, 'cookie.agent.md');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace('You are Cookie', 'You are Cookie, the careful one'));
    // VS Code hears of files seconds late, and of this one not before the other.
    const waiter = '---\nname: Waiter\ndescription: Waits\n---\nYou wait.\n';
    await writeFile(join(folder, 'waiter.agent.md'), waiter);
    await workbench
      .treeItem(/^Waiter/)
      .first()
      .waitFor();
    await workbench.open(workbench.doneConversation('Prove it.'), 'Prove it.');
    await workbench.command('Agent Logbook: Replay Run');
    await workbench.told('The system prompt of Cookie is another now.');
    await workbench.tab(/Cookie: Expected and Asked/).waitFor();
    const right = workbench.page.locator('.editor.modified .view-lines', { hasText: 'careful' });
    await right.first().waitFor();
    await workbench.screenshot(join(pictures, 'replay-departed.png'));
  });
});
