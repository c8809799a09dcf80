import { defineConfig } from 'vitest/config';

/** Tests that start a real VS Code: one at a time, each takes seconds. */
export default defineConfig({
  test: {
    include: ['ui', 'vsix', 'demo', 'large'].map((folder) => `test/${folder}/**/*.test.ts`),
    globalSetup: ['test/ui/support/install.ts'],
    fileParallelism: false,
    // The output of a suite is printed as it comes.
    disableConsoleIntercept: true,
    // A machine that does much else at the same time makes nothing wrong, only late.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 240_000,
    hookTimeout: 180_000,
  },
});
