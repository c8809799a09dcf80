import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { pictures, uiTest } from './support/uiTest.js';

const test = uiTest();

test('the workbench has the agents of the workspace in its side bar', async ({ workbench }) => {
  await workbench.view('Agent Logbook');
  await workbench.treeItem('Pickle').waitFor();
  await workbench.treeItem('Cookie').waitFor();
  const picture = join(pictures, 'smoke.png');
  await workbench.screenshot(picture);
  expect((await stat(picture)).size).toBeGreaterThan(0);
});
