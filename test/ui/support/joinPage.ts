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
  readonly toHost: (message: unknown) => void;
  readonly keepState: (state: unknown) => void;
}

/** Gives a page the host that it talks to, and writes down what it complains of and asks for. */
export async function joinPage(page: Page, heard: Heard, host: PlayedHost): Promise<void> {
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) heard.complaints.push(message.text());
  });
  page.on('pageerror', (error) => heard.complaints.push(String(error)));
  page.on('request', (request) => heard.requested.push(request.url()));
  await page.exposeFunction('toHost', host.toHost);
  await page.exposeFunction('keepState', host.keepState);
}
