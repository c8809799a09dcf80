import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';

/** @import { Browser } from 'playwright-core' */

const CANDIDATES = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/chromium-browser',
];

/**
 * Starts a headless Chromium: `AGENT_LOGBOOK_CHROMIUM`, or the first that the machine has.
 * @returns {Promise<Browser>}
 */
export async function launchBrowser() {
  const executablePath = process.env.AGENT_LOGBOOK_CHROMIUM || CANDIDATES.find(existsSync);
  if (!executablePath) {
    throw new Error(
      'No Chromium found: `apt-get install chromium-headless-shell`, or set AGENT_LOGBOOK_CHROMIUM to one.',
    );
  }
  const browser = await chromium.launch({
    executablePath,
    chromiumSandbox: false, // does not work for root, and only pages of the own server are loaded
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
  if (!executablePath.endsWith('headless-shell')) await settle(browser);
  return browser;
}

/**
 * A full Chromium holds back service worker updates, for which every second webview waits, until a first page has come
 * to rest or a minute has gone by. The workbench never rests; a page of our own does.
 * @param {Browser} browser
 */
async function settle(browser) {
  const site = createServer((request, response) => {
    const script = request.url === '/worker.js';
    response.setHeader('content-type', script ? 'text/javascript' : 'text/html');
    response.end(script ? 'onfetch = () => {};' : '<p>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const address = site.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${port}/`);
  await page.evaluate(async () => {
    const registration = await navigator.serviceWorker.register('/worker.js');
    await navigator.serviceWorker.ready;
    await registration.update();
  });
  await page.close();
  site.close();
}
