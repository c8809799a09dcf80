import {
  appendFileSync,
  closeSync,
  fdatasync,
  fdatasyncSync,
  openSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChatMessage } from '../../src/core/message.js';
import { loadLibrary } from '../harness/library.js';
import { openStore } from '../harness/openStore.js';
import { lineOf } from './messages.js';

/** A way to keep messages; made anew for each round. */
export interface Writer {
  /** Keeps one message; where it gives a promise, the caller waits for it. */
  write(message: ChatMessage): Promise<void> | undefined;
  /** Brings everything to the disk as far as this way does. */
  flush(): Promise<void>;
  end(): Promise<void>;
}

/** Makes a writer in a folder of its own. */
export type MakeWriter = (folder: string) => Promise<Writer>;

const nothing = async (): Promise<void> => {};

/** Whole records through the one door, kept in memory and in the journal, made durable in the background. */
export const ours: MakeWriter = (folder) => journalWriter()(folder);

/** The same, sealed or not. */
export const journalWriter =
  (seals?: boolean): MakeWriter =>
  async (folder) => {
    const { MessageAccumulator, Recorder } = await loadLibrary();
    const store = await openStore(join(folder, '.agent-logbook'), seals);
    const journal = await store.createConversation('c');
    const recorder = new Recorder({
      conversation: 'c',
      accumulator: new MessageAccumulator(),
      onListenerFailure: (error) => {
        throw error;
      },
    });
    recorder.onDidRecord((record) => journal.append(record));
    return {
      write(message) {
        recorder.record({ run: 'r', call: 'k', agent: 'Pickle', depth: 0, type: 'message', message });
        return undefined;
      },
      async flush() {
        const { durable, problem } = await journal.flush();
        if (problem !== undefined || durable !== recorder.lastSeq) throw new Error(problem ?? 'not durable');
      },
      end: () => store.close(),
    };
  };

/** One open descriptor, one write a message; made durable in the background every so many milliseconds, once at the end, or never. */
export function descriptor(sync?: number | 'at the end'): MakeWriter {
  return async (folder) => {
    const file = openSync(join(folder, 'messages.jsonl'), 'a');
    let seq = 0;
    const timer =
      typeof sync === 'number' ? setInterval(() => fdatasync(file, () => undefined), sync) : undefined;
    return {
      write(message) {
        writeSync(file, lineOf(++seq, message));
        return undefined;
      },
      async flush() {
        if (sync === 'at the end') fdatasyncSync(file);
      },
      async end() {
        clearInterval(timer);
        closeSync(file);
      },
    };
  };
}

export const appendSync: MakeWriter = async (folder) => {
  let seq = 0;
  return {
    write(message) {
      appendFileSync(join(folder, 'messages.jsonl'), lineOf(++seq, message));
      return undefined;
    },
    flush: nothing,
    end: nothing,
  };
};

export const appendPromises: MakeWriter = async (folder) => {
  let seq = 0;
  return {
    write: (message) => appendFile(join(folder, 'messages.jsonl'), lineOf(++seq, message)),
    flush: nothing,
    end: nothing,
  };
};

/** What many tools do: the whole conversation as one JSON file, written anew for each message. */
export function rewritten(already: readonly ChatMessage[]): MakeWriter {
  return async (folder) => {
    const all = [...already];
    return {
      write(message) {
        all.push(message);
        writeFileSync(join(folder, 'messages.json'), JSON.stringify(all));
        return undefined;
      },
      flush: nothing,
      end: nothing,
    };
  };
}

/** No disk at all. */
export const stringifyAlone: MakeWriter = async () => {
  let seq = 0;
  let length = 0;
  return {
    write(message) {
      length += lineOf(++seq, message).length;
      return undefined;
    },
    flush: nothing,
    async end() {
      if (length === 0) throw new Error('nothing was made');
    },
  };
};
