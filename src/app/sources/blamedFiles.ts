import { readFile, realpath } from 'node:fs/promises';
import { dirname, resolve, isAbsolute, join } from 'node:path';
import { checkOptions, type KnownOptions } from '../../core/checkOptions.js';
import { t } from '../../core/l10n.js';
import type { Transcript } from '../../core/ports/transcript.js';
import { promptTitle } from '../../core/promptTitle.js';
import { messageOf } from '../../core/text.js';
import { isKeyOf, readAgentTraces, type AuthorClaim } from '../../provenance/authorship.js';
import {
  nameOf,
  blameFile,
  historyOf,
  linesPut,
  movedAuthors,
  type BroughtLines,
  type FileBlame,
  type FileHistory,
  type HistoryCache,
} from '../../provenance/fileBlame.js';
import { linesOf } from '../../provenance/recordedEdits.js';
import { GitFailed, Repository } from '../../provenance/git.js';
import type { SessionParts } from '../stores/namedSessions.js';
import { UserError } from '../userError.js';
import {
  mayEdit,
  SessionEdits,
  TITLE_LENGTH,
  whyOf,
  type EditedSession,
  type SessionEdit,
  type WhyStep,
} from './sessionEdits.js';
import { STORE_FOLDER } from './storeSessions.js';
import { whyUnread } from './whyUnread.js';

/** Tells the beginnings of prompts; secrets are left out before one is cut, which would hide what they are. */
export function beginnings(clean: (text: string) => string): (asked: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (asked) => {
    if (!known.has(asked)) known.set(asked, promptTitle(clean(asked), TITLE_LENGTH));
    return known.get(asked);
  };
}

/** An author with the beginning of the prompt instead of all of it. */
export function withBeginning<Author extends SessionEdit | SessionClaim>(
  author: Author,
  beginningOf: (asked: string) => string | undefined,
): Author {
  return 'asked' in author ? { ...author, asked: beginningOf(author.asked) ?? '' } : author;
}

/** By which sessions and what else it is found who wrote a line. */
export interface BlameRequest {
  /** All sessions by which it is proved, each time that it is called; those may be left out of which `isMeant` says by their parts that none is meant. */
  readonly sessions: (isMeant?: (parts: SessionParts) => Promise<boolean>) => AsyncIterable<EditedSession>;
  /** Whether git may be asked: not of a folder that nobody trusts. */
  readonly asksGit: boolean;
  readonly signal: AbortSignal;
  /** Keeps what was read of the repository with a root for the next program. */
  readonly keeps?: ((root: string) => Promise<HistoryCache | undefined>) | undefined;
  /** The text of a file with Agent Trace records. */
  readonly trace?: string | undefined;
  /** Is told of a session that could not be read. */
  readonly onProblem?: ((session: string, message: string) => void) | undefined;
}

/** What is asked of a file. */
export interface BlamedFileRequest extends BlameRequest {
  readonly file: string;
  /** What a person calls it. */
  readonly called: string;
  /** What stands in it, where that is not what the disk has. */
  readonly text?: string;
}

/** Who wrote a line as another program tells it, with the session on this machine that is meant, where there is one. */
export interface SessionClaim extends AuthorClaim {
  readonly session?: string;
  readonly where?: string;
  readonly title?: string;
}

/** Who wrote the lines of a file, with what stands in it. */
export interface BlamedFile extends FileBlame<SessionEdit> {
  readonly told: readonly (SessionClaim | undefined)[];
  readonly text: string;
  /** The commit that is checked out and the path in it, where the file is as it is there. */
  readonly committed?: { readonly revision: string; readonly path: string };
}

/** How much of what a session wrote is still there. */
export interface SurvivingLines {
  /** Lines that its edits put into files. */
  readonly put: number;
  /** Lines of files as they are now that are proved to be of these edits. */
  readonly kept: number;
}

/** What the versions of a file brought. */
interface BroughtFile {
  readonly versions: readonly BroughtLines<SessionEdit>[];
  /** Whether git could not tell all of them. */
  readonly isIncomplete: boolean;
}

/** What is not waited for looks at no more files, and reads no more of sessions, in bytes. */
const MAX_QUICK_FILES = 40;
const MAX_UNREAD = 16 * 1024 * 1024;
/** The histories of so many files are held at once. */
const MAX_AT_ONCE = 100;

/** A file with what is known of its history. */
interface Looked {
  readonly file: string;
  readonly text: string;
  readonly history: FileHistory;
}

/** Says who wrote the lines of files; what it has read of sessions it holds, for as long as these stay as they are. */
export class BlamedFiles {
  readonly #edits = new SessionEdits();

  /** How many sessions were read, for tests: those of which nothing was kept. */
  get reads(): number {
    return this.#edits.reads;
  }

  /** Rejects with a UserError where the file cannot be read. */
  async blame(request: BlamedFileRequest): Promise<BlamedFile> {
    const { signal, asksGit, called } = request;
    const file = await realpath(request.file).catch((error: unknown) => {
      throw new UserError(t`${called} cannot be read: ${whyUnread(error)}.`);
    });
    const text = request.text ?? (await textOf(file, called));
    const repository = asksGit ? await Repository.around(dirname(file), signal) : undefined;
    const looked = { file, text, history: await lookAt(file, repository, request) };
    const { edits, abouts } = await this.#gathered([looked], request);
    const asked = { file, text, repository, edits };
    const first = blameFile(asked, looked.history);
    const moved = await movedAuthors(first, looked.history, repository, {
      editsOf: async (names) => (await this.#gathered([], request, names)).edits,
      keeps: repository && (await request.keeps?.(repository.root)),
      signal,
    }).catch((error: unknown) => {
      if (!(error instanceof GitFailed)) throw error;
      return undefined;
    });
    const { told, ...blamed } = moved?.size ? blameFile(asked, looked.history, moved) : first;
    const path = repository?.pathOf(file);
    const { tip: revision, versions } = looked.history;
    const isCommitted = versions.at(-1)?.lines.join('\n') === linesOf(text).join('\n');
    return {
      ...blamed,
      ...(!moved && { isIncomplete: true as const }),
      told: foundAuthors(told, abouts),
      text,
      ...(isCommitted && revision !== undefined && path !== undefined && { committed: { revision, path } }),
    };
  }

  /**
   * How much of what sessions wrote is still there, in files that can be read now; by `keyOf`. An edit that several sessions tell is
   * one of the first. `sessions` gives all by which lines are proved, each time; `isWanted` says of which it is asked.
   */
  async keptLines(
    { sessions, ...request }: BlameRequest,
    isWanted: (session: EditedSession) => boolean = () => true,
  ): Promise<ReadonlyMap<string, SurvivingLines>> {
    const { signal, onProblem } = request;
    const found = new Map<string, { put: number; kept: number }>();
    const paths = new Set<string>();
    const seen = new Set<string>();
    for await (const session of sessions()) {
      signal.throwIfAborted();
      try {
        const sum = { put: 0, kept: 0 };
        for (const edit of await this.#edits.of(session, undefined, signal)) {
          if (edit.change.kind === 'seen' || isAgain(edit, seen) || !isWanted(session)) continue;
          sum.put += linesPut(edit);
          const path = wholePath(edit);
          if (path !== undefined) paths.add(path);
        }
        if (isWanted(session)) found.set(keyOf(session), sum);
      } catch (error) {
        signal.throwIfAborted();
        onProblem?.(session.id, messageOf(error));
      }
    }
    await this.#eachLineThere(await filesThere(paths), { ...request, sessions }, (edit) => {
      const sum = found.get(keyOf({ where: edit.where, id: edit.session }));
      if (sum) sum.kept++;
    });
    return found;
  }

  /**
   * The same of one conversation, for who does not wait for it: undefined where it edits nothing, or so many files, or so much of what
   * other sessions edit was not read yet, that it would take long.
   */
  async keptQuickly(
    conversation: string,
    { sessions, ...request }: BlameRequest,
  ): Promise<SurvivingLines | undefined> {
    const { signal } = request;
    let own: EditedSession | undefined;
    let unread = 0;
    for await (const session of sessions()) {
      signal.throwIfAborted();
      if (session.id === conversation) own ??= session;
      if (!(await this.#edits.isRead(session))) unread += (await session.entry?.())?.bytes ?? 0;
      if (unread > MAX_UNREAD) return undefined;
    }
    const edits = own ? await this.#edits.of(own, undefined, signal) : [];
    const paths = new Set(edits.flatMap((edit) => wholePath(edit) ?? []));
    if (!own || paths.size === 0 || paths.size > MAX_QUICK_FILES) return undefined;
    const sum = { put: 0, kept: 0 };
    const isOwn = (edit: SessionEdit) => edit.session === own.id && edit.where === own.where;
    const all = await this.#gathered([], { ...request, sessions }, [...paths].map(nameOf));
    for (const edit of all.edits) if (edit.change.kind !== 'seen' && isOwn(edit)) sum.put += linesPut(edit);
    await this.#eachLineThere(await filesThere(paths), { ...request, sessions }, (edit) => {
      if (isOwn(edit)) sum.kept++;
    });
    return sum.put === 0 ? undefined : sum;
  }

  /** Calls `take` with the edit of each line of some files that is proved to be of one. */
  async #eachLineThere(
    files: readonly { readonly file: string; readonly text: string }[],
    { sessions, ...request }: BlameRequest,
    take: (edit: SessionEdit) => void,
  ): Promise<void> {
    const { signal, asksGit, onProblem } = request;
    // One of each, as it keeps what is told of all of its files.
    const repositories = new Map<string, Repository>();
    for (let at = 0; at < files.length; at += MAX_AT_ONCE) {
      const looked: (Looked & { readonly repository: Repository | undefined })[] = [];
      for (const { file, text } of files.slice(at, at + MAX_AT_ONCE)) {
        const around = asksGit ? await Repository.around(dirname(file), signal) : undefined;
        const repository = around && (repositories.get(around.root) ?? around);
        if (repository) repositories.set(repository.root, repository);
        try {
          looked.push({ file, text, repository, history: await lookAt(file, repository, request) });
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          onProblem?.(file, error.message);
        }
      }
      const { edits } = await this.#gathered(looked, { ...request, sessions, onProblem: undefined });
      for (const { file, text, repository, history } of looked)
        for (const edit of blameFile({ file, text, repository, edits }, history).lines) if (edit) take(edit);
    }
  }

  /** What the versions of some files until a commit brought, file by file; `sessions` gives all by which it is proved, each time. */
  async *brought(
    repository: Repository,
    { paths, tip }: { readonly paths: readonly string[]; readonly tip: string },
    { sessions, ...request }: BlameRequest,
  ): AsyncGenerator<BroughtFile, void, undefined> {
    for (let at = 0; at < paths.length; at += MAX_AT_ONCE) {
      const looked: Looked[] = [];
      for (const path of paths.slice(at, at + MAX_AT_ONCE)) {
        const file = join(repository.root, path);
        looked.push({ file, text: '', history: await lookAt(file, repository, request, tip) });
      }
      const { edits } = await this.#gathered(looked, { ...request, sessions });
      for (const { file, text, history } of looked)
        yield {
          versions: blameFile({ file, text, repository, edits }, history).brought(),
          isIncomplete: history.isIncomplete === true,
        };
    }
  }

  /** What a session says of why one of its edits was done, see `whyOf`; nothing where it is not there any more. */
  async why(
    edit: SessionEdit,
    { sessions, signal }: Pick<BlameRequest, 'sessions' | 'signal'>,
  ): Promise<readonly WhyStep[]> {
    for await (const session of sessions(mayEdit(new Set([nameOf(edit.path)])))) {
      if (keyOf(session) !== keyOf({ where: edit.where, id: edit.session })) continue;
      const transcript = await session.open();
      try {
        return await whyOf(transcript, edit, signal);
      } finally {
        await transcript.close();
      }
    }
    return [];
  }

  /** The edits of some files, and of those that have `others` for their names, each once, by all sessions, which are gone through once; what `first` tells as well is its own. */
  async #gathered(
    files: readonly Looked[],
    { sessions, signal, onProblem }: BlameRequest,
    others: readonly string[] = [],
  ) {
    const names = new Set([
      ...files.flatMap(({ file, history }) => [file, ...history.paths].map(nameOf)),
      ...others,
    ]);
    const isTold = files.some(({ history }) => history.versions.some(({ told }) => told));
    const abouts: SessionAbout[] = [];
    const edits: SessionEdit[] = [];
    const seen = new Set<string>();
    for await (const session of sessions(isTold ? undefined : mayEdit(names))) {
      signal.throwIfAborted();
      try {
        if (isTold) abouts.push(await aboutSession(session));
        for (const edit of await this.#edits.of(session, names, signal))
          if (!isAgain(edit, seen)) edits.push(edit);
      } catch (error) {
        signal.throwIfAborted();
        onProblem?.(session.id, messageOf(error));
      }
    }
    return { edits, abouts };
  }
}

/** By what a session is known among those of several sources. */
export function keyOf({ where, id }: Pick<EditedSession, 'where' | 'id'>): string {
  return `${where}\n${id}`;
}

/** Whether an edit is one of those that were seen: a session that was forked or continued tells those of the one before as well. */
function isAgain({ callId, path, time, change, index }: SessionEdit, seen: Set<string>): boolean {
  const key = `${callId}\n${path}\n${time}\n${change.kind}\n${index}`;
  if (callId === '') return false;
  return seen.size === seen.add(key).size;
}

/** Those of some paths that are texts on this machine, each once wherever links lead. */
async function filesThere(paths: Iterable<string>): Promise<readonly { file: string; text: string }[]> {
  const found = new Map<string, string>();
  for (const path of paths) {
    const file = await realpath(path).catch(() => undefined);
    if (file === undefined || found.has(file)) continue;
    // What is no text, or cannot be read, has no lines.
    const text = await textOf(file, path).catch(() => undefined);
    if (text !== undefined) found.set(file, text);
  }
  return [...found].map(([file, text]) => ({ file, text }));
}

/** What a session is known by to other programs, and to a person. */
interface SessionAbout {
  readonly session: string;
  readonly where: string;
  readonly title: string;
  readonly source?: string;
  readonly toolSession?: string;
}

async function aboutSession(session: EditedSession): Promise<SessionAbout> {
  const { id, where, origin } = session;
  const { title, source = origin?.tool, toolSession = origin?.session } = await session.info();
  return {
    session: id,
    where,
    title,
    ...(source !== undefined && { source }),
    ...(toolSession !== undefined && { toolSession }),
  };
}

async function lookAt(
  file: string,
  repository: Repository | undefined,
  { keeps, trace, signal }: Omit<BlameRequest, 'sessions'>,
  tip?: string,
): Promise<FileHistory> {
  try {
    return await historyOf(file, repository, {
      tip,
      keeps: repository && (await keeps?.(repository.root)),
      traces: trace === undefined ? [] : readAgentTraces(trace),
      signal,
    });
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    throw new UserError(t`Git could not tell the history of ${file}: ${error.message}`);
  }
}

/** Authors that other programs tell, with their sessions on this machine. */
function foundAuthors(
  told: readonly (AuthorClaim | undefined)[],
  abouts: readonly SessionAbout[],
): readonly (SessionClaim | undefined)[] {
  const found = new Map<AuthorClaim, SessionClaim>();
  for (const author of new Set(told)) {
    const { key } = author ?? {};
    if (!author) continue;
    const about = key === undefined ? undefined : abouts.find((each) => isKeyOf(key, each));
    found.set(
      author,
      about ? { ...author, session: about.session, where: about.where, title: about.title } : author,
    );
  }
  return told.map((author) => author && found.get(author));
}

/** Undefined for one of which nobody tells where it begins. */
function wholePath({ path, folder }: SessionEdit): string | undefined {
  if (folder !== undefined) return resolve(folder, path);
  return isAbsolute(path) ? path : undefined;
}

async function textOf(file: string, called: string): Promise<string> {
  const bytes = await readFile(file).catch((error: unknown) => {
    throw new UserError(t`${called} cannot be read: ${whyUnread(error)}.`);
  });
  if (bytes.includes(0)) throw new UserError(t`${called} is no text.`);
  return bytes.toString('utf8');
}

/** A transcript that is asked who wrote a line, and what is known of it besides its records. */
export interface BlameTarget {
  readonly transcript: Transcript;
  readonly title?: string | undefined;
  /** The tool that recorded it, and what that calls it; left out where it was recorded here. */
  readonly source?: string | undefined;
  readonly toolSession?: string | undefined;
  /** The folder that relative paths begin in, where its records do not say that. */
  readonly folder?: string | undefined;
}

/** How it is asked who wrote the lines of a file; everything has a default. */
export interface BlameOptions {
  /** What stands in the file, where that is not what the disk has. */
  readonly text?: string;
  /** Whether git is asked for the history of the file; yes. Nothing that the repository names is run. */
  readonly git?: boolean;
  /** The text of a file with Agent Trace records, which are believed besides. */
  readonly trace?: string;
  readonly signal?: AbortSignal;
}

const blameOptionKinds: KnownOptions<BlameOptions> = {
  text: 'text',
  git: 'flag',
  trace: 'text',
  signal: 'object',
};

/**
 * Says who wrote the lines of a file, as far as transcripts prove it, by the rules of docs/blame.md. Nothing is closed or changed.
 * Rejects where the file or a transcript cannot be read, and with a TypeError for an unknown option.
 */
export async function blame(
  file: string,
  transcripts: Iterable<BlameTarget> | AsyncIterable<BlameTarget>,
  options: BlameOptions = {},
): Promise<Omit<BlamedFile, 'brought' | 'open' | 'text'>> {
  checkOptions(options, blameOptionKinds, 'blame');
  const { text, git = true, trace, signal = new AbortController().signal } = options;
  const { lines, told, edits, versions, committed, isCut, isIncomplete } = await new BlamedFiles().blame({
    file,
    called: file,
    ...(text !== undefined && { text }),
    trace,
    sessions: () => targets(transcripts),
    asksGit: git,
    signal,
    onProblem: (session, message) => {
      throw new UserError(t`${session} cannot be read: ${message}`);
    },
  });
  const beginningOf = beginnings((asked) => asked);
  const shown = new Map([...new Set(lines)].map((edit) => [edit, edit && withBeginning(edit, beginningOf)]));
  return {
    lines: lines.map((edit) => shown.get(edit)),
    told,
    edits,
    versions,
    ...(committed && { committed }),
    ...(isCut && { isCut }),
    ...(isIncomplete && { isIncomplete }),
  };
}

async function* targets(
  transcripts: Iterable<BlameTarget> | AsyncIterable<BlameTarget>,
): AsyncGenerator<EditedSession, void, undefined> {
  let number = 0;
  for await (const { transcript, title, folder, ...about } of transcripts) {
    const { conversation: id } = transcript;
    const stamp = String(number++);
    yield {
      id,
      // Agents that are recorded here work around their store.
      where: folder === undefined ? '' : join(resolve(folder), STORE_FOLDER),
      kind: folder === undefined ? 'file' : 'stored',
      stamp: () => Promise.resolve(stamp),
      info: () => Promise.resolve({ session: id, title: title ?? id, ...about }),
      open: () => Promise.resolve(borrowed(transcript)),
    };
  }
}

/** A transcript that whoever gave it closes. */
function borrowed(transcript: Transcript): Transcript {
  const { conversation, length, damaged, onDidGrow } = transcript;
  return {
    conversation,
    length,
    damaged,
    onDidGrow,
    read: (start, end) => transcript.read(start, end),
    readSpill: (path) => transcript.readSpill(path),
    close: () => Promise.resolve(),
  };
}
