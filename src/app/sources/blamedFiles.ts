import { readFile, realpath } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { BoundedMap } from '../../core/boundedMap.js';
import { t } from '../../core/l10n.js';
import { promptTitle } from '../../core/promptTitle.js';
import { messageOf } from '../../core/text.js';
import { ownTextOf } from '../../core/injected.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { blameFile, historyOf, nameOf, type FileBlame } from '../../provenance/fileBlame.js';
import { linesOf } from '../../provenance/fileChange.js';
import { Repository } from '../../provenance/git.js';
import { EditReader, type RecordedEdit } from '../../provenance/recordedEdits.js';
import { restoredRecords } from '../../store/read/restoredRecords.js';
import type { NamedSession } from '../stores/namedSessions.js';
import { UserError } from '../userError.js';
import { whyUnread } from './whyUnread.js';
import { appendAll } from '../../core/lists.js';

/** An edit with the session that tells it. */
export interface SessionEdit extends RecordedEdit {
  /** The id by which the session is found in its source. */
  readonly session: string;
  /** Where that is: the path of a file, or of a store's folder. */
  readonly where: string;
  readonly title: string;
  /** The tool that recorded it; undefined where it was recorded here. */
  readonly source?: string;
  /** What that tool calls the session. */
  readonly toolSession?: string;
  /** The beginning of what the person asked for. */
  readonly asked?: string;
}

/** What is asked of a file. */
export interface BlamedFileRequest {
  readonly file: string;
  /** What a person calls it. */
  readonly called: string;
  /** What stands in it, where that is not what the disk has. */
  readonly text?: string;
  readonly sessions: AsyncIterable<NamedSession>;
  /** Whether git may be asked: not of a folder that nobody trusts. */
  readonly asksGit: boolean;
  readonly signal: AbortSignal;
  /** Is told of a session that could not be read. */
  readonly onProblem?: (session: string, message: string) => void;
}

/** How much of a prompt is told, in UTF-16 code units. */
const TITLE_LENGTH = 200;
/** Who wrote the lines of a file, with what stands in it. */
export interface BlamedFile extends FileBlame<SessionEdit> {
  readonly text: string;
  /** The commit that is checked out and the path in it, where the file is as it is there. */
  readonly committed?: { readonly revision: string; readonly path: string };
}

/** Of so many sessions the edits are held. */
const MAX_HELD = 2_000;

/** Says who wrote the lines of files; what it has read of sessions it holds, for as long as these stay as they are. */
export class BlamedFiles {
  /** By session and stamp the edits of it, by the names of the files. */
  readonly #held = new BoundedMap<string, ReadonlyMap<string, readonly SessionEdit[]>>(MAX_HELD);

  /** Rejects with a UserError where the file cannot be read. */
  async blame(request: BlamedFileRequest): Promise<BlamedFile> {
    const { signal, asksGit, called } = request;
    const file = await realpath(request.file).catch((error: unknown) => {
      throw new UserError(t`${called} cannot be read: ${whyUnread(error)}.`);
    });
    const text = request.text ?? (await textOf(file, called));
    const repository = asksGit ? await Repository.around(dirname(file), signal) : undefined;
    const history = await historyOf(file, repository, signal);
    const names = new Set([nameOf(file), ...history.paths.map(nameOf)]);
    const edits: SessionEdit[] = [];
    const seen = new Set<string>();
    for await (const session of request.sessions) {
      signal.throwIfAborted();
      const byName = await this.#editsOf(session, request);
      for (const edit of [...names].flatMap((name) => byName?.get(name) ?? [])) {
        // A session that was forked or continued tells the edits of the one before as well.
        const key = `${edit.callId}\n${edit.path}\n${edit.time}\n${edit.change.kind}`;
        if (edit.callId !== '' && seen.has(key)) continue;
        seen.add(key);
        edits.push(edit);
      }
    }
    const path = repository?.pathOf(file);
    const isCommitted = history.versions.at(-1)?.lines.join('\n') === linesOf(text).join('\n');
    const revision = isCommitted ? await repository?.head(signal) : undefined;
    return {
      ...blameFile({ file, text, repository, edits }, history),
      text,
      ...(revision !== undefined && path !== undefined && { committed: { revision, path } }),
    };
  }

  async #editsOf(session: NamedSession, { signal, onProblem }: BlamedFileRequest) {
    const { id, where } = session;
    try {
      const key = `${where}\n${id}\n${await session.stamp()}`;
      const held = this.#held.get(key);
      if (held) return held;
      const read = await readEdits(session, signal);
      this.#held.set(key, read);
      return read;
    } catch (error) {
      signal.throwIfAborted();
      onProblem?.(id, messageOf(error));
      return undefined;
    }
  }
}

async function textOf(file: string, called: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UserError(t`${called} cannot be read: ${whyUnread(error)}.`);
  });
  if (bytes.includes(0)) throw new UserError(t`${called} is no text.`);
  return bytes.toString('utf8');
}

/** All edits of a session, by the names of their files. */
async function readEdits(
  session: NamedSession,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly SessionEdit[]>> {
  const { id, where, kind } = session;
  const { title, source, toolSession } = await session.info();
  // Agents that are recorded here work in the folder of the store.
  const folder = kind === 'stored' && source === undefined ? workspaceOf(where) : undefined;
  const transcript = await session.open();
  try {
    const reader = new EditReader(folder);
    const found: RecordedEdit[] = [];
    for await (const record of restoredRecords(transcript, undefined, signal))
      appendAll(found, reader.add(record));
    appendAll(found, reader.finish());
    const asked = await promptsOf(transcript, found);
    const byName = new Map<string, SessionEdit[]>();
    for (const edit of found) {
      const prompt = asked.get(edit.prompt ?? -1);
      const told: SessionEdit = {
        ...edit,
        session: id,
        where,
        title,
        ...(source !== undefined && { source }),
        ...(toolSession !== undefined && { toolSession }),
        ...(prompt !== undefined && { asked: prompt }),
      };
      for (const name of new Set([edit.path, edit.movedFrom ?? edit.path].map(nameOf))) {
        const known = byName.get(name);
        if (known) known.push(told);
        else byName.set(name, [told]);
      }
    }
    return byName;
  } finally {
    await transcript.close();
  }
}

/** The beginnings of the prompts before some edits. */
async function promptsOf(
  transcript: Transcript,
  edits: readonly RecordedEdit[],
): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  for (const at of new Set(edits.flatMap(({ prompt }) => prompt ?? []))) {
    const [record] = await transcript.read(at, at + 1);
    const title = promptTitle(ownTextOf(record), TITLE_LENGTH);
    if (title !== undefined) found.set(at, title);
  }
  return found;
}

function workspaceOf(store: string): string {
  const path = resolve(store);
  return basename(path).startsWith('.') ? dirname(path) : path;
}
