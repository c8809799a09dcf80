import type { Page } from 'playwright-core';
import { readTheme, THEMES, type ThemeName } from '../../support/themes.js';
import { drawn } from './joinPage.js';

/** Looks at a page in each theme, which changes under it as VS Code changes that of a webview; it keeps the last. */
export async function inEachTheme(page: Page, look: (theme: ThemeName) => Promise<void>): Promise<void> {
  for (const theme of THEMES) {
    await page.evaluate(wear, readTheme(theme));
    await drawn(page);
    await look(theme);
  }
}

/** Runs in the page. */
function wear({ bodyClass, variables }: { bodyClass: string; variables: Readonly<Record<string, string>> }) {
  const { style } = document.documentElement;
  const worn = [...style].filter((name) => name.startsWith('--vscode-'));
  for (const name of worn) style.removeProperty(name);
  for (const [name, value] of Object.entries(variables)) style.setProperty(name, value);
  document.body.className = bodyClass;
  document.body.dataset.vscodeThemeKind = bodyClass.split(' ', 1)[0] ?? '';
}
