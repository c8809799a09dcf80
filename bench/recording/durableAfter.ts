import { join } from 'node:path';
import { loadLibrary } from '../harness/library.js';
import { duration } from '../harness/markdown.js';
import { openStore } from '../harness/openStore.js';
import { quantile } from '../harness/statistics.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import { messageOf } from './messages.js';

const TIMES = 25;

/** How long a single message takes to survive a power cut when nobody asks for it. */
export async function durableAfter(): Promise<string> {
  const { Recorder } = await loadLibrary();
  const store = await openStore(join(temporaryFolder(), '.agent-logbook'));
  const journal = await store.createConversation('c');
  const recorder = new Recorder({ conversation: 'c', onListenerFailure: (error) => console.error(error) });
  recorder.onDidRecord((record) => journal.append(record));
  const times: number[] = [];
  for (let n = 0; n < TIMES; n++) {
    const start = performance.now();
    await new Promise<void>((resolve) => {
      const subscription = journal.onDidChange(({ durable }) => {
        if (durable < recorder.lastSeq) return;
        subscription.dispose();
        resolve();
      });
      recorder.record({
        run: 'r',
        call: 'k',
        agent: 'Pickle',
        depth: 0,
        type: 'message',
        message: messageOf(n),
      });
    });
    times.push(performance.now() - start);
  }
  await store.close();
  return `A single message is durable after ${duration(quantile(times, 0.5))} (p50), ${duration(Math.max(...times))} (worst of ${TIMES}).`;
}
