import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { delay, systemTimers } from '../../core/timers.js';
import type { ConversationSource } from '../../core/ports/transcript.js';
import { makeFolder } from '../../node/plainFile.js';
import { ProcessLock } from '../../node/processLock.js';
import { sessionKey } from '../catalog/catalog.js';
import { names } from '../files/storePaths.js';
import { makeRoot } from '../files/storeRoot.js';

/** How long is waited between two tries, in milliseconds: an import takes a few. */
const RETRY_MS = 20;

/**
 * Takes the right to store a session of a tool, so that two processes which import it at the same moment make one conversation of
 * it; waits for whoever has it. Rejects with the signal's reason and with errors of the file system.
 */
export async function lockSession(
  root: string,
  source: Pick<ConversationSource, 'tool' | 'session'>,
  signal: AbortSignal | undefined,
): Promise<ProcessLock> {
  await makeRoot(root);
  const folder = await makeFolder(root, names.state, names.imports);
  const name = createHash('sha256').update(sessionKey(source)).digest('hex').slice(0, 32);
  for (;;) {
    signal?.throwIfAborted();
    // It is held for a moment: after a power cut, an empty lock is watched for three seconds, which costs less than a sync each.
    const acquired = await ProcessLock.acquire(join(folder, name), { isBrief: true });
    if ('lock' in acquired) {
      acquired.lock.keepBeating(
        () => undefined,
        () => undefined,
      );
      return acquired.lock;
    }
    await delay(systemTimers, RETRY_MS, signal);
  }
}
