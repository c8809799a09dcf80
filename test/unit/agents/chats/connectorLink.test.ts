import { expect, test } from 'vitest';
import { ConnectorLink, type ConnectorRun } from '../../../../src/agents/chats/connectorLink.js';

/** A link that notes what is done with it; each begin ends when `connected` is called for it. */
function aLink() {
  const done: string[] = [];
  const runs: ConnectorRun[] = [];
  const connected: (() => void)[] = [];
  const closed: (() => void)[] = [];
  const link = new ConnectorLink((error) => done.push(`listener failed: ${String(error)}`));
  link.onDidChange(({ kind }) => done.push(kind));
  const begin = (run: ConnectorRun) => {
    done.push('begin');
    runs.push(run);
    return new Promise<void>((resolve, reject) => {
      connected.push(resolve);
      run.signal.addEventListener('abort', () => reject(new Error('given up')));
    });
  };
  const close = () => {
    done.push('close');
    return new Promise<void>((resolve) => closed.push(resolve));
  };
  const start = (signal = new AbortController().signal) => link.start(signal, begin);
  return { link, done, runs, start, stop: () => link.stop(close), connect: connected, end: closed };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('started twice it begins once, stopped twice it closes once', async () => {
  const { done, start, stop, runs, connect, end } = aLink();
  const first = start();
  expect(start()).toBe(first);
  await turn();
  connect[0]?.();
  await first;
  runs[0]?.become({ kind: 'on', account: '@bot' });
  runs[0]?.become({ kind: 'on', account: '@bot' });
  const stopping = stop();
  expect(stop()).toBe(stopping);
  await turn();
  end[0]?.();
  await stopping;
  await stop();
  expect(done).toEqual(['begin', 'on', 'close', 'off']);
});

test('a start during a stop begins when that has ended, and hears nothing of the run before', async () => {
  const { link, done, start, stop, runs, connect, end } = aLink();
  void start();
  await turn();
  connect[0]?.();
  const stopping = stop();
  const again = start();
  await turn();
  expect(done).toEqual(['begin', 'close']);
  end[0]?.();
  await stopping;
  await turn();
  connect[1]?.();
  await again;
  runs[1]?.become({ kind: 'on', account: '@bot' });
  runs[0]?.become({ kind: 'failed', problem: 'too late' });
  expect(link.state).toEqual({ kind: 'on', account: '@bot' });
});

test('who starts it can give up a start that waits, but not one that is done', async () => {
  const { start, stop, runs, connect, end } = aLink();
  const impatient = new AbortController();
  const waiting = start(impatient.signal);
  await turn();
  impatient.abort();
  await expect(waiting).rejects.toThrow('given up');
  void stop();
  await turn();
  end[0]?.();

  const patient = new AbortController();
  const second = start(patient.signal);
  await turn();
  connect[1]?.();
  await second;
  patient.abort();
  expect(runs[1]?.signal.aborted).toBe(false);
});

test('a stop ends a start that waits, and whoever started it hears that', async () => {
  const { link, start, stop, end } = aLink();
  const waiting = start();
  const ended = waiting.catch((error: unknown) => String(error));
  await turn();
  const stopping = stop();
  await turn();
  end[0]?.();
  await stopping;
  expect(await ended).toContain('given up');
  expect(link.state).toEqual({ kind: 'off' });
});
