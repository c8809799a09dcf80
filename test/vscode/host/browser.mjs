import { once } from 'node:events';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.mjs';

/** @import { Browser } from 'playwright-core' */

/**
 * Starts a headless Chromium (`findChromium` says which).
 * @returns {Promise<Browser>}
 */
export async function launchBrowser() {
  const { executablePath, env, isShell } = await findChromium();
  const browser = await chromium.launch({
    executablePath,
    env: { ...process.env, ...env },
    chromiumSandbox: false, // does not work for root, and only pages of the own server are loaded
    args: [
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
  if (!isShell) await settle(browser);
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
