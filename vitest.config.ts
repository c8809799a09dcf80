import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The examples import the package by its name, as a reader's own program does.
  resolve: { alias: { 'agent-logbook/library': join(import.meta.dirname, 'src/library.ts') } },
  test: {
    include: ['test/unit/**/*.test.ts'],
    globalSetup: ['test/support/makeTokenRanks.ts'],
    setupFiles: ['test/support/fixedInputs.ts'],
    // By itself vitest leaves one processor idle, which of two is half of the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A machine that does much else at the same time makes nothing wrong, only late.
    expect: { poll: { timeout: 10_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/vscode/**', 'src/extension.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
    },
  },
});
