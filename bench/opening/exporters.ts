import { copyFile, open, readFile, writeFile } from 'node:fs/promises';
import type { TextFormat } from '../../src/export/exportFormat.js';
import { SharingGate } from '../../src/export/sharing/sharingGate.js';
import type { Transcript } from '../../src/core/ports/transcript.js';
import { loadLibrary } from '../harness/library.js';
import { openStore } from '../harness/openStore.js';
import type { MadeJournal } from './makeJournal.js';

/** Writes what a journal holds into another file. */
export type Exporter = (journal: MadeJournal, target: string) => Promise<void>;

const PAGE = 512;

async function* recordsOf(transcript: Transcript): AsyncGenerator {
  for (let start = 0; start < transcript.length; start += PAGE) {
    yield* await transcript.read(start, start + PAGE);
  }
}

/**
 * Our export, chunk by chunk. `isLookedThrough`: as an editor exports, the whole transcript is looked through first, so that each
 * secret has its number.
 */
function ours(format: TextFormat, isLookedThrough = false): Exporter {
  return async ({ root, conversation }, target) => {
    const { exportChunks } = await loadLibrary();
    const transcript = await (await openStore(root)).openTranscript(conversation);
    const gate = isLookedThrough ? new SharingGate() : undefined;
    let position = 0;
    if (gate) for await (const record of recordsOf(transcript)) gate.look(record, position++);
    const file = await open(target, 'w');
    for await (const chunk of exportChunks(recordsOf(transcript), format, { indent: 0, gate })) {
      await file.write(chunk);
    }
    await file.close();
  };
}

/** By the names in the table. */
export const exporters: Readonly<Record<string, Exporter>> = {
  'Agent Logbook, JSON': ours('json'),
  'the same, looked through first': ours('json', true),
  'Agent Logbook, Markdown': ours('markdown'),
  'Agent Logbook, CSV': ours('csv'),
  'parse everything, stringify everything': async ({ file }, target) => {
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    await writeFile(target, JSON.stringify(lines.map((line) => JSON.parse(line) as unknown)));
  },
  'limit: file copy': ({ file }, target) => copyFile(file, target),
};
