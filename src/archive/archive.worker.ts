import { workerData } from 'node:worker_threads';
import { forEachAtOnce } from '../core/forEachAtOnce.js';
import { useTranslations, type Translations } from '../core/l10n.js';
import { sharingRules } from '../export/sharing/sharingPolicy.js';
import { serveThread } from '../node/serveThread.js';
import { silentLog } from '../core/ports/log.js';
import { markedPrices } from '../search/markedPrices.js';
import { TranscriptStore } from '../store/transcriptStore.js';
import { parseArchiveAddress } from './archiveAddress.js';
import type { ArchiveCalls, ArchiveHostCalls, PushRequest } from './archiveCalls.js';
import { ArchiveConnection } from './archiveConnection.js';
import { checkSchema } from './archiveSchema.js';
import { ArchivePrefetch, pushOne } from './pushOne.js';

useTranslations((workerData ?? undefined) as Translations | undefined);

let running: AbortController | undefined;

const calls: ArchiveCalls = {
  async push(request) {
    running?.abort(new Error('Another push has begun.'));
    const controller = new AbortController();
    running = controller;
    try {
      await pushAll(request, controller.signal);
    } finally {
      if (running === controller) running = undefined;
    }
  },
  stop: () => running?.abort(new Error('It was stopped.')),
};
const { host } = serveThread<ArchiveHostCalls>(calls);

/** How many connections each thread has: while the server stores what came over one, the next is made. */
const CONNECTIONS = 2;

async function pushAll(request: PushRequest, signal: AbortSignal): Promise<void> {
  const { address, password, mode, policy, ownPrices, conversations } = request;
  const failing = new AbortController();
  const options = {
    mode,
    rules: await sharingRules(policy),
    prices: await markedPrices(ownPrices),
    signal: AbortSignal.any([signal, failing.signal]),
  };
  const place = parseArchiveAddress(address);
  const connections: ArchiveConnection[] = [];
  const stores = new Stores();
  try {
    while (connections.length < Math.min(CONNECTIONS, conversations.length)) {
      const connection = await ArchiveConnection.open(place, {
        password: () => Promise.resolve(password),
        signal: options.signal,
      });
      connections.push(connection);
      if (connections.length === 1) await checkSchema(connection, true);
    }
    const waiting = conversations.entries();
    const known = new ArchivePrefetch(
      conversations.map(({ id }) => id),
      options,
    );
    await forEachAtOnce(connections, connections.length, async (connection) => {
      try {
        for (const [at, { root, id, about, records }] of waiting) {
          const open = async () => await (await stores.at(root)).openTranscript(id);
          const asked = await known.of(at, connection);
          const pushed = await pushOne(connection, { id, records, about: () => about, open }, options, asked);
          host.tell('answered', { root, id, ...pushed });
        }
      } catch (error) {
        failing.abort(error);
        throw error;
      }
    });
  } finally {
    for (const connection of connections) await connection.close();
    await stores.close();
  }
}

/** The stores that conversations come from, each opened once. */
class Stores {
  readonly #open = new Map<string, Promise<TranscriptStore>>();

  at(root: string): Promise<TranscriptStore> {
    const opening =
      this.#open.get(root) ??
      TranscriptStore.open({
        root,
        log: silentLog,
        readOnly: true,
        mayBlock: true,
        onProblem: () => undefined,
      });
    this.#open.set(root, opening);
    return opening;
  }

  async close(): Promise<void> {
    for (const opened of await Promise.allSettled(this.#open.values()))
      if (opened.status === 'fulfilled') await opened.value.close();
  }
}
