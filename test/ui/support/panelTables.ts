import type { Locator } from 'playwright-core';
import type { PanelPage } from './panelPage.js';

/** A table of a view by its caption. */
export const table = (panel: PanelPage, caption: string): Locator =>
  panel.page.getByRole('region', { name: caption, exact: true });

/** The texts of one column of a table. */
export async function column(of: Locator, label: string): Promise<string[]> {
  const heads = (await of.locator('th').allInnerTexts()).map((head) => head.trim());
  return of.locator(`td:nth-child(${heads.indexOf(label) + 1})`).allInnerTexts();
}
