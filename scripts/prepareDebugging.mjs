/** What "Extension Tests" of `.vscode/launch.json` needs: the extension, the suite, and a fresh copy of the sample. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { copyWorkspace } from '../test/vscode/host/host.mjs';
import { buildSuite } from './buildSuite.mjs';

const root = join(import.meta.dirname, '..');
const workspace = join(root, 'out/workspaces/team');

execFileSync(process.execPath, [join(root, 'esbuild.mjs')], { stdio: 'inherit' });
await buildSuite();
rmSync(workspace, { recursive: true, force: true });
await copyWorkspace(join(root, 'samples/team'), workspace);
