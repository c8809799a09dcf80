import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentLogbook } from '../support/commandLine.js';
import { pictureOf } from './support/inEachTheme.js';
import { pictures, uiTest } from './support/uiTest.js';

const ASKED = 'Salt the menu.';

/** What Scribe does by its script, each time it is asked: it reads the menu, salts it, and makes a list. */
const SCRIPT = `
  Scribe:
    - expect: { role: user }
      toolCalls: [{ name: read_file, arguments: { path: menu.txt } }]
    - expect: { role: tool, contains: soup }
      text: Now the salt.
      toolCalls:
        - name: edit_file
          arguments: { path: menu.txt, old_text: soup, new_text: salty soup }
        - name: write_file
          arguments: { path: list.txt, content: "salt\\n" }
    - expect: { role: tool, contains: list.txt }
      text: It is salted.
    - text: Nothing more.
`;

const git = (folder: string, ...words: readonly string[]) =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@x', ...words]);

/** What Taster does by its script, each time it is asked. */
const TASTING = `
  Taster:
    - toolCalls: [{ name: read_file, arguments: { path: menu.txt } }]
    - text: It wants salt.
`;

/** A repository with a menu, which an agent has salted. */
async function prepare(folder: string): Promise<void> {
  await writeFile(join(folder, 'menu.txt'), 'soup\n');
  const scribe = '---\nname: Scribe\ndescription: Writes\ntools: [read, edit]\n---\nYou write.\n';
  await writeFile(join(folder, '.github/agents/scribe.agent.md'), scribe);
  const taster = '---\nname: Taster\ndescription: Tastes\ntools: [read]\n---\nYou taste.\n';
  await writeFile(join(folder, '.github/agents/taster.agent.md'), taster);
  await appendFile(join(folder, 'agents.script.yaml'), `${SCRIPT}${TASTING}`);
  git(folder, 'init', '-q');
  git(folder, 'add', '-A');
  git(folder, 'commit', '-qm', 'first');
  const { code, err } = await agentLogbook(['run', '--approve', 'all', 'Scribe', ASKED], { cwd: folder });
  if (code !== 0) throw new Error(err);
}

const test = uiTest({ prepare });

describe('what a run changed in files', () => {
  test('is told where a conversation goes on, and is as it was in a worktree', async ({ workbench }) => {
    const { folder } = workbench;
    await workbench.view('Agent Logbook');
    expect(await readFile(join(folder, 'menu.txt'), 'utf8')).toBe('salty soup\n');
    await workbench.open(workbench.doneConversation(ASKED), ASKED);
    const row = workbench.webview().locator('.row', { hasText: ASKED }).first();
    await row.click();
    await row.locator('.row-toolbar vscode-button[aria-label="Go on from here"]').click();
    await workbench.quickInput.choose('The Same Prompt');
    await workbench.quickInput.choose('Scribe as Before');
    const dialog = workbench.dialog('Since this message, 2 files changed');
    await dialog.waitFor();
    await workbench.screenshot(join(pictures, 'worktree-dialog.png'));
    // Whoever leaves begins nothing.
    await workbench.page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await readdir(`${folder}.worktrees`).catch(() => [])).toEqual([]);
    await row.locator('.row-toolbar vscode-button[aria-label="Go on from here"]').click();
    await workbench.quickInput.choose('The Same Prompt');
    await workbench.quickInput.choose('Scribe as Before');
    await dialog.getByRole('button', { name: 'Go On in a Worktree' }).click();
    await workbench.webview().getByText('goes on from message').first().waitFor();
    const trees = `${folder}.worktrees`;
    const [tree = ''] = await readdir(trees);
    expect(await readFile(join(trees, tree, 'menu.txt'), 'utf8')).toBe('soup\n');
    expect(await readdir(join(trees, tree))).not.toContain('list.txt');
    await workbench.webview().getByRole('button', { name: 'Approve', exact: true }).first().click();
    await expect.poll(() => readFile(join(trees, tree, 'menu.txt'), 'utf8')).toBe('salty soup\n');
    expect(await readFile(join(folder, 'menu.txt'), 'utf8')).toBe('salty soup\n');
    await workbench.screenshot(join(pictures, 'worktree-done.png'));
    await workbench.closeEditors();
  });

  test('is undone after a review, but for a file that was touched since', async ({ workbench }) => {
    const { folder } = workbench;
    await writeFile(join(folder, 'list.txt'), 'salt and pepper\n');
    const origin = workbench.page
      .locator('.pane-body .monaco-list-row', { hasText: ASKED })
      .filter({ hasNotText: 'goes on from another' });
    await workbench.open(origin.first(), ASKED);
    await workbench.command('Agent Logbook: Undo Changes of This Run…');
    const asked = await workbench.told('Review what undoing this run changes');
    await workbench.page.locator('.editor.modified .view-lines', { hasText: 'soup' }).first().waitFor();
    await workbench.screenshot(join(pictures, 'undo-review.png'));
    await asked.getByRole('button', { name: 'Undo 1 File' }).click();
    await workbench.told('Undone in 1 file');
    await expect.poll(() => readFile(join(folder, 'menu.txt'), 'utf8')).toBe('soup\n');
    expect(await readFile(join(folder, 'list.txt'), 'utf8')).toBe('salt and pepper\n');
  });
});

describe('a task is given several times', () => {
  test('each run has its worktree and its check, and all stand side by side', async ({ workbench }) => {
    const { quickInput, folder } = workbench;
    await workbench.command('Agent Logbook: Run N Times…');
    await quickInput.choose('Taster');
    await quickInput.message().getByText('What shall it do?').waitFor();
    await quickInput.answer('Is the soup good?');
    await quickInput.box.getByPlaceholder('By which models?').waitFor();
    await quickInput.choice('The recipe box').waitFor();
    await pictureOf(workbench, join(pictures, 'times-models'));
    await quickInput.confirm();
    await quickInput.message().getByText('How often?').waitFor();
    await quickInput.fill('none');
    await quickInput.message().getByText('A number from 1 to 100.').waitFor();
    await quickInput.answer('3');
    await quickInput.message().getByText('A command that says').waitFor();
    await quickInput.answer('grep -q soup menu.txt');
    await quickInput.message().getByText('so many dollars').waitFor();
    await quickInput.answer('2.50');
    const dialog = workbench.dialog('Run Taster 3 times?');
    await dialog.waitFor();
    await pictureOf(workbench, join(pictures, 'times-dialog'));
    const before = await readdir(`${folder}.worktrees`).catch(() => []);
    await dialog.getByRole('button', { name: 'Begin' }).click();
    await workbench.told('3 of 3 passed.');
    await workbench.webview().getByText('3 of 3').first().waitFor();
    await pictureOf(workbench, join(pictures, 'times-done'));
    expect(await readdir(`${folder}.worktrees`)).toHaveLength(before.length + 3);
  });

  test('the check says which runs did it, and Cancel ends it with the runs that were to come', async ({
    workbench,
  }) => {
    const { quickInput, folder } = workbench;
    const run = async (times: string, verify: string) => {
      await workbench.command('Agent Logbook: Run N Times…');
      await quickInput.choose('Taster');
      await quickInput.message().getByText('What shall it do?').waitFor();
      await quickInput.answer('Is it salty?');
      await quickInput.choice('The recipe box').waitFor();
      await quickInput.confirm();
      await quickInput.message().getByText('How often?').waitFor();
      await quickInput.answer(times);
      await quickInput.message().getByText('A command that says').waitFor();
      await quickInput.answer(verify);
      await quickInput.message().getByText('so many dollars').waitFor();
      await quickInput.answer('');
      await workbench.dialog('Run Taster').getByRole('button', { name: 'Begin' }).click();
    };
    await run('2', `test -f ${join(folder, 'tasted')} || ! touch ${join(folder, 'tasted')}`);
    await workbench.told('1 of 2 passed.');
    await workbench.closeEditors();
    const began = join(folder, 'began');
    await run('3', `echo $$ > ${began}; exec sleep 600`);
    const pid = async () => Number(await readFile(began, 'utf8').catch(() => '0'));
    await expect.poll(pid, { timeout: 20_000 }).toBeGreaterThan(0);
    const bar = await workbench.told('1 of 3');
    await bar.getByRole('button', { name: 'Cancel' }).click();
    await workbench.told('No further run was begun, as you stopped it.');
    const isThere = async () => existsSync(`/proc/${await pid()}`);
    if (process.platform === 'linux') await expect.poll(isThere).toBe(false);
    await workbench.closeEditors();
  });
});
