import { join } from 'node:path';
import { uiTest } from '../ui/support/uiTest.js';
import { kitchenTour, quietPicture, showTwoLevels } from './kitchenTour.js';

const demo = join(import.meta.dirname, '../../demo');

const test = uiTest({ settings: { 'workbench.colorTheme': 'Default Light Modern' } });

test('the pictures that readers of a light page see', async ({ workbench }) => {
  await workbench.view('Agent Logbook');
  await workbench.treeItem('Pickle').first().waitFor();
  const panel = await kitchenTour(workbench);
  await showTwoLevels(panel);
  await quietPicture(workbench, join(demo, '2-transcript-light.png'));
  await panel.getByRole('tab', { name: 'Timeline' }).click();
  await panel.locator('.timeline-svg').waitFor();
  await quietPicture(workbench, join(demo, '3-timeline-light.png'));
});
