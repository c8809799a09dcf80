import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { LogRecord } from '../../src/core/record.js';
import { silentLog } from '../../src/core/ports/log.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { pathsOf } from '../../src/store/files/storePaths.js';
import { loadAnswers, saveAnswers } from '../../src/search/reader/openedTranscript.js';
import { FactReader } from '../../src/store/read/factReader.js';
import { SharedSource } from '../../src/store/read/sharedSource.js';
import { sealReport } from '../../src/store/write/sealReport.js';
import { readSource } from '../../src/store/read/sourceTable.js';
import { teamStory } from '../support/teamStory.js';
import { checkSeals } from './inspect.js';
import { mutate } from './mutate.js';
import { inFolder, type Recipe } from './recipe.js';

const open = (root: string, readOnly = false) =>
  TranscriptStore.open({ root, log: silentLog, readOnly, onProblem: () => undefined });

const COUNT = 40;

function record(seq: number): LogRecord {
  const id = `m_${String(seq).padStart(32, '0')}`;
  const place = { run: 'r', call: 'k', agent: 'a', depth: 0 };
  const content = `${seq} "quoted" {"seq":${seq},"id":"x"} é🥒 ${'lorem ipsum '.repeat(seq * 3)}`;
  return {
    seq,
    id,
    time: 1_790_000_000_000 + seq,
    conversation: 'c1',
    ...place,
    type: 'message',
    message: { role: 'tool', content },
  };
}

/** Changes one place of a journal: what was not touched reads as before, what was is never taken for right. */
export const bitRot: Recipe = {
  name: 'flipped, zeroed, inserted, deleted and cut bytes',
  run: async ({ scale, random }, figures) => {
    await inFolder(async (folder) => {
      const root = join(folder, 'store');
      const store = await open(root);
      const journal = await store.createConversation('c1');
      for (let seq = 1; seq <= COUNT; seq++) journal.append(record(seq));
      await store.close();
      const path = join(root, 'conversations', 'c1', 'messages.jsonl');
      const good = readFileSync(path);
      for (let run = 0; run < 500 * scale; run++) {
        figures.runs++;
        const { bytes, from, to, kind } = mutate(good, random);
        writeFileSync(path, bytes);
        const reader = await open(root, true);
        const transcript = await reader.openTranscript('c1');
        const read = await transcript.read(0, transcript.length);
        await reader.close();
        if (!bytes.equals(good)) {
          const { state } = await sealReport(pathsOf(root, 'c1'));
          if (state === 'intact')
            figures.faults.push(`${kind} at ${from}: the seal says that nothing was changed`);
        }
        const found = new Map(read.map((each) => [each.seq, JSON.stringify(each)]));
        let start = 0;
        for (let seq = 0; seq <= COUNT; seq++) {
          const end = good.indexOf('\n', start);
          // A cut file lacks lines that it does not know of; a line that lost its newline alone is whole.
          const isTouched = from <= end && to > start;
          const expected = JSON.stringify(record(seq));
          const got = found.get(seq);
          if (seq > 0 && !isTouched && from !== start && got !== expected) figures.lost++;
          if (got !== undefined && seq > 0 && got !== expected)
            figures.faults.push(`${kind} at ${from}: record ${seq} was changed and taken for right`);
          start = end + 1;
        }
        if (read.some(({ seq }) => seq < 1 || seq > COUNT))
          figures.faults.push(`${kind} at ${from}: a record that nobody wrote`);
        const isHarm = bytes.length > 0 && !bytes.equals(good) && read.length < COUNT;
        if (isHarm && kind !== 'delete' && kind !== 'cut' && transcript.damaged.length === 0)
          figures.faults.push(`${kind} at ${from}: records are missing and nothing is shown as damaged`);
      }
    });
  },
};

/** Harms the caches: what is read and listed stays the same. */
export const cacheRot: Recipe = {
  name: 'deleted, zeroed and flipped caches',
  run: async ({ scale, random }, figures) => {
    await inFolder(async (folder) => {
      const root = join(folder, 'store');
      const store = await open(root);
      const journal = await store.createConversation('c1');
      // Calls, dispatches, approvals and errors are kept in columns of their own.
      const { records } = teamStory();
      for (let seq = 1; seq <= 2500; seq++) {
        const told = records[seq % records.length] ?? record(1);
        journal.append({ ...told, seq, id: `m_${seq}`, conversation: 'c1' });
      }
      await store.close();
      const folderOf = join(root, 'conversations', 'c1');
      const caches = [
        ...['index.bin', 'columns.bin', 'views.bin'].map((name) => join(folderOf, name)),
        join(root, 'state', 'catalog.json'),
      ];
      const truth = await readAll(root);
      await keepAnswers(root);
      const good = caches.map((path) => readFileSync(path));
      for (let run = 0; run < 50 * scale; run++) {
        figures.runs++;
        for (const [at, path] of caches.entries()) {
          const original = good[at] ?? Buffer.alloc(0);
          writeFileSync(
            path,
            random() < 0.1
              ? Buffer.alloc(Math.floor(random() * original.length))
              : mutate(original, random).bytes,
          );
        }
        const answer = await readAll(root);
        if (answer !== truth)
          figures.faults.push(`run ${run}: ${answer.slice(0, 200)} instead of ${truth.slice(0, 200)}`);
        // What is kept beside a journal is no part of what is sealed.
        await checkSeals(root, 'c1');
        const kept = await keptAnswers(root);
        if (kept !== undefined && kept !== JSON.stringify(ANSWERS))
          figures.faults.push(`run ${run}: answers ${kept.slice(0, 200)}`);
      }
    });
  },
};

/** A number made of all facts, as a panel reads them: from the columns beside the journal where these fit. */
async function factsIn(root: string): Promise<number> {
  const paths = pathsOf(root, 'c1');
  const source = new SharedSource(await readSource(paths, silentLog, true), silentLog);
  const reader = new FactReader({ paths, source, log: silentLog, readOnly: false });
  const facts = await reader.read(0, source.length);
  await reader.stored();
  source.dispose();
  const told = facts.map(({ type, role, time, place, tokens, answers, characters, calls, event }) => [
    type,
    role,
    time,
    place.call,
    place.agent,
    tokens?.input,
    tokens?.output,
    answers,
    characters,
    event,
    ...calls.map(({ id, name, names }) => [id, name, names]),
  ]);
  return crc32(JSON.stringify(told));
}

/** What a panel keeps of its views, as far as it matters here: any JSON. */
const ANSWERS = { records: 2_500, turns: Array.from({ length: 100 }, (_, index) => ({ index })) };

async function keepAnswers(root: string): Promise<void> {
  const paths = pathsOf(root, 'c1');
  const source = await readSource(paths, silentLog, true);
  await saveAnswers(paths, source.index, 'this campaign', ANSWERS);
  source.dispose?.();
}

/** The answers that are kept, as text; undefined where they are not taken for right. */
async function keptAnswers(root: string): Promise<string | undefined> {
  const paths = pathsOf(root, 'c1');
  const source = await readSource(paths, silentLog, true);
  const kept = await loadAnswers(paths, source.index, 'this campaign');
  source.dispose?.();
  return kept === undefined ? undefined : JSON.stringify(kept);
}

async function readAll(root: string): Promise<string> {
  const store = await open(root, true);
  const transcript = await store.openTranscript('c1');
  const records = await transcript.read(0, transcript.length);
  await store.catalog.refresh();
  const entries = JSON.stringify(store.catalog.entries());
  await store.close();
  const facts = await factsIn(root);
  const last = JSON.stringify(records.at(-1));
  return `${records.length} ${transcript.damaged.length} ${entries} ${last} ${facts}`;
}
