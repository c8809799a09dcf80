import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'vitest';
import { openWorkbench, type OpenOptions } from './openWorkbench.js';

/** Where pictures go: those that a test takes, and one of the window for each test that fails, whose words are printed. */
export const pictures = join(import.meta.dirname, '../../../out/ui');

/** A `test` whose tests are given a `workbench`: one window, opened with `options`, for all tests of a file. */
export function uiTest(options: OpenOptions = {}) {
  return test
    .extend('workbench', { scope: 'file' }, async ({}, { onCleanup }) => {
      await mkdir(pictures, { recursive: true });
      const workbench = await openWorkbench(options);
      onCleanup(() => workbench.close());
      return workbench;
    })
    .extend('pictureOfFailure', { auto: true }, ({ workbench, task, onTestFailed }) => {
      const name = task.name.replaceAll(/[^\p{L}\p{N}]+/gu, '-');
      onTestFailed(async () => {
        console.error(`The window as "${task.name}" failed:\n${await workbench.shows()}`);
        await workbench.screenshot(join(pictures, `failed-${name}.png`));
      });
    });
}
