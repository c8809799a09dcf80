import { installVsCode } from '../../vscode/host/install.mjs';

/** Installs VS Code before the first test, so that no test's time limit pays for it. */
export async function setup(): Promise<void> {
  await installVsCode();
}
