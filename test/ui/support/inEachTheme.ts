import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { isDeep } from '../../support/fixedInputs.js';
import { readTheme, THEMES, type ThemeName } from '../../support/themes.js';
import { drawn } from './joinPage.js';
import type { Workbench } from './workbench.js';

/** Looks at a page in each theme, which changes under it as VS Code changes that of a webview; it keeps the last. */
export async function inEachTheme(page: Page, look: (theme: ThemeName) => Promise<void>): Promise<void> {
  for (const theme of THEMES) {
    await page.evaluate(wearInPage, readTheme(theme));
    await drawn(page);
    await look(theme);
  }
}

/** Runs in the page. */
function wearInPage({
  bodyClass,
  variables,
}: {
  bodyClass: string;
  variables: Readonly<Record<string, string>>;
}) {
  const { style } = document.documentElement;
  const worn = [...style].filter((name) => name.startsWith('--vscode-'));
  for (const name of worn) style.removeProperty(name);
  for (const [name, value] of Object.entries(variables)) style.setProperty(name, value);
  document.body.className = bodyClass;
  document.body.dataset.vscodeThemeKind = bodyClass.split(' ', 1)[0] ?? '';
}

/** The themes that come with VS Code, with the class of the window that shows each; the one of tests is last. */
export const WINDOW_THEMES = [
  ['light', 'Default Light Modern', 'vs'],
  ['highContrast', 'Default High Contrast', 'hc-black'],
  ['highContrastLight', 'Default High Contrast Light', 'hc-light'],
  ['dark', 'Default Dark Modern', 'vs-dark'],
] as const;

/** Gives a window a theme by its settings, which takes nothing away that is open in it. */
export async function wear(workbench: Workbench, theme: string, className: string): Promise<void> {
  const settings = join(workbench.folder, '.vscode');
  await mkdir(settings, { recursive: true });
  await writeFile(join(settings, 'settings.json'), JSON.stringify({ 'workbench.colorTheme': theme }));
  await workbench.page.locator(`.monaco-workbench.${className}`).waitFor();
}

/** Takes a picture of a window as it is; in `npm run test:deep` in each theme. */
export async function pictureOf(workbench: Workbench, file: string): Promise<void> {
  if (!isDeep) {
    await workbench.screenshot(`${file}.png`);
    return;
  }
  for (const [name, theme, className] of WINDOW_THEMES) {
    await wear(workbench, theme, className);
    await workbench.screenshot(`${file}-${name}.png`);
  }
}
