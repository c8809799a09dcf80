import { join } from 'node:path';
import { describe } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();
const QUESTION = 'Why were there so few cookies on Tuesday?';

describe('a newcomer with the sample workspace', () => {
  test('sees the agents, runs Pickle and watches Cookie being asked', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    await workbench.treeItem('Cookie').first().waitFor();
    await workbench.runAgent('Pickle', QUESTION);
    await workbench.told('Open Transcript');
    await workbench.screenshot(join(pictures, 'run.png'));
  });

  test('opens the transcript and finds the nested calls beside it', async ({ workbench }) => {
    const row = workbench.doneConversation(QUESTION);
    await workbench.open(row, QUESTION);
    await workbench.webview().getByText('line 8').first().waitFor();
    await workbench.unfold(row);
    await workbench
      .treeItem(/^Cookie: /)
      .first()
      .waitFor();
    await workbench.screenshot(join(pictures, 'transcript.png'));
  });

  test('reads in the output channel who asked whom', async ({ workbench }) => {
    await workbench.command('Agent Logbook: Show Log');
    await workbench.text('panel').getByText('Pickle → @Cookie:').first().waitFor();
    await workbench.screenshot(join(pictures, 'output.png'));
  });

  test('follows a link from there to the transcript', async ({ workbench }) => {
    await workbench.closeEditors();
    const link = workbench.page.locator('.part.panel .detected-link', { hasText: '↗' });
    await link.last().click({ modifiers: ['ControlOrMeta'] });
    await workbench.webview().getByText('line 8').first().waitFor();
    await workbench.screenshot(join(pictures, 'output-link.png'));
  });

  test('still finds it after the window was reloaded', async ({ workbench }) => {
    await workbench.reload();
    await workbench.treeItem(QUESTION).first().waitFor();
  });

  test('exports the transcript to Markdown', async ({ workbench }) => {
    await workbench.open(workbench.doneConversation(QUESTION), QUESTION);
    await workbench.command('Agent Logbook: Export Transcript to Markdown');
    await workbench
      .tab(/Untitled-\d/)
      .first()
      .waitFor();
    await workbench.screenshot(join(pictures, 'markdown.png'));
  });
});
