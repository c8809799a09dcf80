import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

describe('a newcomer with the sample workspace', () => {
  test('sees the agents, runs Pickle and watches Cookie being asked', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Pickle').first().waitFor();
    await workbench.treeItem('Cookie').first().waitFor();
    await workbench.command('Agent Logbook: Run Agent…');
    await workbench.quickInput.choose('Pickle');
    await workbench.quickInput.answer('Why were there so few cookies on Tuesday?');
    await workbench.notification('Open Transcript').waitFor();
    await workbench.screenshot(join(pictures, 'run.png'));
  });

  test('finds the conversation with its nested calls in the Transcripts view', async ({ workbench }) => {
    await workbench.treeItem('Why were there so few cookies on Tuesday?').first().click();
    await workbench.page.keyboard.press('ArrowRight');
    await workbench
      .treeItem(/^Cookie/)
      .first()
      .waitFor();
    await workbench.screenshot(join(pictures, 'transcripts.png'));
    expect(await workbench.treeItem(/^Cookie/).count()).toBeGreaterThan(0);
  });

  test('reads in the output channel who asked whom', async ({ workbench }) => {
    await workbench.command('Agent Logbook: Show Log');
    await workbench.text('panel').getByText('Pickle → @Cookie:').first().waitFor();
    await workbench.screenshot(join(pictures, 'output.png'));
  });

  test('still finds it after the window was reloaded', async ({ workbench }) => {
    await workbench.reload();
    await workbench.treeItem('Why were there so few cookies on Tuesday?').first().waitFor();
  });

  test('exports the transcript to Markdown', async ({ workbench }) => {
    await workbench.treeItem('Why were there so few cookies on Tuesday?').first().click();
    await workbench.command('Agent Logbook: Export Transcript to Markdown');
    await workbench
      .tab(/Untitled-\d/)
      .first()
      .waitFor();
    await workbench.screenshot(join(pictures, 'markdown.png'));
  });
});
