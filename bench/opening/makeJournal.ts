import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageBody } from '../../src/core/record.js';
import { loadLibrary } from '../harness/library.js';
import { openStore } from '../harness/openStore.js';
import { messageOf } from '../recording/messages.js';

/** A conversation on disk. */
export interface MadeJournal {
  /** The store's folder. */
  readonly root: string;
  readonly conversation: string;
  readonly file: string;
  readonly bytes: number;
}

/** Records so many messages of 1 KB into a store, as a run does. */
export function makeJournal(root: string, messages: number): Promise<MadeJournal> {
  return recordJournal(root, messages, (n) => ({ message: messageOf(n) }));
}

/** Records so many messages, each as `bodyOf` its number says, into a store, as a run does. */
export async function recordJournal(
  root: string,
  messages: number,
  bodyOf: (n: number) => Omit<MessageBody, 'type'>,
): Promise<MadeJournal> {
  const { Recorder } = await loadLibrary();
  const conversation = 'c';
  const store = await openStore(root);
  const journal = await store.createConversation(conversation);
  const recorder = new Recorder({ conversation, onListenerFailure: (error) => console.error(error) });
  recorder.onDidRecord((record) => journal.append(record));
  const place = { run: 'r', call: 'k', agent: 'Pickle', depth: 0 } as const;
  for (let n = 0; n < messages; n++) {
    recorder.record({ ...place, type: 'message', ...bodyOf(n) });
    if (n % 1000 === 999) await journal.flush();
  }
  await store.close();
  const file = largestFile(root);
  return { root, conversation, file, bytes: statSync(file).size };
}

/** The path of the largest file below a folder: of a store, its journal. */
function largestFile(folder: string): string {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  const [largest] = files.sort((left, right) => statSync(right).size - statSync(left).size);
  return largest!;
}
