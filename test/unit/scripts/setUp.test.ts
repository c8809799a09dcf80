import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '../../..');

it('a browser that is named and not there is reported in one line, before anything is installed', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'scripts/setUp.mjs')], {
    env: { ...process.env, AGENT_LOGBOOK_CHROMIUM: '/nowhere/chromium' },
    encoding: 'utf8',
  });
  expect([status, stdout, stderr.trim()]).toEqual([
    1,
    '',
    'AGENT_LOGBOOK_CHROMIUM names /nowhere/chromium, which does not exist: name a Chromium, or unset it.',
  ]);
});
