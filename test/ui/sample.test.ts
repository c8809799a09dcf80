import { join } from 'node:path';
import { describe } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

describe('the sample workspace', () => {
  test('shows agents at once and two levels deep, a denial and a failure', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.command('Agent Logbook: Run Agent…');
    await workbench.quickInput.choose('Pickle');
    await workbench.quickInput.answer('Prove it.');
    const question = await workbench.told('Crumb asks: Run node kitchen/scale.mjs');
    await question.getByRole('button', { name: 'Deny' }).click();
    await workbench.told('Proven twice');
    const conversation = workbench.doneConversation('Prove it.');
    await conversation.click();
    const page = workbench.webview();
    await page.getByText('Proven twice').first().waitFor();
    await conversation.locator('.monaco-tl-twistie').click();
    const cookie = workbench.treeItem(/^Cookie: /).first();
    await cookie.waitFor();
    await workbench
      .treeItem(/^Crumb: Run the scaler/)
      .first()
      .waitFor();
    await cookie.locator('.monaco-tl-twistie').click();
    await workbench
      .treeItem(/^Crumb: What is 200 ml/)
      .first()
      .waitFor();
    await workbench.screenshot(join(pictures, 'sample.png'));
  });
});
