import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { seedOf } from './scripts/seed.mjs';

const unitTests = join(import.meta.dirname, 'test/unit');

/**
 * Whether a test file replaces modules, or asks for them anew: what it leaves would be there for the files after it. Nor does
 * one that counts living objects share what others keep alive: each count looks at all that a process holds.
 */
function isAlone(file: string): boolean {
  return /\bvi\.(mock|doMock|resetModules)\(|\blivingObjects\(/.test(
    readFileSync(join(unitTests, file), 'utf8'),
  );
}

const isolated = readdirSync(unitTests, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts') && isAlone(file))
  .map((file) => `test/unit/${file.replaceAll('\\', '/')}`);

// This file is read anew for each project: what `new` stands for is chosen once, and handed to the tests.
const seed = seedOf(process.env.SEED);
process.env.SEED = String(seed);

export default defineConfig({
  // The examples import the package by its name, as a reader's own program does.
  resolve: { alias: { 'agent-logbook': join(import.meta.dirname, 'src') } },
  test: {
    // Files share what they import, which is half of the work; those that would disturb others run by themselves.
    projects: [
      {
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['test/unit/**/*.test.ts'],
          exclude: isolated,
        },
      },
      { extends: true, test: { name: 'isolated', include: isolated } },
    ],
    globalSetup: ['test/support/sharedParts.ts'],
    setupFiles: ['test/support/fixedInputs.ts'],
    sequence: { seed },
    // By itself vitest leaves one processor idle, which of two is half of the machine.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A machine that does much else at the same time makes nothing wrong, only late.
    expect: { poll: { timeout: 60_000 } },
    testTimeout: 240_000,
    hookTimeout: 240_000,
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/surfaces/vscode/**', 'src/extension.ts'],
      reporter: ['text-summary', 'json-summary', 'html'],
    },
  },
});
