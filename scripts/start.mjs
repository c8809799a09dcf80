/**
 * `npm start`: opens the sample workspace in VS Code, after the packages that it needs, where they are missing. This file
 * uses none of them, so that it runs in a clone in which nothing was installed. `--no-build` opens what was built before.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');

function install() {
  // npm writes it when all packages are there.
  if (existsSync(join(root, 'node_modules/.package-lock.json'))) return;
  console.log('Installing the packages (npm ci), once …');
  try {
    execFileSync('npm', ['ci'], { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  } catch {
    throw new Error('The packages could not be installed: npm says above why. Then run `npm start` again.');
  }
}

async function main() {
  const { values } = parseArgs({ options: { 'no-build': { type: 'boolean' } } });
  install();
  const { startCode } = await import('./start/startCode.mjs');
  await startCode({ build: !values['no-build'] });
}

await main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
