import { resolve } from 'node:path';
import { fileKind } from '../../../app/sources/fileKind.js';
import { NoConversationError } from '../../../app/sources/fileSessions.js';
import { transcriptsIn, importFileInto, type ImportingStore } from '../../../app/sources/importFile.js';
import { expandedNames } from '../../../app/sources/namedFiles.js';
import { openStore } from '../../../app/stores/openStore.js';
import { importWords } from '../../../app/transcripts/importWords.js';
import { UserError } from '../../../app/userError.js';
import { messageOf } from '../../../core/text.js';
import type { ImportOutcome } from '../../../store/write/importSession.js';
import { StoreError } from '../../../store/write/storeProblem.js';
import type { Call } from '../call.js';

/** What came of what was named. */
interface Imported {
  readonly outcomes: ImportOutcome[];
  /** The paths of files that were read with a session. */
  readonly readWith: Set<string>;
  failed: number;
}

/** A file that is imported, and what a person calls it. */
interface Named {
  readonly path: string;
  readonly name: string;
}

/** Imports files of other tools into a store, those in folders too: what is there already stays, what has grown is added. */
export async function importFiles(call: Call): Promise<void> {
  const { out, signal, terminal } = call;
  const words = await expandedNames(terminal.cwd, call.words);
  const root = await call.sources.storeToWrite();
  const store = await openStore(root, { seals: !call.has('no-seals') });
  const into = { store, root };
  const imported: Imported = { outcomes: [], readWith: new Set(), failed: 0 };
  try {
    // Sessions are named by their start, so that one comes before those of its subagents.
    for (const name of words.toSorted()) {
      const path = resolve(terminal.cwd, name);
      if (imported.readWith.has(path)) continue;
      try {
        if ((await fileKind(path, name)) === 'folder')
          await importFolder(call, into, { path, name }, imported);
        else await importOne(call, into, { path, name }, imported);
      } catch (error) {
        signal.throwIfAborted();
        if (!isTold(error)) throw error;
        if (words.length === 1) throw error;
        imported.failed++;
        await out.note(messageOf(error));
      }
      await call.tellTroubles();
    }
  } finally {
    await store.close();
  }
  const { outcomes, failed } = imported;
  if (failed === words.length && outcomes.length === 0)
    throw new UserError(`None of the ${failed} files could be imported.`);
  if (failed > 0) call.fail();
  if (!out.isJson) await out.say(out.line(`${importWords(outcomes)} The store is ${root}.`));
}

function isTold(error: unknown): error is Error {
  return error instanceof UserError || error instanceof StoreError;
}

/** Imports all transcripts in a folder: what is none among its files is counted. */
async function importFolder(
  call: Call,
  into: ImportingStore,
  folder: Named,
  imported: Imported,
): Promise<void> {
  const { out, signal } = call;
  const { paths, problems } = await transcriptsIn(folder.path);
  for (const problem of problems) await out.note(problem);
  imported.failed += problems.length;
  let none = 0;
  for (const path of paths) {
    if (imported.readWith.has(path)) continue;
    try {
      await importOne(call, into, { path, name: path }, imported);
    } catch (error) {
      signal.throwIfAborted();
      if (!isTold(error)) throw error;
      if (error instanceof NoConversationError) none++;
      else {
        imported.failed++;
        await out.note(messageOf(error));
      }
    }
    await call.tellTroubles();
  }
  if (none === paths.length) throw new UserError(`There are no transcripts in ${folder.name}.`);
  if (none > 0)
    await out.note(`${none === 1 ? 'One file' : `${none} files`} in ${folder.name} held no conversation.`);
}

async function importOne(call: Call, into: ImportingStore, file: Named, imported: Imported): Promise<void> {
  const { out } = call;
  const reading = { ...call.reading(file.name), cache: await call.sources.cached() };
  const each = importFileInto(into, file, reading, (path) => imported.readWith.add(path));
  for await (const { session, outcome } of each) {
    imported.outcomes.push(outcome);
    const { kind, ...rest } = outcome;
    if (out.isJson) await out.tell('import', { file: file.name, session, outcome: kind, ...rest });
  }
}
