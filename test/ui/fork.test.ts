import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { newConversationId } from '../../src/core/ids.js';
import { silentLog } from '../../src/core/ports/log.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { STORY_START } from '../support/storyTeller.js';
import { pictures, uiTest } from './support/uiTest.js';

const ASKED = 'Why were there so few cookies on Tuesday?';

/** Keeps a session of another tool in the store of a folder. */
async function keepTheirs(folder: string): Promise<void> {
  const root = join(folder, '.agent-logbook');
  const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
  const conversation = newConversationId(STORY_START);
  const place = { run: 'r', call: 'c', agent: 'Claude', depth: 0, conversation, time: STORY_START };
  const said = [
    { role: 'user', content: 'Why is the bread flat?' },
    { role: 'assistant', content: 'It has no yeast.' },
  ] as const;
  await store.importConversation(
    conversation,
    said.map((message, at) => ({ seq: at + 1, id: `m${at}`, ...place, type: 'message', message })),
    undefined,
    { tool: 'claude-code', session: 'theirs', title: 'Flat bread' },
  );
  await store.close();
}

const test = uiTest({ prepare: keepTheirs });

describe('a conversation goes on from a message of another one', () => {
  test('with another result of a call, beside the run, which stays as it is', async ({ workbench }) => {
    const store = join(workbench.folder, '.agent-logbook/conversations');
    const before = new Set(await readdir(store));
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', ASKED);
    await workbench.told('The card is fine');
    const [origin = ''] = (await readdir(store)).filter((name) => !before.has(name));
    const journal = join(store, origin, 'messages.jsonl');
    const bytes = await readFile(journal);
    await workbench.open(workbench.doneConversation(ASKED), ASKED);
    const row = workbench.webview().locator('.row', { hasText: 'Cookie knows every drawer' }).first();
    await row.click();
    await workbench.screenshot(join(pictures, 'fork-button.png'));
    await row.locator('.row-toolbar vscode-button[aria-label="Go on from here"]').click();
    await workbench.quickInput.choice('Make Its Calls Again').waitFor();
    await workbench.screenshot(join(pictures, 'fork-ways.png'));
    await workbench.quickInput.choose('Another Result of subagent_dispatch');
    await workbench.quickInput.choice('Pickle as Before').waitFor();
    await workbench.screenshot(join(pictures, 'fork-who.png'));
    await workbench.quickInput.choose('Pickle as Before');
    const notice = await workbench.told('Change the text as you want it');
    await workbench.screenshot(join(pictures, 'fork-text.png'));
    await notice.getByRole('button', { name: 'Go On' }).click();
    await workbench.webview().getByText('goes on from message').first().waitFor();
    await workbench.webview().getByText('edited by you').waitFor();
    const fork = workbench.page.locator('.pane-body .monaco-list-row', { hasText: 'goes on from another' });
    await fork.first().waitFor();
    await workbench.screenshot(join(pictures, 'fork-done.png'));
    for (const [theme, kind] of [
      ['Light Modern', 'vscode-light'],
      ['Dark High Contrast', 'vscode-high-contrast'],
      ['Dark Modern', 'vscode-dark'],
    ] as const) {
      await workbench.chooseTheme(theme);
      // The page hears of its theme after the window.
      await workbench.webview().locator(`body.${kind}`).waitFor();
      await workbench.screenshot(join(pictures, `fork-done-${theme.replaceAll(' ', '-')}.png`));
    }
    const tooltip = await workbench.tooltipOf(fork.first(), 'Goes on from');
    await tooltip.waitFor();
    await workbench.screenshot(join(pictures, 'fork-tooltip.png'));
    expect(await readFile(journal)).toEqual(bytes);
    await workbench.closeEditors();
  });

  test('and is compared with it by one click', async ({ workbench }) => {
    const fork = workbench.page.locator('.pane-body .monaco-list-row', { hasText: 'goes on from another' });
    await workbench.pointAt(fork.first());
    await fork.first().getByRole('button', { name: 'Compare' }).click();
    await workbench.webview().getByText('from message').first().waitFor();
    await workbench.screenshot(join(pictures, 'fork-compare.png'));
    await workbench.closeEditors();
  });

  test('its page leads to what the origin said', async ({ workbench }) => {
    const fork = workbench.page.locator('.pane-body .monaco-list-row', { hasText: 'goes on from another' });
    await workbench.open(fork.first(), ASKED);
    await workbench.webview().getByRole('button', { name: 'What the origin said' }).click();
    // The run that it goes on from is open, at the call whose result was another.
    await workbench
      .webview()
      .locator('.row.selected', { hasText: 'Show the conversation of Cookie' })
      .first()
      .waitFor();
    await workbench.screenshot(join(pictures, 'fork-origin.png'));
    await workbench.closeEditors();
  });

  test('a session of another tool is handed over up to the message', async ({ workbench }) => {
    const theirs = workbench.page.locator('.pane-body .monaco-list-row', { hasText: 'Flat bread' });
    await workbench.open(theirs.first(), 'Flat bread');
    await workbench.command('Agent Logbook: Go On from Here…');
    await workbench.quickInput.choose('Why is the bread flat?');
    await workbench.quickInput.choose('Claude Code');
    await workbench.told('Handed over to Claude Code: 1 message');
  });
});
