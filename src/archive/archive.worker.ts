import { parentPort, workerData } from 'node:worker_threads';
import { useTranslations, type Translations } from '../core/l10n.js';
import { messageOf } from '../core/text.js';
import { sharingRules } from '../export/sharing/sharingPolicy.js';
import { PortCalls } from '../node/portCalls.js';
import { silentLog } from '../ports/log.js';
import { markedPrices } from '../search/markedPrices.js';
import { TranscriptStore } from '../store/transcriptStore.js';
import { parseArchiveAddress } from './archiveAddress.js';
import type {
  ArchiveCalls,
  ArchiveHostCalls,
  PushAnswer,
  PushRequest,
  StoredToPush,
} from './archiveCalls.js';
import { ArchiveConnection } from './archiveConnection.js';
import { ArchiveError } from './archiveError.js';
import { checkSchema } from './archiveSchema.js';
import { ConversationPush, type PushOptions } from './conversationPush.js';

if (!parentPort) throw new Error('This pushes to an archive: it is started as a thread.');
useTranslations((workerData ?? undefined) as Translations | undefined);

let running: AbortController | undefined;

const calls: ArchiveCalls = {
  async push(request) {
    running?.abort(new Error('Another push has begun.'));
    const controller = new AbortController();
    running = controller;
    try {
      return await pushAll(request, controller.signal);
    } finally {
      if (running === controller) running = undefined;
    }
  },
  stop: () => running?.abort(new Error('It was stopped.')),
};
const host = new PortCalls<ArchiveHostCalls>(parentPort, calls);

async function pushAll(request: PushRequest, signal: AbortSignal): Promise<readonly PushAnswer[]> {
  const { address, password, mode, policy, ownPrices, conversations } = request;
  const rules = await sharingRules(policy);
  const prices = await markedPrices(ownPrices);
  const connection = await ArchiveConnection.open(parseArchiveAddress(address), {
    password: () => Promise.resolve(password),
    signal,
  });
  const stores = new Map<string, TranscriptStore>();
  try {
    await checkSchema(connection, true);
    const answers: PushAnswer[] = [];
    for (const conversation of conversations) {
      answers.push(await pushOne(connection, stores, conversation, { mode, rules, prices, signal }));
      // Where nobody is left to hear it, nobody is left to be told.
      host.call('progress', answers.length).catch(() => undefined);
    }
    return answers;
  } finally {
    await connection.close();
    for (const store of stores.values()) await store.close();
  }
}

async function pushOne(
  connection: ArchiveConnection,
  stores: Map<string, TranscriptStore>,
  { root, id, about }: StoredToPush,
  options: PushOptions,
): Promise<PushAnswer> {
  try {
    const store =
      stores.get(root) ??
      (await TranscriptStore.open({
        root,
        log: silentLog,
        readOnly: true,
        mayBlock: true,
        onProblem: () => undefined,
      }));
    stores.set(root, store);
    const transcript = await store.openTranscript(id);
    try {
      return { id, outcome: await new ConversationPush({ id, about, transcript }, options).push(connection) };
    } finally {
      await transcript.close();
    }
  } catch (error) {
    options.signal.throwIfAborted();
    if (error instanceof ArchiveError && error.kind !== 'differs') throw error;
    return { id, problem: messageOf(error) };
  }
}
