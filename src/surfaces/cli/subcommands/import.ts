import { join, resolve } from 'node:path';
import { importFileInto } from '../../../app/sources/importFile.js';
import { STORE_FOLDER } from '../../../app/sources/storeSessions.js';
import { openStore } from '../../../app/stores/openStore.js';
import { importWords } from '../../../app/transcripts/importWords.js';
import { UserError } from '../../../app/userError.js';
import { appendAll } from '../../../core/lists.js';
import { messageOf } from '../../../core/text.js';
import type { TranscriptStore } from '../../../store/transcriptStore.js';
import type { ImportOutcome } from '../../../store/write/importSession.js';
import { StoreError } from '../../../store/write/storeProblem.js';
import type { Call } from '../call.js';

/** Imports files of other tools into a store: what is there already stays, what has grown is added. */
export async function importFiles(call: Call): Promise<void> {
  const { out, words, signal, terminal } = call;
  const root = (await call.sources.storeRoot()) ?? join(terminal.cwd, STORE_FOLDER);
  const store = await openStore(root);
  const outcomes: ImportOutcome[] = [];
  let failed = 0;
  const readWith = new Set<string>();
  try {
    // Sessions are named by their start, so that one comes before those of its subagents.
    for (const name of words.toSorted()) {
      const path = resolve(terminal.cwd, name);
      if (readWith.has(path)) continue;
      try {
        appendAll(outcomes, await importOne(call, store, { path, name }, readWith));
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof UserError || error instanceof StoreError)) throw error;
        if (words.length === 1) throw error;
        failed++;
        await out.note(messageOf(error));
      }
      await call.tellTroubles();
    }
  } finally {
    await store.close();
  }
  if (failed === words.length) throw new UserError(`None of the ${failed} files could be imported.`);
  if (failed > 0) call.fail();
  if (!out.isJson) await out.say(out.line(`${importWords(outcomes)} The store is ${root}.`));
}

async function importOne(
  call: Call,
  store: TranscriptStore,
  file: { readonly path: string; readonly name: string },
  readWith: Set<string>,
): Promise<readonly ImportOutcome[]> {
  const { out } = call;
  const outcomes: ImportOutcome[] = [];
  const imported = importFileInto(store, file, call.reading(file.name), (path) => readWith.add(path));
  for await (const { session, outcome } of imported) {
    outcomes.push(outcome);
    const { kind, ...rest } = outcome;
    if (out.isJson) await out.tell('import', { file: file.name, session, outcome: kind, ...rest });
  }
  return outcomes;
}
