import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const WRONG = `tests:
  - name: Cookie reads only what it must
    session: .github/agents/runs/tuesday.json
    expect:
      toolSequence:
        exact:
          - subagent_dispatch
          - { tool: read_file, args: { path: kitchen/scale.mjs } }
      deniedTools: list_files
`;

/** Beside it in one file, a mutation, which is no test. */
const LIVE = `tests:
  - name: Pickle asks Cookie
    agent: Pickle
    prompt: Why were there so few cookies on Tuesday?
    over: live
    runs: 2
    atLeast: 1
    expect:
      agents:
        Pickle: [Cookie]
mutations:
  - name: No card
    call: read_file
    fail: Permission denied
`;

const test = uiTest({
  prepare: async (folder) => {
    await writeFile(join(folder, 'wrong.logbook.yaml'), WRONG);
    await writeFile(join(folder, 'live.logbook.yaml'), LIVE);
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-C', folder, '-c', 'user.name=x', '-c', 'user.email=x@x', ...words]);
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
  },
});

const folder = join(pictures, 'expectations');

describe('expectations in VS Code', () => {
  test('stand in the Test Explorer; one that does not hold shows the difference and leads to the message', async ({
    workbench,
  }) => {
    const { page } = workbench;
    await mkdir(folder, { recursive: true });
    // The view is there once somebody has tests.
    await page.getByRole('tab', { name: 'Testing' }).waitFor();
    await workbench.view('Testing');
    const row = (name: string | RegExp) => page.getByRole('treeitem', { name }).first();
    await row(/wrong\.logbook\.yaml/).waitFor();
    await row(/tuesday\.logbook\.yaml/).waitFor();
    await workbench.command('Test: Run All Tests');
    await row(/wrong\.logbook\.yaml.*Failed/).waitFor();
    await row(/proof\.logbook\.yaml.*Passed/).waitFor();
    await row(/kitchen\.logbook\.yaml.*Passed/).waitFor();
    await row(/tuesday\.logbook\.yaml.*Passed/).waitFor();
    await workbench.view('Explorer');
    await page.locator('.explorer-folders-view').getByText('wrong.logbook.yaml').dblclick();
    await workbench.text('editor').getByText('toolSequence').click();
    await workbench.command('Test: Peek Output');
    await page.locator('.test-output-peek').first().waitFor();
    const difference = page.locator('.test-output-peek .monaco-diff-editor');
    await difference.getByText('list_files').first().waitFor();
    await workbench.screenshot(join(folder, 'failed.png'));
    await workbench.chooseTheme('Light Modern');
    await workbench.screenshot(join(folder, 'failed-light.png'));
    await workbench.chooseTheme('Dark High Contrast');
    await workbench.screenshot(join(folder, 'failed-contrast.png'));
    await workbench.chooseTheme('Dark Modern');
    await page.locator('.test-output-peek').getByText('Open Message').click();
    const panel = workbench.webview();
    await panel.getByText('list_files').first().waitFor();
    await workbench.screenshot(join(folder, 'opened.png'));
    await workbench.closeEditors();
  });

  test('run their agent live only where somebody says so, who is told the cost first', async ({
    workbench,
  }) => {
    const { page } = workbench;
    await workbench.view('Testing');
    const row = (name: string | RegExp) => page.getByRole('treeitem', { name }).first();
    // What was checked before has run nothing.
    await row(/live\.logbook\.yaml.*Skipped/).waitFor();
    await workbench.fromMenu(row(/live\.logbook\.yaml/), /^Execute Using Profile/);
    await workbench.quickInput.choose('Run Live');
    await workbench.quickInput.message().getByText('Begin no further run once').waitFor();
    await workbench.screenshot(join(folder, 'live-asked.png'));
    await workbench.quickInput.answer('0.50');
    await row(/live\.logbook\.yaml.*Passed/).waitFor();
    await workbench.screenshot(join(folder, 'live.png'));
    await workbench.view('Agent Logbook');
    const runs = page.locator('.pane-body .monaco-list-row', { hasText: 'Why were there so few cookies' });
    await expect.poll(() => runs.count()).toBe(2);
  });

  test('are checked continuously: each new record at once', async ({ workbench }) => {
    const { page } = workbench;
    await writeFile(
      join(workbench.folder, 'newest.logbook.yaml'),
      'tests:\n  - name: Nobody proves anything\n    agent: Pickle\n    expect:\n      deniedTools: run_command\n      outcome: done\n',
    );
    await workbench.view('Testing');
    const row = (name: string | RegExp) => page.getByRole('treeitem', { name }).first();
    await row(/newest\.logbook\.yaml/).waitFor();
    await workbench.pointAt(row(/newest\.logbook\.yaml/));
    await row(/newest\.logbook\.yaml/)
      .getByRole('button', { name: /Continuous Run/ })
      .click();
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Why were there so few cookies on Tuesday?');
    await workbench.told('Want to see it with your own eyes?');
    await workbench.view('Testing');
    await row(/newest\.logbook\.yaml.*Passed/).waitFor();
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Prove it.');
    const question = await workbench.told('Crumb asks: Run node kitchen/scale.mjs');
    await question.getByRole('button', { name: 'Deny' }).click();
    await workbench.told('Proven twice');
    await workbench.view('Testing');
    await row(/newest\.logbook\.yaml.*Failed/).waitFor();
    await workbench.screenshot(join(folder, 'continuous.png'));
    await workbench.pointAt(row(/newest\.logbook\.yaml/));
    await row(/newest\.logbook\.yaml/)
      .getByRole('button', { name: /Continuous Run/ })
      .click();
  });

  test('are completed, explained and refused where they are written', async ({ workbench }) => {
    const { page } = workbench;
    await workbench.view('Explorer');
    await page.locator('.explorer-folders-view').getByText('wrong.logbook.yaml').dblclick();
    const editor = workbench.text('editor');
    await editor.getByText('deniedTools').hover();
    await page.locator('.monaco-hover').filter({ hasText: 'The run calls none of these tools' }).waitFor();
    await workbench.screenshot(join(folder, 'hover.png'));
    await editor.getByText('list_files').click();
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('outcom');
    await page.keyboard.press('Control+Space');
    await page.locator('.suggest-widget .monaco-list-row', { hasText: 'outcome' }).first().waitFor();
    await workbench.screenshot(join(folder, 'completion.png'));
    await page.keyboard.press('Escape');
    await page.keyboard.type('s: done');
    await editor.getByText('outcoms').hover();
    await page.locator('.monaco-hover').filter({ hasText: 'Did you mean outcome?' }).waitFor();
    await workbench.screenshot(join(folder, 'problem.png'));
    await page.keyboard.press('Control+s');
  });

  test('are made of a run', async ({ workbench }) => {
    const { page } = workbench;
    await workbench.view('Agent Logbook');
    await workbench.runAgent('Pickle', 'Why were there so few cookies on Tuesday?');
    await workbench.told('Want to see it with your own eyes?');
    await workbench.command('Agent Logbook: Make a Test of This Run…');
    await workbench.quickInput.choice('Why were there so few cookies on Tuesday?').first().click();
    await page.locator('.quick-input-widget').getByRole('button', { name: 'OK' }).waitFor();
    await workbench.screenshot(join(folder, 'make.png'));
    await page.keyboard.press('Enter');
    const editor = workbench.text('editor');
    await editor.getByText('allowedTools').waitFor();
    await workbench.screenshot(join(folder, 'made.png'));
    expect(
      await readFile(join(workbench.folder, 'Why were there so few cookies on Tuesday.logbook.yaml'), 'utf8'),
    ).toContain('Pickle');
  });
});
