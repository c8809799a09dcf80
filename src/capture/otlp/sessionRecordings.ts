import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { BoundedMap } from '../../core/boundedMap.js';
import { isObject } from '../../core/message.js';
import { messageOf } from '../../core/text.js';
import { syncFolder } from '../../node/plainFile.js';
import { ProcessLock } from '../../node/processLock.js';
import { linesIn, type RecordingFiles } from '../servers/recordingFiles.js';

/** How many traces are remembered with the conversation that they belong to, and how many sessions with their recording. */
const MAX_TRACES = 100_000;

/** What the file is called that tells them after a restart, and from how many lines on it is written anew at the start. */
const NAME = 'sessions.index';
const MAX_LINES = 2 * MAX_TRACES;

/** What whoever puts recordings together holds meanwhile, how long others wait for it, and how often they look, in milliseconds. */
const LOCK = 'sessions.lock';
const LOCK_MS = 30_000;
const LOOK_MS = 50;

/** The key of the conversation that is a trace by itself. */
export const keyOfTrace = (trace: string): string => `trace ${trace}`;

/** The keys of a recording that is to be taken, and of that which takes it. */
type Taking = readonly [own: string, home: string];

/** What recordings of sessions need. */
export interface SessionRecordingsOptions {
  readonly folder: string;
  readonly files: RecordingFiles;
  readonly onProblem: (words: string) => void;
}

/**
 * Which recording a session has whose traces do not all name it at once. A trace that was recorded by itself and names its
 * session later is where that session goes on, unless that has a recording already: then it takes what the trace has recorded.
 * Both are remembered on the disk: `{"trace", "of"}` says which session a trace belongs to, `{"session", "in"}` in which trace's
 * recording a session goes on. A trace that belongs to another recording and still has one of its own was being taken when the
 * program ended, and is when it begins again.
 */
export class SessionRecordings {
  /** The conversations of traces, by their ids. */
  readonly traces = new BoundedMap<string, string>(MAX_TRACES);
  readonly #homes = new BoundedMap<string, string>(MAX_TRACES);
  readonly #options: SessionRecordingsOptions;
  #lines = 0;
  readonly #naming = new Set<Promise<void>>();
  /** What is done under the lock, and the lock while anything is. */
  #working = 0;
  #lock: Promise<ProcessLock> | undefined;
  /** What is to be written next, when that is on the disk, and when what is being written now is. */
  #unwritten = '';
  #next: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: SessionRecordingsOptions) {
    this.#options = options;
  }

  /** Reads what is remembered, and ends what was broken off. Never rejects: what cannot be done is told. */
  static async open(options: SessionRecordingsOptions): Promise<SessionRecordings> {
    const recordings = new SessionRecordings(options);
    try {
      await recordings.#remember();
      if (recordings.#lines > MAX_LINES) await recordings.#writeAnew();
      await recordings.#takeWhatIsLeft();
    } catch (error) {
      options.onProblem(`Which traces belong to which sessions cannot be read: ${messageOf(error)}`);
    }
    return recordings;
  }

  /** The key of the recording in which a conversation goes on. */
  homeOf(key: string): string {
    return this.#homes.get(key) ?? key;
  }

  /**
   * Notes the sessions that traces have named just now, from which moment on `homeOf` holds. Resolves when that is on the disk, and
   * what such a trace has recorded by itself stands in the recording of its session; rejects where it cannot be remembered.
   */
  name(named: ReadonlyMap<string, string>): Promise<void> {
    const done = this.#name(named);
    const settled: Promise<void> = done.catch(() => undefined).finally(() => this.#naming.delete(settled));
    this.#naming.add(settled);
    return done;
  }

  /** Resolves when nothing is noted or taken any more: until then nobody else may begin with these recordings. */
  async settled(): Promise<void> {
    while (this.#naming.size > 0) await Promise.all(this.#naming);
  }

  async #name(named: ReadonlyMap<string, string>): Promise<void> {
    const { files } = this.#options;
    const lines: object[] = [];
    const taken: Taking[] = [];
    for (const [trace, session] of named) {
      const own = keyOfTrace(trace);
      if (files.has(own) && !this.#homes.has(session) && !files.has(session)) {
        this.#homes.set(session, own);
        lines.push({ session, in: own });
      }
      const home = this.homeOf(session);
      if (home !== own && files.has(own)) taken.push([own, home]);
      lines.push({ trace, of: session });
    }
    if (lines.length === 0) return;
    // Whoever reads there that a trace belongs to a session finds all that it has recorded by itself.
    for (const [own] of taken) await files.written(own);
    await this.#append(lines).catch((error: unknown) => {
      // They are asked again when they are sent again.
      for (const [trace, session] of named) {
        this.traces.delete(trace);
        if (this.#homes.get(session) === keyOfTrace(trace)) this.#homes.delete(session);
      }
      throw error;
    });
    await this.#takeAll(taken, false);
  }

  async #remember(): Promise<void> {
    for await (const lines of linesIn(this.#path))
      for (const line of lines) {
        this.#lines++;
        const { trace, of, session, in: home } = valuesIn(line);
        if (typeof trace === 'string' && typeof of === 'string') this.traces.set(trace, of);
        if (typeof session === 'string' && typeof home === 'string') this.#homes.set(session, home);
      }
  }

  async #takeWhatIsLeft(): Promise<void> {
    const { files } = this.#options;
    const there = await files.all();
    const left: Taking[] = [];
    for (const [trace, session] of this.traces) {
      const own = keyOfTrace(trace);
      const home = this.homeOf(session);
      if (home !== own && there.has(files.pathOf(own))) left.push([own, home]);
    }
    await this.#takeAll(left, true);
  }

  /** Takes recordings. Never rejects: one that cannot be taken is told, and harms no other. */
  async #takeAll(all: readonly Taking[], isAgain: boolean): Promise<void> {
    const { files, onProblem } = this.#options;
    for (const [own, home] of all) {
      try {
        const isTaken = await this.#alone(() => files.take(own, home, isAgain));
        if (!isTaken) onProblem(tooLong(own));
      } catch (error) {
        onProblem(`${own} stays a recording of its own until receiving begins again: ${messageOf(error)}`);
      }
    }
  }

  /** Does what one receiver at a time may do: another window may have begun to receive in the same folder. */
  async #alone<T>(work: () => Promise<T>): Promise<T> {
    this.#working++;
    const lock = (this.#lock ??= this.#locked());
    try {
      await lock;
      return await work();
    } finally {
      if (--this.#working === 0) {
        this.#lock = undefined;
        // Whoever could not get it has been told; what is done under it is done, whether its file goes or not.
        const held = await lock.catch(() => undefined);
        await held?.release().catch((error: unknown) => this.#tellOfLock(messageOf(error)));
      }
    }
  }

  async #locked(): Promise<ProcessLock> {
    const until = performance.now() + LOCK_MS;
    for (;;) {
      const acquired = await ProcessLock.acquire(join(this.#options.folder, LOCK));
      if ('lock' in acquired) {
        acquired.lock.keepBeating(
          () => this.#tellOfLock('another program has taken it.'),
          (error) => this.#tellOfLock(messageOf(error)),
        );
        return acquired.lock;
      }
      if (performance.now() > until) throw new Error('Another program is putting recordings together.');
      await pause(LOOK_MS);
    }
  }

  #tellOfLock(words: string): void {
    this.#options.onProblem(`${LOCK} is not held as it should be: ${words}`);
  }

  get #path(): string {
    return join(this.#options.folder, NAME);
  }

  /** What comes while lines are being written is written together afterwards. */
  #append(lines: readonly object[]): Promise<void> {
    this.#unwritten += lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const next = (this.#next ??= this.#writing.then(() => {
      const text = this.#unwritten;
      this.#unwritten = '';
      this.#next = undefined;
      return this.#write(text);
    }));
    this.#writing = next.catch(() => undefined);
    return next;
  }

  async #write(text: string): Promise<void> {
    await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
    const file = await open(this.#path, 'a', 0o600);
    try {
      // A line that a crash has cut is ended: a line that is empty says nothing.
      await file.appendFile(`\n${text}`);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  /** Leaves out what is remembered no more. */
  async #writeAnew(): Promise<void> {
    const lines = [
      ...Array.from(this.#homes, ([session, home]) => ({ session, in: home })),
      ...Array.from(this.traces, ([trace, of]) => ({ trace, of })),
    ];
    const next = `${this.#path}.new`;
    await writeFile(next, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
      mode: 0o600,
      flush: true,
    });
    await rename(next, this.#path);
    await syncFolder(this.#options.folder);
  }
}

const tooLong = (key: string) =>
  `The recording of its session has no room for ${key}, which stays a recording of its own.`;

function valuesIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : {};
  } catch {
    // A crash has cut it, before anything was answered that it says.
    return {};
  }
}
