import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runSuite } from '../vscode/host/suite.mjs';
import type { SuiteResult } from '../vscode/host/verdict.mjs';

/** The verdict on a suite whose `run` has this body, and all that was printed. */
async function verdictOn(body: string, timeoutMs = 60_000): Promise<SuiteResult & { output: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'agent-logbook-suite-'));
  const suite = join(folder, 'suite.mjs');
  await writeFile(suite, `export async function run() { ${body} }`);
  const output: string[] = [];
  try {
    return {
      ...(await runSuite({ suite, timeoutMs, print: (text) => output.push(text) })),
      output: output.join('\n'),
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('a suite in which the extension host ends with 0 before the tests do has failed', async () => {
  const verdict = await verdictOn('process.exit(0);');
  expect(verdict).toMatchObject({
    passed: 0,
    failed: 1,
    problem: 'The extension host ended before the tests did.',
  });
  expect(verdict.output).toContain('Extension host agent listening');
});

test('a suite that never ends has failed', async () => {
  const verdict = await verdictOn('await new Promise(() => undefined);', 10_000);
  expect(verdict).toMatchObject({ passed: 0, failed: 1, problem: 'The suite did not end within 10 s.' });
  expect(verdict.output).toContain('Extension host agent listening');
});
