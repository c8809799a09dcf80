import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OPEN_CODE_SCHEMA, OpenCodeWriter, writtenDatabase } from '../support/sessionDatabases.js';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

test('a session in a database is listed, opens where it is, and grows', async ({ workbench }) => {
  await mkdir(join(workbench.home, 'opencode'));
  const writer = new OpenCodeWriter(
    writtenDatabase(join(workbench.home, 'opencode/opencode.db'), OPEN_CODE_SCHEMA),
  );
  writer.session('ses_1', 'Clean the barn').exchange('ses_1', 'Clean it', 'It is clean.');
  await workbench.showOnly('Sessions');
  const row = (label: string) =>
    workbench.page.locator(`.pane-body .monaco-list-row[aria-label*="${label}"]`).first();
  await row('Show the sessions of OpenCode').click();
  await row('Clean the barn').click();
  const page = workbench.webview();
  await page.locator('.row', { hasText: 'It is clean.' }).first().waitFor();
  writer.exchange('ses_1', 'And the stable', 'That, too.');
  await page.locator('.row', { hasText: 'That, too.' }).first().waitFor();
  await workbench.screenshot(join(pictures, 'sessions-database.png'));
});
