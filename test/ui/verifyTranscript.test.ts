import { execFileSync, spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { silentLog } from '../../src/core/ports/log.js';
import { encodeLine, parseLine } from '../../src/store/format/lineFormat.js';
import { pathsOf } from '../../src/store/files/storePaths.js';
import { JournalFiles } from '../../src/store/write/journalFiles.js';
import { sealOf } from '../../src/store/write/segmentFile.js';
import { headText, sealReport, STAMP, STAMPED } from '../../src/store/write/sealReport.js';
import { temporaryFolder } from '../support/storeFixture.js';
import { timeStamping } from '../support/timeStamping.js';
import { pictures, uiTest } from './support/uiTest.js';
import type { Workbench } from './support/workbench.js';

const test = uiTest();
const ID = 'c_cake';
const TIME = Date.parse('2026-03-01T10:00:00Z');
const THEMES = [
  ['Light Modern', 'vscode-light'],
  ['Dark Modern', 'vscode-dark'],
  ['Dark High Contrast', 'vscode-high-contrast'],
  ['Light High Contrast', 'vscode-high-contrast-light'],
] as const;

/** Seals a conversation in the store of a workspace; gives the path of its journal. */
async function keepSealed(folder: string, id = ID, task = 'Bake a cake.'): Promise<string> {
  const paths = pathsOf(join(folder, '.agent-logbook'), id);
  const files = new JournalFiles({ paths, created: TIME, log: silentLog });
  const said = [task, 'Take 12 eggs.', 'And the sugar?', 'Take 200 g of sugar.'];
  for (const [at, content] of said.entries()) {
    const place = { run: 'r_1', call: 'k_1', agent: 'Baker', depth: 0, conversation: id };
    const message = { role: at % 2 === 0 ? 'user' : 'assistant', content };
    const record = { seq: at + 1, id: `m_${at}`, time: TIME + at, ...place, type: 'message', message };
    await files.append(Buffer.concat([encodeLine(record), Buffer.from('\n')]));
    await files.sync();
  }
  await files.close();
  return paths.segment(0);
}

/** Takes a picture of the page of a seal in each theme. */
async function picturesOf(workbench: Workbench, name: string): Promise<void> {
  for (const [theme, className] of THEMES) {
    await workbench.chooseTheme(theme);
    // VS Code draws its page of Markdown anew.
    await workbench.webview().locator(`body.${className}`).getByText('completeness').waitFor();
    await workbench.screenshot(join(pictures, `${name}-${className}.png`));
  }
}

describe('the seal of a transcript', () => {
  test('tells that nothing was changed, and then which record was', async ({ workbench }) => {
    const journal = await keepSealed(workbench.folder);
    await workbench.view('Agent Logbook');
    const row = workbench.treeItem('Bake a cake.').first();
    await workbench.unfoldGroups();
    await row.waitFor();
    await workbench.fromMenu(row, 'Verify Transcript');
    const page = workbench.webview();
    await page.getByRole('heading', { name: 'Seal of Bake a cake.' }).waitFor();
    expect(await page.locator('body').innerText()).toContain('5 of 5');
    await workbench.told('Intact: all of its lines are as they were written');
    await picturesOf(workbench, 'verify-intact');
    await workbench.closeEditors();
    // With a checksum that fits, as whoever doctors a record makes it.
    const lines = (await readFile(journal, 'utf8')).split('\n');
    const read = parseLine(Buffer.from((lines[2] ?? '').replace('12 eggs', '21 eggs')));
    const record = 'value' in read ? read.value : expect.fail(read.why);
    await writeFile(journal, lines.with(2, encodeLine(record).toString()).join('\n'));
    await workbench.open(row, 'Bake a cake.');
    await workbench.command('Agent Logbook: Verify Transcript');
    await page.getByRole('heading', { name: 'What is not as it was written' }).waitFor();
    const notice = await workbench.told('Not intact: a line was changed, record 2.');
    await workbench.screenshot(join(pictures, 'verify-changed-notice.png'));
    await notice.getByRole('button', { name: 'Show the Record' }).click();
    await workbench.webview().getByText('21 eggs').first().waitFor();
    await workbench.screenshot(join(pictures, 'verify-record.png'));
    await workbench.command('Agent Logbook: Verify Transcript');
    await page.getByRole('heading', { name: 'What is not as it was written' }).waitFor();
    await picturesOf(workbench, 'verify-changed');
    await workbench.closeEditors();
  });

  test('is compared with a head that was kept, whose end is cut off since', async ({ workbench }) => {
    const journal = await keepSealed(workbench.folder, 'c_bread', 'Bake bread.');
    const paths = pathsOf(join(workbench.folder, '.agent-logbook'), 'c_bread');
    const { head } = await sealReport(paths);
    const anchors = join(workbench.folder, 'anchors.txt');
    await writeFile(anchors, headText('c_bread', head ?? expect.fail('nothing is sealed')));
    await workbench.view('Agent Logbook');
    await workbench.command('Notifications: Clear All Notifications');
    const row = workbench.treeItem('Bake bread.').first();
    await workbench.unfoldGroups();
    await row.waitFor();
    const compare = async (told: string) => {
      await workbench.fromMenu(row, 'Verify Transcript');
      const notice = await workbench.told('Intact: all of its lines are as they were written');
      await notice.getByRole('button', { name: 'Compare with Anchors…' }).click();
      await workbench.quickInput.file(anchors);
      await workbench.webview().getByText(told).first().waitFor();
    };
    await compare('Yes, up to its end, as the head that was kept says.');
    await workbench.screenshot(join(pictures, 'verify-anchored.png'));
    await workbench.command('Notifications: Clear All Notifications');
    await workbench.closeEditors();
    // The last line with its entry: what is left is a whole chain.
    for (const [path, lines] of [
      [journal, 1],
      [sealOf(journal), 2],
    ] as const)
      await writeFile(
        path,
        (await readFile(path, 'utf8')).replace(new RegExp(`(?:[^\\n]*\\n){${lines}}$`), ''),
      );
    await compare('It is not of what stands here now.');
    await workbench.told('Not complete: a head that was kept is not of what stands here.');
    await workbench.screenshot(join(pictures, 'verify-cut.png'));
  });

  test.skipIf(spawnSync('openssl', ['version']).status !== 0)(
    'tells when its head was timestamped, and by whom where a person says whose it may be',
    async ({ workbench }) => {
      await keepSealed(workbench.folder, 'c_rolls', 'Bake rolls.');
      const paths = pathsOf(join(workbench.folder, '.agent-logbook'), 'c_rolls');
      const { head } = await sealReport(paths);
      const stamped = join(paths.folder, STAMPED);
      await writeFile(stamped, headText('c_rolls', head ?? expect.fail('nothing is sealed')));
      const authority = await temporaryFolder();
      const reply = timeStamping(authority);
      const query = join(authority, 'asked.tsq');
      execFileSync('openssl', ['ts', '-query', '-data', stamped, '-sha256', '-cert', '-out', query]);
      reply(query, join(paths.folder, STAMP));
      await workbench.view('Agent Logbook');
      await workbench.command('Notifications: Clear All Notifications');
      const row = workbench.treeItem('Bake rolls.').first();
      await workbench.unfoldGroups();
      await row.waitFor();
      await workbench.fromMenu(row, 'Verify Transcript');
      const page = workbench.webview();
      await page.getByText('whose timestamp that is was not checked').waitFor();
      const notice = await workbench.told('Intact: all of its lines are as they were written');
      await workbench.screenshot(join(pictures, 'verify-stamped-notice.png'));
      await notice.getByRole('button', { name: 'Check the Timestamp…' }).click();
      await workbench.quickInput.file(join(authority, 'tsa.pem'));
      await page.getByText('by an authority that was named').waitFor();
      const size = workbench.page.viewportSize() ?? expect.fail('no size');
      await picturesOf(workbench, 'verify-stamped');
      await workbench.command('Notifications: Clear All Notifications');
      await workbench.page.setViewportSize({ width: 700, height: 450 });
      await page.getByText('by an authority that was named').waitFor();
      await workbench.screenshot(join(pictures, 'verify-stamped-700x450.png'));
      await workbench.page.setViewportSize(size);
      await workbench.closeEditors();
      await writeFile(stamped, `${await readFile(stamped, 'utf8')}\n`);
      await workbench.fromMenu(row, 'Verify Transcript');
      await workbench.told('The timestamp is not of the head that stands beside it.');
    },
  );
});
