import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/unit/**/*.test.ts'],
    globalSetup: ['test/support/makeTokenRanks.ts'],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/vscode/**', 'src/extension.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
    },
  },
});
