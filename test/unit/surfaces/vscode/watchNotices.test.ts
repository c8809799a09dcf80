import { expect, test, vi } from 'vitest';
import { WatchNotices } from '../../../../src/surfaces/vscode/sessions/watchNotices.js';

const { shown, terminals } = vi.hoisted(() => ({ shown: [] as string[], terminals: [] as object[] }));

vi.mock('vscode', () => ({ window: { terminals }, l10n: { t: (text: string) => text } }));

/** Shows the terminal of a process, and gives its name. */
async function shownOf(...open: readonly [name: string, processId: PromiseLike<number | undefined>][]) {
  shown.length = 0;
  terminals.splice(
    0,
    terminals.length,
    ...open.map(([name, processId]) => ({ processId, show: () => shown.push(name) })),
  );
  const session = { state: { pid: process.pid } } as never;
  (await WatchNotices.prototype.terminalOf.call({} as WatchNotices, session))?.();
  return shown;
}

test('the terminal of a session is found beside those that never tell, or cannot tell, their process', async () => {
  const own = Promise.resolve(process.pid);
  const silent = new Promise<undefined>(() => undefined);
  const gone = { then: (_: unknown, no: (error: Error) => void) => no(new Error('Gone.')) } as typeof own;
  expect(await shownOf(['silent', silent], ['gone', gone], ['own', own])).toEqual(['own']);
  expect(await shownOf(['gone', gone], ['other', Promise.resolve(-1)])).toEqual([]);
});
