import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe-core finds in a page that is serious or critical: the rule, and the first elements that break it. */
export async function seriousViolations(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  return await page.evaluate(async () => {
    const { axe: checker } = window as unknown as { axe: typeof axe };
    const { violations } = await checker.run(document, { resultTypes: ['violations'] });
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => {
        const first = nodes.slice(0, 3).map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`);
        return `${id}: ${nodes.length} elements\n${first.join('\n')}`;
      });
  });
}
