import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format } from 'node:util';

/**
 * What VS Code calls inside the extension host: runs every test file that was built next to this one. Whoever started
 * VS Code is told the counts through the file `AGENT_LOGBOOK_TEST_REPORT`.
 */
export async function run(): Promise<void> {
  markOutput(process.env.AGENT_LOGBOOK_TEST_MARK ?? '');
  // Only now: mocha keeps the console that it finds when it is loaded.
  const { default: Mocha } = await import('mocha');
  const grep = process.env.AGENT_LOGBOOK_TEST_GREP;
  const mocha = new Mocha({
    ui: 'bdd',
    color: false,
    timeout: 30_000,
    forbidOnly: Boolean(process.env.CI),
    ...(grep ? { grep } : {}),
  });
  const folder = import.meta.dirname;
  const wanted = process.env.AGENT_LOGBOOK_TEST_FILES ?? '';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  for (const file of files) {
    if (file.endsWith('.test.js') && file.includes(wanted)) mocha.addFile(join(folder, file));
  }
  await mocha.loadFilesAsync();
  const stats = await new Promise<Mocha.Stats | undefined>((resolve) => {
    const runner = mocha.run(() => resolve(runner.stats));
  });
  const passed = stats?.passes ?? 0;
  const failed = stats?.failures ?? 0;
  const report = process.env.AGENT_LOGBOOK_TEST_REPORT;
  if (report) await writeFile(report, JSON.stringify({ passed, failed }));
  if (failed > 0) throw new Error(`${failed} failed`);
}

/** VS Code's console methods cannot be assigned, so the whole console is replaced. */
function markOutput(mark: string): void {
  const real = globalThis.console;
  const methods = ['log', 'info', 'warn', 'error', 'debug'].map((name) => [
    name,
    { value: (...args: unknown[]) => real.log(mark + format(...args)) },
  ]);
  globalThis.console = Object.create(
    real,
    Object.fromEntries(methods) as PropertyDescriptorMap,
  ) as typeof globalThis.console;
}
