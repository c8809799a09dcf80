import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { StoryTeller } from '../support/storyTeller.js';
import { keepStories } from './support/pastStories.js';
import { pictures, uiTest } from './support/uiTest.js';
import { STARTUP_MS, type Workbench } from './support/workbench.js';

/** How long an answer may take on a busy machine, in milliseconds. */
const ANSWER_MS = 60_000;

const test = uiTest({
  extensions: [join(import.meta.dirname, 'extensions/reading-model')],
  prepare: async (folder) => {
    const story = new StoryTeller();
    const planner = story.run('planner', 'Find out why the export fails');
    planner.useTool('read_file', { path: 'src/export.ts' }, 'export const days = 7;');
    planner.useTool('run_command', { command: 'npm test' }, 'no tests were found', { isError: true });
    planner.say('The range is counted in seconds.');
    planner.end();
    // What was said just now is left out: it may be the session that asks.
    await keepStories(folder, [{ title: 'Why the export fails', daysAgo: 1, story }]);
  },
});

/**
 * Asks in the Chat view until the words of an answer stand there. It looks for its models when it is asked first, and refuses what
 * is asked before it has found them; what is asked behind that waits for ever, so that each question begins a chat of its own.
 */
async function ask(workbench: Workbench, question: string, answer: string): Promise<void> {
  const field = workbench.page.locator('.interactive-input-part .monaco-editor').first();
  const words = workbench.page.locator('.interactive-response').getByText(answer).first();
  const refused = workbench.page
    .locator('.interactive-response')
    .getByText(/Language model unavailable|You need to set up/);
  const asked = workbench.page.locator('.monaco-dialog-modal-block');
  const attempt = async () => {
    await field.click();
    await workbench.page.keyboard.press('Control+a');
    await workbench.page.keyboard.type(question);
    await workbench.page.keyboard.press('Enter');
    await words.or(refused).or(asked).first().waitFor({ timeout: ANSWER_MS });
    // A click answers what lies over the window; what was asked may then be sent.
    await field.click();
    await words
      .or(refused)
      .first()
      .waitFor({ timeout: ANSWER_MS / 4 });
    if ((await words.count()) > 0) return;
    await workbench.page.locator('.part.auxiliarybar [aria-label^="New Chat"]').first().click();
    throw new Error('The Chat view has found no model yet.');
  };
  await vi.waitFor(attempt, { timeout: STARTUP_MS, interval: 500 });
}

test('@logbook answers from what is recorded, and leads to the message that it cites', async ({
  workbench,
}) => {
  await workbench.command('Chat: Open Chat');
  await ask(workbench, '@logbook What failed?', 'One command failed');
  const cited = workbench.page.getByRole('button', { name: /^\[1\] Record \d+ of Why the export fails/ });
  await cited.first().waitFor();
  await workbench.screenshot(join(pictures, 'chat-answer.png'));
  await cited.first().click();
  const row = workbench.webview().locator('.row', { hasText: 'npm test' }).first();
  await row.waitFor();
  await workbench.screenshot(join(pictures, 'chat-cited.png'));
});

test('where the model cannot be asked, that is said and the search offered', async ({ workbench }) => {
  await workbench.command('Chat: Open Chat');
  await ask(workbench, '@logbook be silent', 'No model could be asked');
  await workbench.screenshot(join(pictures, 'chat-without-model.png'));
  await workbench.page.getByRole('button', { name: 'Search Transcripts' }).first().click();
  const field = workbench.searchView().getByRole('combobox', { name: 'Search all conversations' });
  await expect.poll(() => field.inputValue()).toBe('be silent');
  await workbench.screenshot(join(pictures, 'chat-search.png'));
});

test('the offer to sign in, with which VS Code answers whom it does not know, stands in nobody’s way', async ({
  workbench,
}) => {
  const { page } = workbench;
  await workbench.command('Chat: Open Chat');
  await page.locator('.interactive-input-part .monaco-editor').first().click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Is anybody there?');
  await page.keyboard.press('Enter');
  // Not by a locator, whose waiting would have it answered.
  await page.waitForFunction(() => document.querySelector('.monaco-dialog-modal-block') !== null);
  await workbench.screenshot(join(pictures, 'chat-sign-in.png'));
  await ask(workbench, '@logbook What failed?', 'One command failed');
  expect(await page.locator('.monaco-dialog-modal-block').count()).toBe(0);
});
