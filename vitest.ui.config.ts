import { defineConfig } from 'vitest/config';

/**
 * Tests that start a real VS Code. Two files run at once, however many processors there are: each waits for its window most
 * of the time, and each window takes a gigabyte. What builds the extension anew must run by itself, as `test/start/` does.
 */
export default defineConfig({
  test: {
    include: ['ui', 'start', 'vsix', 'demo', 'large'].map((folder) => `test/${folder}/**/*.test.ts`),
    globalSetup: ['test/ui/support/install.ts'],
    maxWorkers: 2,
    // Files that run one after the other share a VS Code server and a Chromium, which end with their worker.
    isolate: false,
    environment: './test/ui/support/workerEnvironment.ts',
    // The output of a suite is printed as it comes.
    disableConsoleIntercept: true,
    // A machine that does much else at the same time makes nothing wrong, only late.
    expect: { poll: { timeout: 120_000 } },
    testTimeout: 480_000,
    hookTimeout: 300_000,
  },
});
