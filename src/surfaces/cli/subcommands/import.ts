import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileKind } from '../../../app/sources/fileKind.js';
import { NoConversationError } from '../../../app/sources/fileSessions.js';
import {
  transcriptsIn,
  importFileInto,
  wholeNamed,
  type ImportedFileSession,
  type ImportingStore,
  type NamedPath,
} from '../../../app/sources/importFile.js';
import { expandedNames } from '../../../app/sources/namedFiles.js';
import { openStore } from '../../../app/stores/openStore.js';
import { importWords } from '../../../app/transcripts/importWords.js';
import { UserError } from '../../../app/userError.js';
import { fileOfPath } from '../../../core/sessionInDatabase.js';
import { messageOf } from '../../../core/text.js';
import type { ImportOutcome } from '../../../store/write/importSession.js';
import { StoreError } from '../../../store/write/storeProblem.js';
import type { Call } from '../call.js';

/** How many files are stored at once, and of how many bytes: the syncs of a disk are for all of them, and each is held meanwhile. */
const MAX_AT_ONCE = 24;
const MAX_BYTES_AT_ONCE = 16 * 1024 * 1024;

/** A file that is being stored. */
interface Storing extends NamedPath {
  readonly bytes: number;
  /** Never rejects. */
  readonly stored: Promise<{ readonly sessions: readonly ImportedFileSession[]; readonly error?: unknown }>;
  /** Hears why it could not be imported. */
  readonly onFailure: (error: unknown) => Promise<void>;
}

/** Imports files of other tools into a store, those in folders too: what is there already stays, what has grown is added. */
export async function importFiles(call: Call): Promise<void> {
  const { out, terminal } = call;
  const words = await expandedNames(terminal.cwd, call.words);
  const root = await call.sources.storeToWrite();
  const store = await openStore(root, { seals: !call.has('no-seals') });
  const importing = new Importing(call, { store, root });
  try {
    // Sessions are named by their start, so that one comes before those of its subagents.
    for (const name of words.toSorted()) {
      const path = resolve(terminal.cwd, name);
      const onFailure = async (error: unknown) => {
        if (!isTold(error) || words.length === 1) throw error;
        await importing.fail(error);
      };
      try {
        if (!importing.has(path) && fileKind(path, name) === 'folder')
          await importFolder(call, importing, { path, name });
        else await importing.add({ path, name }, onFailure, true);
      } catch (error) {
        call.signal.throwIfAborted();
        await onFailure(error);
      }
    }
    await importing.end();
  } finally {
    await importing.settled();
    await store.close();
  }
  const { outcomes, failed } = importing;
  if (failed === words.length && outcomes.length === 0)
    throw new UserError(`None of the ${failed} files could be imported.`);
  if (failed > 0) call.fail();
  if (!out.isJson) await out.say(out.line(`${importWords(outcomes)} The store is ${root}.`));
}

function isTold(error: unknown): error is Error {
  return error instanceof UserError || error instanceof StoreError;
}

/** Imports all transcripts in a folder: what is none among its files is counted. */
async function importFolder(call: Call, importing: Importing, folder: NamedPath): Promise<void> {
  const { out } = call;
  const { paths, problems } = await transcriptsIn(folder.path);
  for (const problem of problems) await importing.fail(new UserError(problem));
  let none = 0;
  const onFailure = async (error: unknown) => {
    if (!isTold(error)) throw error;
    if (error instanceof NoConversationError) none++;
    else await importing.fail(error);
  };
  for (const path of paths) await importing.add({ path, name: path }, onFailure);
  await importing.end();
  if (none === paths.length) throw new UserError(`There are no transcripts in ${folder.name}.`);
  if (none > 0)
    await out.note(`${none === 1 ? 'One file' : `${none} files`} in ${folder.name} held no conversation.`);
}

/** Files that are imported: read one after the other, stored together, and told in their order. */
class Importing {
  readonly outcomes: ImportOutcome[] = [];
  failed = 0;
  readonly #call: Call;
  readonly #into: ImportingStore;
  /** The paths of files that were read with a session. */
  readonly #readWith = new Set<string>();
  readonly #queue: Storing[] = [];

  constructor(call: Call, into: ImportingStore) {
    this.#call = call;
    this.#into = into;
  }

  /** Whether a file was read with a session before it. */
  has(path: string): boolean {
    return this.#readWith.has(path);
  }

  /** Resolves when the session that it is or is a part of is read; rejects as `onFailure` of this or an earlier file does. */
  async add(given: NamedPath, onFailure: Storing['onFailure'], isNamed = false): Promise<void> {
    this.#call.signal.throwIfAborted();
    if (this.has(given.path)) return;
    const file = await wholeNamed(given);
    if (file.path !== given.path) {
      if (this.has(file.path)) return;
      this.#readWith.add(file.path);
      const words = `${given.name} is a part of ${file.name}, which is imported with all its parts.`;
      if (isNamed) await this.#call.out.note(words);
    }
    const { size: bytes } = await stat(fileOfPath(file.path)).catch(() => ({ size: 0 }));
    while (this.#isFull(bytes)) await this.#tellFirst();
    const cache = await this.#call.sources.cached();
    let stored: Storing['stored'] | undefined;
    const isRead = new Promise<void>((resolved) => {
      const onRead = (readWith: readonly string[]) => {
        for (const path of readWith) this.#readWith.add(path);
        resolved();
      };
      const reading = { ...this.#call.reading(file.name), cache, onRead };
      stored = sessionsOf(importFileInto(this.#into, file, reading));
    });
    if (!stored) return;
    this.#queue.push({ ...file, bytes, stored, onFailure });
    await Promise.race([isRead, stored]);
    await this.#call.tellTroubles();
  }

  /** Resolves when all are stored and told. */
  async end(): Promise<void> {
    while (this.#queue.length > 0) await this.#tellFirst();
  }

  /** Resolves when nothing is being stored any more; never rejects. */
  async settled(): Promise<void> {
    await Promise.all(this.#queue.map(({ stored }) => stored));
  }

  /** Tells that a file could not be imported. */
  async fail(error: Error): Promise<void> {
    this.failed++;
    await this.#call.out.note(messageOf(error));
  }

  #isFull(bytes: number): boolean {
    const { length } = this.#queue;
    const held = this.#queue.reduce((sum, each) => sum + each.bytes, bytes);
    return length >= MAX_AT_ONCE || (length > 0 && held > MAX_BYTES_AT_ONCE);
  }

  async #tellFirst(): Promise<void> {
    const first = this.#queue.shift();
    if (!first) return;
    const { out, signal } = this.#call;
    const { sessions, error } = await first.stored;
    for (const { session, outcome } of sessions) {
      this.outcomes.push(outcome);
      const { kind, ...rest } = outcome;
      if (out.isJson) await out.tell('import', { file: first.name, session, outcome: kind, ...rest });
    }
    await this.#call.tellTroubles();
    if (error === undefined) return;
    signal.throwIfAborted();
    await first.onFailure(error);
  }
}

/** What was imported of a file, also where it broke off. */
async function sessionsOf(each: AsyncIterable<ImportedFileSession>): Storing['stored'] {
  const sessions: ImportedFileSession[] = [];
  try {
    for await (const one of each) sessions.push(one);
    return { sessions };
  } catch (error) {
    return { sessions, error };
  }
}
