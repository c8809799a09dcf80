import { appendFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const line = (type: string, uuid: string, message: object) =>
  `${JSON.stringify({ type, uuid, sessionId: 's1', timestamp: '2026-11-02T10:00:00Z', message })}\n`;
const ask = (uuid: string, content: string) => line('user', uuid, { role: 'user', content });
const piece = (uuid: string, text: string) =>
  line('assistant', uuid, { id: 'm1', role: 'assistant', content: [{ type: 'text', text }] });

const test = uiTest({
  prepare: async (folder) => {
    const strange = '{"type": "user", "broken\n';
    await writeFile(
      join(folder, 'session.jsonl'),
      `${ask('u1', 'Which drawer has the spoons?')}${strange}${piece('a1', 'The upper one.')}`,
    );
  },
});

/** What the text editor in front shows. */
const editorText = async (workbench: Workbench) =>
  (await workbench.text('editor').innerText()).replace(/\s/g, ' ');

/** The panel in front. */
function panelOf(workbench: Workbench) {
  const page = workbench.webview();
  const facts = page.locator('.fact');
  return {
    state: page.locator('.badge'),
    problems: page.getByRole('button', { name: '1 place not understood' }),
    row: (text: string) => page.locator('.row', { hasText: text }).first(),
    facts: async () => (await facts.allTextContents()).map((text) => text.replace(/\s+/g, ' ')),
  };
}

describe('a file of another tool', () => {
  test('opens where it is from the explorer, and says what it is', async ({ workbench }) => {
    await workbench.command('View: Show Explorer');
    const entry = workbench.page.locator('.explorer-folders-view .monaco-list-row', {
      hasText: 'session.jsonl',
    });
    await workbench.fromMenu(entry.first(), 'Open File as Transcript…');
    const { row, facts, problems, state } = panelOf(workbench);
    await row('Which drawer has the spoons?').waitFor();
    await row('The upper one.').waitFor();
    await expect.poll(facts).toEqual(expect.arrayContaining(['Claude Code', 'Shown: where it is, not kept']));
    await problems.waitFor();
    // It was written just now, so its agent may be at work; but not one that could be stopped from here.
    await state.getByText('Running').waitFor();
    expect(await workbench.webview().getByRole('button', { name: 'Stop' }).count()).toBe(0);
    await workbench.screenshot(join(pictures, 'open-file.png'));
  });

  test('grows in its panel, also where what was said before changes', async ({ workbench }) => {
    const path = join(workbench.folder, 'session.jsonl');
    const { row } = panelOf(workbench);
    await appendFile(path, piece('a2', 'Look behind the forks.'));
    await row('Look behind the forks.').waitFor();
    await appendFile(path, ask('u2', 'And the cups?'));
    await row('And the cups?').waitFor();
    await workbench.screenshot(join(pictures, 'open-file-grown.png'));
  });

  test('tells what was not understood in its header, which leads to the report, also of a copy', async ({
    workbench,
  }) => {
    await workbench.page.getByRole('button', { name: 'Keep a Copy' }).click();
    const told = await workbench.told('Imported 1 conversation');
    await told.getByRole('button', { name: 'Open' }).click();
    const { row, facts, problems, state } = panelOf(workbench);
    await row('And the cups?').waitFor();
    await state.getByText('Recorded').waitFor();
    await expect.poll(async () => (await facts()).join()).not.toContain('not kept');
    await problems.waitFor();
    await workbench.screenshot(join(pictures, 'imported-problems.png'));
    await problems.click();
    await expect.poll(() => editorText(workbench)).toMatch(/line 2, error: /);
    await workbench.command('View: Revert and Close Editor');
    await workbench.tab(/Untitled/).waitFor({ state: 'detached' });
    await workbench.command('View: Close Editor');
    await expect.poll(() => workbench.page.locator('.part.editor .tab').count()).toBe(1);
  });

  test('is read anew when it was cut off, which is told', async ({ workbench }) => {
    const { row, facts } = panelOf(workbench);
    await row('And the cups?').waitFor();
    // The same document all along: VS Code draws a window for good in which one was replaced.
    const document = workbench.webview().locator('body');
    await document.evaluate((body) => body.classList.add('is-same'));
    await writeFile(join(workbench.folder, 'session.jsonl'), ask('v1', 'A new day, a new file.'));
    await row('A new day, a new file.').waitFor();
    expect(await document.getAttribute('class')).toContain('is-same');
    expect(await workbench.webview().locator('.page').count()).toBe(1);
    await expect
      .poll(async () => (await facts()).join())
      .toMatch(/Replaced or cut off, and read anew: \d\d:\d\d:\d\d/);
    await workbench.screenshot(join(pictures, 'open-file-anew.png'));
  });

  test('is read anew while its page is still loading its files', async ({ workbench }) => {
    const { page } = workbench;
    const style = /webview(?:\/|%2F)main\.css/;
    await workbench.command('File: New Untitled Text File');
    await page.route(style, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      await route.continue();
    });
    const loading = page.waitForRequest(style);
    await workbench.command('View: Close Editor');
    await loading;
    await writeFile(join(workbench.folder, 'session.jsonl'), ask('w1', 'Newer than the page.'));
    await panelOf(workbench).row('Newer than the page.').waitFor();
    await page.unroute(style);
    await writeFile(join(workbench.folder, 'session.jsonl'), ask('v2', 'A new day, a new file.'));
    await panelOf(workbench).row('A new day, a new file.').waitFor();
  });

  test('has a report of what was read of it', async ({ workbench }) => {
    await workbench.page.getByRole('button', { name: 'Show Import Report' }).click();
    await workbench.tab(/Untitled/).waitFor();
    await expect.poll(() => editorText(workbench)).toContain('What was read of a file');
    await workbench.screenshot(join(pictures, 'open-file-report.png'));
  });

  test('that is dropped on a panel opens as a transcript of its own', async ({ workbench }) => {
    const path = join(workbench.folder, 'dropped.jsonl');
    await writeFile(path, ask('d1', 'Where do dropped spoons go?'));
    await workbench.tab(/session\.jsonl|A new day/).click();
    const page = workbench.webview().locator('.page');
    await panelOf(workbench).row('A new day, a new file.').waitFor();
    const dataTransfer = await page.evaluateHandle((_page, uri) => {
      const data = new DataTransfer();
      data.setData('text/uri-list', uri);
      return data;
    }, pathToFileURL(path).href);
    await page.dispatchEvent('drop', { dataTransfer });
    await panelOf(workbench).row('Where do dropped spoons go?').waitFor();
  });
});
