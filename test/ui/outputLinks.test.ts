import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, vi } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const QUESTION = 'Why were there so few cookies on Tuesday?';

const dataDir = await mkdtemp(join(tmpdir(), 'agent-logbook-data-'));
const test = uiTest({ dataDir });

afterAll(() => rm(dataDir, { recursive: true, force: true }));

/** Shows the trees; the button would hide them where the window before has left them open. */
async function showTrees(workbench: Workbench): Promise<void> {
  const trees = workbench.section('Transcripts');
  const show = async () => {
    if (!(await trees.isVisible())) await workbench.view('Agent Logbook');
    await trees.waitFor({ timeout: 5_000 });
  };
  await vi.waitFor(show, { timeout: 60_000, interval: 1_000 });
}

async function run(workbench: Workbench, prompt: string): Promise<void> {
  await workbench.runAgent('Pickle', prompt);
  await workbench.doneConversation(prompt).waitFor({ timeout: 60_000 });
}

/** The mark that the output channel has at the end of what Pickle answered. */
async function markOfAnswer(): Promise<string> {
  const files = await readdir(join(dataDir, 'data/logs'), { recursive: true });
  const logs = files.filter((file) => file.endsWith('Agent Logbook.log'));
  const texts = await Promise.all(logs.map((file) => readFile(join(dataDir, 'data/logs', file), 'utf8')));
  return /Pickle: The card is fine.*(\[↗ [0-9a-f]+\])/.exec(texts.join('\n'))?.[1] ?? '';
}

/** Has Pickle answer with what an output channel of an earlier window says. */
async function quote(workbench: Workbench, mark: string): Promise<void> {
  const [name = ''] = (await readdir(workbench.folder)).filter((file) => file.endsWith('.script.yaml'));
  const path = join(workbench.folder, name);
  const script = await readFile(path, 'utf8');
  await writeFile(path, script.replace('The card is fine.', `Before: ${mark} .`));
}

/** A link of the channel; one that was followed stays active where the key is let go in what it opened. */
const LINK = '.part.panel :is(.detected-link, .detected-link-active)';

/** Follows a link of the channel until what it leads to is there. */
async function follow(workbench: Workbench, mark: string, there: () => Promise<unknown>): Promise<void> {
  const digits = /[0-9a-f]+/.exec(mark)?.[0] ?? '';
  const link = workbench.page.locator(LINK, { hasText: digits }).first();
  await vi.waitFor(
    async () => {
      await workbench.command('Agent Logbook: Show Log');
      await link.click({ modifiers: ['Control'], timeout: 5_000 });
      await there();
    },
    { timeout: 90_000 },
  );
}

describe('links in the output channel', () => {
  test('lead to the conversation also in the next window', async ({ workbench }) => {
    await showTrees(workbench);
    await run(workbench, QUESTION);
    await expect.poll(markOfAnswer).not.toBe('');
    const mark = await markOfAnswer();
    await quote(workbench, mark);
    await expect.poll(() => workbench.isKeptForReload(/transcriptMarks/), { timeout: 60_000 }).toBe(true);
    await workbench.reload();
    await showTrees(workbench);
    await run(workbench, 'Ask again.');
    await follow(workbench, mark, () => workbench.tab(QUESTION).waitFor({ timeout: 5_000 }));
    await workbench.webview().getByText('The card is fine.').first().waitFor();
    await workbench.screenshot(join(pictures, 'output-link.png'));
  });

  test('say it where the conversation was deleted', async ({ workbench }) => {
    const row = workbench.doneConversation(QUESTION);
    await row.hover();
    await row.getByRole('button', { name: 'Delete Conversation' }).click();
    await workbench.dialog(`Delete "${QUESTION}"?`).getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    const words = 'This conversation is not there any more.';
    await follow(workbench, await markOfAnswer(), () => workbench.told(words));
  });
});
