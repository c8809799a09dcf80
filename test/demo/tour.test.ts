import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { uiTest } from '../ui/support/uiTest.js';
import { kitchenTour, QUESTION, quietPicture, showTwoLevels } from './kitchenTour.js';

/** The pictures and the exported text of the tour; the README shows some of them. */
const demo = join(import.meta.dirname, '../../demo');

const test = uiTest();

test('the tour: run, watch, filter, read, export', async ({ workbench }) => {
  const { page, quickInput } = workbench;
  await mkdir(demo, { recursive: true });
  const picture = (name: string) => quietPicture(workbench, join(demo, `${name}.png`));

  await workbench.view('Agent Logbook');
  await workbench.treeItem('Pickle').first().waitFor();
  await workbench.command('Agent Logbook: Run Agent…');
  await quickInput.choice('Pickle').first().waitFor();
  await picture('1-choose-agent');
  await quickInput.cancel();

  const panel = await kitchenTour(workbench);
  await showTwoLevels(panel);
  await picture('2-transcript');

  for (const [name, tab] of [
    ['3-timeline', 'Timeline'],
    ['4-statistics', 'Statistics'],
    ['5-tools', 'Tools'],
  ] as const) {
    await panel.getByRole('tab', { name: tab }).click();
    await panel.locator(`#view-${tab.toLowerCase()} :is(.timeline-svg, table)`).first().waitFor();
    await picture(name);
  }
  await panel.getByRole('tab', { name: 'Messages' }).click();
  await panel.locator('.question-input').fill('butter');
  await panel
    .getByText(/^[1-9]\d* of \d+ rows$/)
    .first()
    .waitFor();
  await picture('6-filter');
  await panel.locator('.question-input').fill('');

  await workbench.doneConversation(QUESTION).click();
  await workbench.command('Agent Logbook: Export Transcript to Markdown');
  await workbench
    .tab(/Untitled-\d/)
    .first()
    .waitFor();
  await workbench.text('editor').getByText('Pickle').first().waitFor();
  // What is told of this export must not be taken for what is told of the next.
  await workbench.told(/Exported \d+ messages/);
  await workbench.command('Notifications: Clear All Notifications');
  await picture('7-markdown');

  await workbench.doneConversation(QUESTION).click();
  await workbench.command('Agent Logbook: Export Transcript…');
  await quickInput.choose(/^Markdown$/);
  await quickInput.choose('To a file…');
  // VS Code proposes the conversation's title as the file's name.
  const proposed = quickInput.box.locator('input').first();
  await expect.poll(() => proposed.inputValue()).toMatch(/\.md$/);
  const file = await proposed.inputValue();
  await page.keyboard.press('Enter');
  await workbench.told(/Exported \d+ messages/);
  // It says where a command ran; which folder that was on this machine is nobody's business.
  const text = (await readFile(file, 'utf8')).replaceAll(dirname(file), '/home/you/team');
  await writeFile(join(demo, 'transcript.md'), text);
});
