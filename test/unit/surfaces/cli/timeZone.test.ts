import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { commands } from '../../../../src/surfaces/cli/commands.js';
import { agentLogbook } from '../../../support/commandLine.js';
import { temporaryFolder } from '../../../support/storeFixture.js';

afterEach(() => vi.restoreAllMocks());

/** The path of a session in which a person speaks half an hour before midnight in UTC. */
async function lateSession(): Promise<string> {
  const file = join(await temporaryFolder(), 'late.jsonl');
  const line = {
    type: 'user',
    uuid: 'u1',
    sessionId: 's1',
    cwd: '/work',
    version: '2.0.0',
    timestamp: '2026-11-21T23:30:00.000Z',
    message: { role: 'user', content: 'Bake them.' },
  };
  await writeFile(file, `${JSON.stringify(line)}\n`);
  return file;
}

test('with --utc days are those of UTC, wherever the computer is', async () => {
  const local = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo' }).resolvedOptions();
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue(local);
  const file = await lateSession();
  const found = async (...options: string[]) =>
    (await agentLogbook(['query', ...options, '--json', 'since:2026-11-22', file])).json.length;
  expect([await found(), await found('--utc'), await found('--time-zone', 'UTC')]).toEqual([1, 0, 0]);
});

test.each(commands.filter(({ options }) => options.some(({ name }) => name === 'time-zone')))(
  '$name takes --utc instead of --time-zone, not with it',
  async ({ name, args }) => {
    const words = args.some((each) => each.name === 'QUESTION') ? ['a'] : [];
    const { code, out, err } = await agentLogbook([name, '--time-zone', 'Asia/Tokyo', '--utc', ...words]);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: '',
      err: 'agent-logbook: --utc stands instead of --time-zone; write one of them.\n',
    });
  },
);
