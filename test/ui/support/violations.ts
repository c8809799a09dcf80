import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { THEMES, type ThemeName } from '../../support/themes.js';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** The rules of axe-core that look at colours: the others find the same in every theme. */
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

/** What axe-core finds in a page that is moderate or worse: the rule, and the first elements that break it. */
export function violationsOf(page: Page): Promise<string[]> {
  return violations(page);
}

/** What axe-core finds in a page in this theme: all of it in the first one, in the others what depends on colours. */
export function violationsIn(page: Page, theme: ThemeName): Promise<string[]> {
  return theme === THEMES[0] ? violations(page) : violations(page, OF_COLOURS);
}

async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(await readFile(AXE, 'utf8'));
  return await page.evaluate(async (only) => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const { violations } = await checker.run(document, {
      resultTypes: ['violations'],
      ...(only && { runOnly: only }),
    });
    return violations
      .filter(({ impact }) => impact !== 'minor')
      .map(({ id, nodes }) => {
        const first = nodes.slice(0, 3).map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`);
        return `${id}: ${nodes.length} elements\n${first.join('\n')}`;
      });
  }, rules);
}
