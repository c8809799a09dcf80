import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { uiTest } from './support/uiTest.js';

const test = uiTest();

describe('a store that cannot be written', () => {
  test('is told with what to do, and the run goes on', async ({ workbench }) => {
    await writeFile(join(workbench.folder, '.agent-logbook'), 'in the way');
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Why were there so few cookies on Tuesday?');
    const notice = await workbench.told('stands where the store keeps its files.');
    expect(await notice.innerText()).toContain(`Remove it from ${join(workbench.folder, '.agent-logbook')}.`);
    await workbench.page.locator('.statusbar-item', { hasText: 'Not saved' }).waitFor();
    await workbench.told('upside down');
  });

  test('is written as soon as it can be, with all that was said', async ({ workbench }) => {
    const store = join(workbench.folder, '.agent-logbook');
    await rm(store);
    await workbench.told('The store can be written again: all that was waiting is saved.');
    await workbench.page.locator('.statusbar-item', { hasText: 'Not saved' }).waitFor({ state: 'detached' });
    const [conversation = ''] = await readdir(join(store, 'conversations'));
    const journal = await readFile(join(store, 'conversations', conversation, 'messages.jsonl'), 'utf8');
    expect(journal).toContain('Why were there so few cookies on Tuesday?');
    expect(journal).toContain('"type":"callEnd"');
  });
});
