import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogRecord } from '../../src/core/record.js';
import { NO_PRICES } from '../../src/core/ports/prices.js';
import { silentLog } from '../../src/core/ports/log.js';
import { ColumnCache } from '../../src/search/columns/columnCache.js';
import { search } from '../../src/search/search.js';
import { StoreSource } from '../../src/search/sessions/storeSource.js';
import { TranscriptStore } from '../../src/store/transcriptStore.js';
import { checkSeals } from './inspect.js';
import { mutate } from './mutate.js';
import { inFolder, type Recipe } from './recipe.js';

const SESSIONS = 6;
const RECORDS = 30;

function record(session: string, seq: number): LogRecord {
  const content = `${session} says ${seq}: ${'lorem ipsum '.repeat(seq)} é🥒`;
  return {
    seq,
    id: `m_${session}_${seq}`,
    time: 1_790_000_000_000 + 60_000 * seq,
    conversation: session,
    run: 'r',
    call: 'k',
    agent: seq % 3 === 0 ? 'Fixer' : 'Baker',
    depth: 0,
    type: 'message',
    message: seq % 2 === 0 ? { role: 'assistant', content } : { role: 'user', content },
  };
}

const QUESTIONS = [
  'agent:Fixer role:assistant',
  'c3',
  '"ipsum é"',
  '-agent:Baker before:2026-12-01',
  '/c[24] says 7/',
];

/** What is found for all questions, as text; the columns are loaded from the disk. */
async function answers(root: string): Promise<string> {
  const found: unknown[] = [];
  for (const text of QUESTIONS) {
    const source = new StoreSource(root, false, { log: silentLog, cache: new ColumnCache() });
    const question = {
      ...({ text, rows: 'messages', now: 1_790_000_000_000, timeZone: 'UTC', order: 'oldest' } as const),
      limits: { sessions: 100, hitsOfSession: 100 },
    };
    const updates = search([source], question, { prices: NO_PRICES, mark: '' }, new AbortController().signal);
    for await (const { groups } of updates) found.push(...groups);
  }
  return JSON.stringify(found);
}

/** Harms what the search keeps of sessions: what is found stays the same. */
export const searchRot: Recipe = {
  name: 'deleted, zeroed and flipped columns of the search',
  run: async ({ scale, random }, figures) => {
    await inFolder(async (folder) => {
      const root = join(folder, 'store');
      const store = await TranscriptStore.open({ root, log: silentLog, onProblem: () => undefined });
      for (let session = 0; session < SESSIONS; session++) {
        const journal = await store.createConversation(`c${session}`);
        for (let seq = 1; seq <= RECORDS; seq++) journal.append(record(`c${session}`, seq));
      }
      await store.close();
      const truth = await answers(root);
      const paths = Array.from({ length: SESSIONS }, (_, at) =>
        join(root, 'conversations', `c${at}`, 'search.bin'),
      );
      const good = paths.map((path) => readFileSync(path));
      for (let run = 0; run < 15 * scale; run++) {
        figures.runs++;
        for (const [at, path] of paths.entries()) {
          const original = good[at] ?? Buffer.alloc(0);
          const isCut = random() < 0.1;
          writeFileSync(
            path,
            isCut ? Buffer.alloc(Math.floor(random() * original.length)) : mutate(original, random).bytes,
          );
        }
        const answer = await answers(root);
        await checkSeals(root, `c${run % SESSIONS}`);
        if (answer !== truth)
          figures.faults.push(`run ${run}: ${answer.slice(0, 200)} instead of ${truth.slice(0, 200)}`);
      }
    });
  },
};
