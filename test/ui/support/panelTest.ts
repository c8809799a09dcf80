import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { launchBrowser } from '../../vscode/host/browser.mjs';
import { PanelPage, type PanelPageOptions } from './panelPage.js';

/** A `test` whose tests are given a browser, one for all of a file. */
export const browserTest = test.extend(
  'browser',
  { scope: 'file' },
  async ({}, { onCleanup }): Promise<Browser> => {
    const browser = await launchBrowser();
    onCleanup(() => browser.close());
    return browser;
  },
);

/**
 * A `test` whose tests are given `open`, which opens a panel's page in a browser. Whatever the test is about: no page
 * may say anything against its rules, and none may ask for anything but its own files.
 */
export const panelTest = browserTest.extend('open', ({ browser }, { onCleanup }) => {
  const opened: PanelPage[] = [];
  onCleanup(async () => {
    for (const panel of opened) await panel.close();
    expect(opened.flatMap(({ complaints }) => complaints)).toEqual([]);
    expect(opened.flatMap(({ strangers }) => strangers)).toEqual([]);
  });
  return async (options: PanelPageOptions) => {
    const panel = await PanelPage.open(browser, options);
    opened.push(panel);
    return panel;
  };
});
