import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeBundle } from '../../../../scripts/nodeBundle.mjs';
import { isDeep } from '../../../support/fixedInputs.js';
import { processesWith } from '../../../support/processTraces.js';
import { approve, toolWorkspace } from './toolHarness.js';

/** Something to sleep for that no other process of this machine has. */
const aTime = () => `1000.${Math.floor(Math.random() * 1e9)}`;

describe.skipIf(process.platform !== 'linux')('nothing survives', () => {
  test.each([
    ['its environment', 'env -i setsid sleep TIME & exit 0'],
    ['its environment and the file that all inherit', 'env -i setsid sleep TIME 3>&- & exit 0'],
    ['its environment and its parent', '(env -i setsid sleep TIME &) ; exit 0'],
  ])('a shell that ends at once and leaves one that has dropped %s', async (_, shape) => {
    const { call } = await toolWorkspace();
    for (let round = 0; round < (isDeep ? 10 : 3); round++) {
      const time = aTime();
      const command = shape.replace('TIME', time);
      const { content } = await call('run_command', { command }, { decide: approve });
      expect(content).toContain('processes that it left behind were ended');
      expect(await processesWith(time)).toEqual([]);
    }
  });

  describe('a host that ends', () => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'host-'));
      const entry = {
        entryPoints: ['test/support/commandChild.ts'],
        outdir: folder,
        outExtension: { '.js': '.mjs' },
      };
      await build({ ...nodeBundle, ...entry, sourcemap: false });
    });

    afterAll(() => rm(folder, { recursive: true }));

    test.each([
      ['a child', 'echo; sleep TIME'],
      ['one that hears no signal', 'trap "" TERM HUP; echo; sleep TIME; sleep TIME'],
      ['a session of its own', 'setsid sleep TIME & echo; wait'],
      ['a daemon without an environment', '(env -i setsid sleep TIME &); sleep 0.2; echo; sleep TIME'],
    ])('while its command runs: %s', async (_, shape) => {
      const time = aTime();
      const command = shape.replaceAll('TIME', time);
      const host = spawn(process.execPath, [join(folder, 'commandChild.mjs'), command], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      const [code] = (await once(host, 'exit')) as [number];
      expect(code).toBe(0);
      await expect.poll(() => processesWith(time), { timeout: 10_000, interval: 50 }).toEqual([]);
    });
  });
});
