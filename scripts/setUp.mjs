/**
 * Installs what the tests need beside npm's packages, before anything else, so that a machine that cannot have it says so
 * at once: a Chromium, and the VS Code that it shows.
 */
import { launchBrowser } from '../test/vscode/host/browser.mjs';
import { installVsCode } from '../test/vscode/host/install.mjs';

try {
  const browser = await launchBrowser();
  console.log(`Chromium ${browser.version()}`);
  await browser.close();
  await installVsCode();
  await installVsCode('oldest');
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
