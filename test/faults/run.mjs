/**
 * Bundles the faults campaign and runs it: `node test/faults/run.mjs short|long|N [part of a recipe's name] [seed]`.
 * Short takes about a minute, N does about N times as much, long is 20.
 */
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';
import { nodeBundle } from '../../scripts/nodeBundle.mjs';

await build({
  ...nodeBundle,
  splitting: false,
  entryPoints: [
    'test/faults/main.ts',
    'test/faults/driver.ts',
    'test/faults/recorder.ts',
    'test/faults/speaker.ts',
  ],
  outdir: 'out/faults',
});
const { status } = spawnSync(process.execPath, ['out/faults/main.js', ...process.argv.slice(2)], {
  cwd: nodeBundle.absWorkingDir,
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
