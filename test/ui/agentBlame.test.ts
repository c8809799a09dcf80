import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();
const TIME = Date.parse('2026-03-01T10:00:00Z');
const ID = 'c_cake';
const THEMES = [
  ['Light Modern', 'vscode-light'],
  ['Dark Modern', 'vscode-dark'],
  ['Dark High Contrast', 'vscode-high-contrast'],
] as const;
const WRITTEN = 'export const eggs = 12;\nexport const butter = 250;\nexport const sugar = 200;\n';

/** A conversation in the store of a workspace in which an agent has written a file. */
async function keepConversation(folder: string): Promise<void> {
  const call = { name: 'write_file', arguments: JSON.stringify({ path: 'cake.ts', content: WRITTEN }) };
  const test = { name: 'run_command', arguments: JSON.stringify({ command: 'npm test' }) };
  const said = 'A dozen eggs, or it falls.';
  const asks = { model: 'claude-sonnet-4-5', usage: { inputTokens: 10_000, outputTokens: 0 } };
  const approval = { toolName: 'write_file', toolCallId: 'w1', subject: 'cake.ts', decision: 'approved' };
  const bodies = [
    { message: { role: 'user', content: 'Write down the cake.' } },
    {
      message: {
        role: 'assistant',
        content: said,
        tool_calls: [{ id: 'w1', type: 'function', function: call }],
      },
      ...asks,
    },
    { type: 'approval', ...approval, decidedBy: 'user', waitedMs: 10 },
    { message: { role: 'tool', tool_call_id: 'w1', content: 'Written.' } },
    {
      message: {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'c1', type: 'function', function: test }],
      },
    },
    { message: { role: 'tool', tool_call_id: 'c1', content: 'All 12 eggs passed.' } },
    { message: { role: 'assistant', content: 'It is written down.' } },
  ];
  const place = { run: 'r_1', call: 'k_1', agent: 'Baker', depth: 0, conversation: ID };
  const records = bodies.map((body, at) => ({
    seq: at + 1,
    id: `m_${at}`,
    time: TIME + at,
    ...place,
    type: 'message',
    ...body,
  }));
  const lines = [{ logbook: 1, conversation: ID, created: TIME }, ...records].map((line) =>
    JSON.stringify(line),
  );
  const journal = join(folder, '.agent-logbook/conversations', ID);
  await mkdir(journal, { recursive: true });
  await writeFile(join(journal, 'messages.jsonl'), `${lines.join('\n')}\n`);
  await writeFile(join(folder, '.agent-logbook/.logbook'), '{"logbook":1}\n');
}

describe('who wrote a line', () => {
  test('is shown in what is opened where the setting wants it', async ({ workbench }) => {
    const { folder, page } = workbench;
    const set = async (settings: object) => {
      await mkdir(join(folder, '.vscode'), { recursive: true });
      await writeFile(join(folder, '.vscode/settings.json'), JSON.stringify(settings));
    };
    await keepConversation(folder);
    await writeFile(join(folder, 'cake.ts'), WRITTEN);
    await set({ 'agentLogbook.blame.show': true });
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Write down the cake.').first().waitFor();
    await workbench.view('Explorer');
    await page.locator('.explorer-folders-view').getByText('cake.ts').dblclick();
    await workbench.text('editor').getByText('butter').waitFor();
    const bars = page.locator('.part.editor .margin [class*="ced-"]');
    await expect.poll(() => bars.count()).toBe(3);
    await workbench.screenshot(join(pictures, 'agentBlame-setting.png'));
    await workbench.command('Agent Logbook: Show or Hide Agent Blame');
    await expect.poll(() => bars.count()).toBe(0);
    await workbench.command('Agent Logbook: Show or Hide Agent Blame');
    await expect.poll(() => bars.count()).toBe(3);
    await set({});
    await expect.poll(() => bars.count()).toBe(0);
    await workbench.command('View: Close All Editors');
  });

  test('is shown beside it, and leads to the prompt', async ({ workbench }) => {
    const { page } = workbench;
    await keepConversation(workbench.folder);
    const byHand = WRITTEN.replace('export const butter', 'export const flour = 400; // by hand\n$&');
    await writeFile(join(workbench.folder, 'cake.ts'), byHand);
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Write down the cake.').first().waitFor();
    await workbench.view('Explorer');
    await page.locator('.explorer-folders-view').getByText('cake.ts').dblclick();
    const editor = workbench.text('editor');
    await editor.getByText('by hand').waitFor();
    await workbench.command('Agent Logbook: Show or Hide Agent Blame');
    await workbench.told('Agents wrote 3 of 4 lines of this file');
    await editor.getByText('butter').hover();
    const hover = page.locator('.monaco-hover').filter({ hasText: 'Write down the cake.' });
    await hover.waitFor();
    await workbench.screenshot(join(pictures, 'agentBlame.png'));
    const told = (await hover.innerText()).replaceAll(/\s+/g, ' ');
    for (const words of ['Baker', 'by a person', '$0.03, of the request that asked for it'])
      expect(told).toContain(words);
    await editor.getByText('butter').click();
    await workbench.command('Agent Logbook: Why Is This Line Here?');
    const { quickInput } = workbench;
    await quickInput.choice('The prompt').waitFor();
    const steps = await quickInput.box.innerText();
    const wanted = [
      'Write down the cake.',
      'A dozen eggs, or it falls.',
      'cake.ts',
      'by a person',
      'npm test: no failure is told',
    ];
    for (const words of wanted) expect(steps).toContain(words);
    for (const [theme, kind] of THEMES) {
      await quickInput.cancel();
      await workbench.chooseTheme(theme);
      await editor.getByText('butter').click();
      await workbench.command('Agent Logbook: Why Is This Line Here?');
      await quickInput.choice('The prompt').waitFor();
      await workbench.screenshot(join(pictures, `whyIsThisLineHere-${kind}.png`));
    }
    await quickInput.choose('The test that followed');
    await workbench.webview().getByText('npm test').first().waitFor();
    await workbench.webview().getByText('It is written down.').first().waitFor();
    await workbench.screenshot(join(pictures, 'whyIsThisLineHere.png'));
    await workbench.webview().getByText('kept 3 of 3 lines').waitFor();
    for (const [theme, kind] of THEMES) {
      await workbench.chooseTheme(theme);
      await workbench.webview().locator(`body.${kind}`).waitFor();
      await workbench.screenshot(join(pictures, `kept-lines-${kind}.png`));
    }
  });

  test('is told of a branch as a page, with what no session covers', async ({ workbench }) => {
    const { folder } = workbench;
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...words], { cwd: folder });
    await writeFile(join(folder, 'oven.ts'), 'export const hot = true;\n');
    git('init', '-q', '-b', 'main');
    git('add', 'oven.ts');
    git('commit', '-q', '-m', 'Light the oven');
    git('checkout', '-q', '-b', 'topic');
    await keepConversation(folder);
    await writeFile(join(folder, 'cake.ts'), WRITTEN);
    git('add', 'cake.ts');
    git('commit', '-q', '-m', 'Add the cake');
    await writeFile(join(folder, 'flour.ts'), 'export const flour = 400;\n');
    git('add', 'flour.ts');
    git('commit', '-q', '-m', 'Add flour by hand');
    await workbench.view('Agent Logbook');
    await workbench.treeItem('Write down the cake.').first().waitFor();
    await workbench.command('Agent Logbook: Explain This Branch');
    const page = workbench.webview();
    await page.getByRole('heading', { name: 'What is behind topic' }).waitFor();
    const told = await page.locator('body').innerText();
    expect(told).toContain('2 commits with 4 new lines: 3 lines are proved to be of agents, in 1 session.');
    expect(told).toContain('Add flour by hand');
    expect(told).toContain('Write down the cake.');
    await workbench.screenshot(join(pictures, 'explainBranch.png'));
    for (const [theme, kind] of THEMES) {
      await workbench.chooseTheme(theme);
      await page.locator(`body.${kind}`).waitFor();
      await workbench.screenshot(join(pictures, `explainBranch-${kind}.png`));
    }
    await workbench.page.setViewportSize({ width: 700, height: 450 });
    await page.getByRole('heading', { name: 'Commits' }).waitFor();
    await workbench.screenshot(join(pictures, 'explainBranch-small.png'));
  });
});
