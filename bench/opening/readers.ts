import { createReadStream } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import type { TranscriptStore } from '../../src/store/transcriptStore.js';
import { openStore } from '../harness/openStore.js';
import type { MadeJournal } from './makeJournal.js';

/** How many messages a first screen has. */
const SCREEN = 50;

/** A way to open a transcript. */
export interface Reader {
  /** What has happened before, if anything; not measured. */
  prepare?(journal: MadeJournal): Promise<void>;
  /** Tells when the first screen is there, and ends when every message can be reached. */
  read(journal: MadeJournal, onFirstScreen: () => void): Promise<void>;
}

/** Opens a transcript of ours at its end, where a person looks first. */
async function openAtEnd(store: TranscriptStore, conversation: string): Promise<void> {
  const transcript = await store.openTranscript(conversation);
  const { length } = transcript;
  const screen = await transcript.read(length - SCREEN, length);
  if (screen.length !== SCREEN) throw new Error(`${screen.length} messages are no screen`);
}

let store: TranscriptStore;

/** By the names in the table. */
export const readers: Readonly<Record<string, Reader>> = {
  'Agent Logbook': {
    async read({ root, conversation }, onFirstScreen) {
      await openAtEnd(await openStore(root), conversation);
      onFirstScreen();
    },
  },
  'Agent Logbook, open elsewhere in the window': {
    async prepare({ root, conversation }) {
      store = await openStore(root);
      await openAtEnd(store, conversation);
    },
    async read({ conversation }, onFirstScreen) {
      await openAtEnd(store, conversation);
      onFirstScreen();
    },
  },
  'readFile, split, JSON.parse': {
    async read({ file }, onFirstScreen) {
      const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
      const messages = lines.map((line) => JSON.parse(line) as unknown);
      if (messages.length > SCREEN) onFirstScreen();
    },
  },
  'readline + JSON.parse': {
    async read({ file }, onFirstScreen) {
      const messages: unknown[] = [];
      for await (const line of createInterface({ input: createReadStream(file) })) {
        if (messages.push(JSON.parse(line)) === SCREEN) onFirstScreen();
      }
    },
  },
  'limit: raw read through 1 MB': {
    async read({ file }, onFirstScreen) {
      const handle = await open(file);
      const buffer = Buffer.alloc(1 << 20);
      let bytesRead = 1;
      while (bytesRead > 0) ({ bytesRead } = await handle.read(buffer, 0, buffer.length));
      await handle.close();
      onFirstScreen();
    },
  },
};
