import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { teamStory } from '../support/teamStory.js';
import { panelTest } from './support/panelTest.js';

/** What is dragged: texts by their types, and files of the desktop by their names. */
interface Dragged {
  readonly texts?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
}

/** Sends the page an event of a drag, as a browser does. */
async function drag(page: Page, event: string, { texts = {}, files = [] }: Dragged): Promise<void> {
  const dataTransfer = await page.evaluateHandle(
    ([all, names]) => {
      const data = new DataTransfer();
      for (const [type, text] of Object.entries(all)) data.setData(type, text);
      for (const name of names) data.items.add(new File(['{}'], name));
      return data;
    },
    [texts, files] as const,
  );
  await page.locator('.page').dispatchEvent(event, { dataTransfer });
}

const URI = 'file:///home/me/session.jsonl';
const fromExplorer = { texts: { 'text/uri-list': `${URI}\r\n` } };

panelTest('files that are dropped on the panel are opened, each by its address', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await drag(page, 'dragover', fromExplorer);
  await page.getByText('Drop to open as a transcript').waitFor();
  await drag(page, 'drop', {
    texts: { 'text/uri-list': `# two\r\n${URI}`, 'application/vnd.code.uri-list': `${URI}\nfile:///b.jsonl` },
  });
  expect(await panel.wasDone('openDropped')).toBe(`openDropped ${URI} file:///b.jsonl`);
  await page.getByText('Drop to open as a transcript').waitFor({ state: 'hidden' });
});

panelTest(
  'a file of the desktop, of which a page is told no place, is told what can be done',
  async ({ open }) => {
    const { page } = await open({ story: teamStory() });
    await drag(page, 'drop', { files: ['session.jsonl'] });
    await page.getByText('A page is not told where a file of the desktop lies.').waitFor();
  },
);

panelTest('a text, and what is dragged from within the page, is not taken', async ({ open }) => {
  const panel = await open({ story: teamStory() });
  const { page } = panel;
  await drag(page, 'dragover', { texts: { 'text/plain': URI } });
  expect(await page.locator('.drop-invitation').isVisible()).toBe(false);
  await drag(page, 'dragstart', fromExplorer);
  await drag(page, 'dragover', fromExplorer);
  expect(await page.locator('.drop-invitation').isVisible()).toBe(false);
  await drag(page, 'drop', fromExplorer);
  await drag(page, 'dragend', fromExplorer);
  await drag(page, 'drop', { texts: { 'text/uri-list': 'file:///next.jsonl' } });
  expect(await panel.wasDone('openDropped')).toBe('openDropped file:///next.jsonl');
});
