import { appendFile, mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SessionFinder } from '../../src/capture/discovery/sessionFinder.js';
import type { SessionState } from '../../src/capture/discovery/sessionState.js';
import { ownIdentity } from '../../src/node/processIdentity.js';
import type { ToolId } from '../../src/import/toolHomes.js';
import { temporaryFolder } from './storeFixture.js';

export const T0 = Date.parse('2026-11-20T10:00:00Z');
export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;

/** A home in which a session lives by a clock of the test's own. */
export async function homeOf(tool: ToolId, path: string) {
  const home = await temporaryFolder();
  const finder = new SessionFinder({ home, platform: 'linux', env: {} });
  let now = T0;
  const full = join(home, path);
  const write = async (file: string, text: string, how: typeof appendFile = appendFile) => {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await how(join(home, file), text);
    await utimes(join(home, file), now / 1000, now / 1000);
  };
  const states = async () => {
    await finder.changes([{ id: tool, folders: [] }]);
    return finder.states(now);
  };
  const state = async (): Promise<SessionState> => {
    const found = (await states()).find((each) => each.path === full);
    if (!found) throw new Error(`Nothing is told of ${full}.`);
    return found.state;
  };
  return {
    home,
    states,
    state,
    brief: async () => {
      const { state: name, reason, source } = await state();
      return [name, ...(reason === undefined ? [] : [reason]), source].join(' ');
    },
    /** Time goes by. */
    after: (ms: number) => (now += ms),
    now: () => now,
    /** Writes lines of the session, each with the time. */
    say: (...values: readonly object[]) =>
      write(
        path,
        values
          .map((value) => `${JSON.stringify({ timestamp: new Date(now).toISOString(), ...value })}\n`)
          .join(''),
      ),
    /** Writes another file. */
    put: (file: string, value: unknown) =>
      write(file, typeof value === 'string' ? value : JSON.stringify(value), writeFile),
    add: (file: string, value: object) => write(file, `${JSON.stringify(value)}\n`),
    remove: (file: string) => rm(join(home, file)),
  };
}

export const CLAUDE = '.claude/projects/-w/s1.jsonl';
export const user = (content: unknown, rest: object = {}) => ({
  type: 'user',
  message: { role: 'user', content },
  ...rest,
});
export const result = (id: string, rest: object = {}) =>
  user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }], rest);
const answer = (content: readonly object[], stop: string | null, rest: object = {}) => ({
  type: 'assistant',
  message: { role: 'assistant', id: 'm', model: 'claude-opus-5', stop_reason: stop, content },
  ...rest,
});
export const words = (text: string, stop: string | null = 'end_turn', rest: object = {}) =>
  answer([{ type: 'text', text }], stop, rest);
export const calls = (id: string, name: string, input: object = {}, rest: object = {}) =>
  answer([{ type: 'tool_use', id, name, input }], 'tool_use', rest);
/** What Claude Code notes of an open session; by default with the process of this test. */
export const registered = (status: string | undefined, at: number, rest: object = {}) => ({
  pid: process.pid,
  sessionId: 's1',
  procStart: ownIdentity.started,
  ...(status !== undefined && { status }),
  statusUpdatedAt: at,
  ...rest,
});
export const REGISTRY = `.claude/sessions/${process.pid}.json`;
