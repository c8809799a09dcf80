import { chmod, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../support/storeFixture.js';
import { npmCi } from '../../vscode/host/installOnce.mjs';

afterEach(() => vi.unstubAllEnvs());

/** How often npm is asked when it fails each time with these words, and what is told then. */
async function asked(words: string) {
  const folder = await temporaryFolder();
  const npm = join(folder, 'npm');
  await writeFile(npm, `#!/bin/sh\necho "$@" >> "${folder}/calls"\necho "${words}" >&2\nexit 1\n`);
  await chmod(npm, 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env.PATH ?? ''}`);
  const told = await npmCi(folder).then(
    () => '',
    (error: unknown) => String(error),
  );
  const calls = (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().split('\n');
  return { calls, told };
}

it.skipIf(process.platform === 'win32')(
  'a registry that cannot be reached is asked once and without retries, so that it is known at once',
  async () => {
    const { calls, told } = await asked('npm error code EAI_AGAIN');
    expect(calls).toEqual([expect.stringContaining('--fetch-retries=0')]);
    expect(told).toContain('is its registry reachable?');
  },
);

it.skipIf(process.platform === 'win32')(
  'a registry that answers badly is given the time that npm gives it',
  async () => {
    const { calls } = await asked('npm error 503 Service Unavailable');
    expect(calls.map((call) => call.includes('--fetch-retries'))).toEqual([true, false]);
  },
);
