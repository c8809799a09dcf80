import type { Page } from 'playwright-core';

/** What a test knows of a page besides what it shows. */
interface Heard {
  /** Errors and warnings of its console, and what it threw. */
  readonly complaints: string[];
  /** The addresses that it asked for. */
  readonly requested: string[];
}

/** What a page finds of the host that is played for it. */
interface PlayedHost {
  /** Resolves, where it is a promise, when what the page asked has been answered. */
  readonly toHost: (message: unknown) => unknown;
  readonly keepState: (state: unknown) => void;
}

/** Resolves when the page has been drawn with all that it was told until now. */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

/**
 * Gives a page the host that it talks to, and writes down what it complains of and asks for. What it gives resolves when the
 * host has answered all that the page asked, and the page was drawn since.
 */
export async function joinPage(page: Page, heard: Heard, host: PlayedHost): Promise<() => Promise<void>> {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) heard.complaints.push(message.text());
  });
  page.on('pageerror', (error) => heard.complaints.push(String(error)));
  page.on('request', (request) => heard.requested.push(request.url()));
  let asked = 0;
  await page.exposeFunction('toHost', async (message: unknown) => {
    asked++;
    await host.toHost(message);
    asked--;
  });
  await page.exposeFunction('keepState', host.keepState);
  return async () => {
    // What a page has just asked is heard of while it is drawn.
    for (let wasOwed = true; wasOwed || asked > 0;) {
      wasOwed = asked > 0;
      await drawn(page);
    }
  };
}
