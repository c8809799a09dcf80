import type { Browser } from 'playwright-core';
import { expect, test } from 'vitest';
import { PanelPage, type PanelPageOptions } from './panelPage.js';
import { closePages, sharedBrowser } from './sharedHosts.js';

/** A `test` whose tests are given a browser; pages that a file leaves open are closed when it has ended. */
export const browserTest = test.extend(
  'browser',
  { scope: 'file' },
  ({}, { onCleanup }): Promise<Browser> => {
    onCleanup(closePages);
    return sharedBrowser();
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
