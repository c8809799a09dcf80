import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { isDeep } from '../support/fixedInputs.js';
import { pictures, uiTest } from './support/uiTest.js';

const CONVERSATIONS = isDeep ? 10_000 : 2_000;
const WANTED = CONVERSATIONS - 223;
const DAYS = 10;
const DAY = 24 * 60 * 60 * 1000;

/** Writes the journals of conversations of one prompt each, `DAYS` days of them, the newest today. */
async function keepMany(workspace: string): Promise<void> {
  const store = join(workspace, '.agent-logbook');
  await mkdir(store, { recursive: true });
  await writeFile(join(store, '.logbook'), '{"logbook":1}\n');
  const now = Date.now();
  for (let first = 0; first < CONVERSATIONS; first += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => keepOne(store, first + at, now)));
  }
}

async function keepOne(store: string, number: number, now: number): Promise<void> {
  const conversation = `c_${number}`;
  const time = now - (number % DAYS) * DAY;
  const prompt = {
    seq: 1,
    id: `m_${number}`,
    time,
    conversation,
    run: 'r_1',
    call: 'k_1',
    agent: 'Pickle',
    depth: 0,
    type: 'message',
    message: { role: 'user', content: `Order number ${number}` },
  };
  const folder = join(store, 'conversations', conversation);
  await mkdir(folder, { recursive: true });
  const lines = [{ logbook: 1, conversation, created: time }, prompt].map((line) => JSON.stringify(line));
  await writeFile(join(folder, 'messages.jsonl'), `${lines.join('\n')}\n`);
}

/** The row of the newest day: today, or yesterday where midnight has passed since they were written. */
const NEWEST_DAY = ['Today', 'Yesterday']
  .map(
    (day) =>
      `.pane-body .monaco-list-row[aria-label="${day}, ${(CONVERSATIONS / DAYS).toLocaleString('en')} sessions"]`,
  )
  .join(', ');

const test = uiTest({ prepare: keepMany });

describe('a logbook of thousands of conversations', () => {
  test('is listed by day, and a filter finds one of them', async ({ workbench }) => {
    await workbench.view('Agent Logbook');
    await workbench.page.locator(NEWEST_DAY).first().waitFor();
    await workbench.treeItem('Order number').first().waitFor();
    await workbench.screenshot(join(pictures, 'tree-many.png'));

    await workbench.command('Agent Logbook: Filter Transcripts…');
    await workbench.quickInput.answer(`number ${WANTED}`);
    await workbench.page.getByText(`1 of ${CONVERSATIONS} match`).waitFor();
    await workbench.open(workbench.treeItem(`Order number ${WANTED}`).first(), `Order number ${WANTED}`);
    await workbench.webview().getByText(`Order number ${WANTED}`).first().waitFor();
  });

  test('stays so when the window is loaded anew', async ({ workbench }) => {
    await workbench.reload();
    const nothing = workbench.page.getByText(/^Nothing is here yet/);
    const rows = workbench.treeItem('Order number').first();
    // Whatever is seen first, it is not that there is nothing.
    await nothing.or(rows).first().waitFor();
    expect(await nothing.count()).toBe(0);
    await workbench.page.locator(NEWEST_DAY).first().waitFor();
  });
});
