import type { FileReading } from '../../app/sources/fileSessions.js';
import type { NamedSession, SourceProblem } from '../../app/stores/namedSessions.js';
import { ARCHIVE_SOURCE, FROM_TOOLS, type FromTools } from '../../app/sources/fromTools.js';
import { Sources, type Ahead, type FileWay, type SourcesOptions } from '../../app/sources/sources.js';
import type { ArchiveSessions } from '../../app/sources/archiveSessions.js';
import type { ToolSessions } from '../../app/sources/toolSessions.js';
import { whyUnread } from '../../app/sources/whyUnread.js';
import { UserError } from '../../app/userError.js';

import { silentLog } from '../../core/ports/log.js';
import { formatCount } from '../../app/text/format.js';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve as resolvePath } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { access, constants, readFile, stat } from 'node:fs/promises';
import { messageOf } from '../../core/text.js';
import {
  DEFAULT_RULES,
  parseSharingPolicy,
  sharingRules,
  type SharingRules,
} from '../../export/sharing/sharingPolicy.js';
import { Output } from './output.js';
import type { Arguments } from './parseArguments.js';
import { EXIT, WrongUse, type Terminal } from './terminal.js';

/** One run of a subcommand: what was asked, and where the answer goes. */
export class Call {
  readonly out: Output;
  readonly signal: AbortSignal;
  readonly words: readonly string[];
  readonly terminal: Terminal;
  readonly sources: Sources;
  /** What is left out of everything that is written, besides secrets, and what stays. */
  readonly sharing: SharingRules;
  readonly #values: Arguments['values'];
  #toolSessions: Promise<ToolSessions> | undefined;
  #code: number = EXIT.done;

  /** Reads what is needed before anything is written. Rejects with a UserError. */
  static async open(terminal: Terminal, args: Arguments): Promise<Call> {
    await checkReadable(args.values.get('prices'), terminal.cwd);
    return new Call(terminal, args, await rulesIn(args.values.get('policy'), terminal.cwd));
  }

  constructor(terminal: Terminal, { words, values }: Arguments, sharing: SharingRules = DEFAULT_RULES) {
    this.terminal = terminal;
    this.words = words;
    this.#values = values;
    this.signal = terminal.signal;
    const color = this.text('color');
    this.sharing = sharing;
    this.out = new Output(terminal, {
      json: this.has('json'),
      raw: this.has('raw'),
      sharing,
      color: color === 'always' || color === 'never' ? color : 'auto',
    });
    this.sources = new Sources({
      ...this.place,
      signal: this.signal,
      onProgress: this.#onProgress,
      onProblem: this.#onProblem,
    });
  }

  /** Where sources are looked for. Throws `WrongUse` where that is said twice. */
  get place(): Omit<SourcesOptions, 'signal' | 'onProblem'> {
    const { cwd, stdin } = this.terminal;
    const { ofTools, archive } = this;
    const store = this.text('store');
    if (archive && store !== undefined)
      throw new WrongUse('--from archive means the archive, and --store a store; name one of them.');
    if (ofTools && store !== undefined)
      throw new WrongUse(
        '--from means the sessions of a tool, and --store those of a store; name one of them.',
      );
    return {
      cwd,
      stdin,
      store,
      ofTools,
      archive,
      log: silentLog,
      mayBlock: true,
      cache: cacheOf(this.terminal),
    };
  }

  /** Gives the sessions of the tools that were named; undefined where none was. */
  get ofTools(): (() => Promise<ToolSessions>) | undefined {
    const from = FROM_TOOLS.find((each) => each === this.text('from'));
    return from && (() => (this.#toolSessions ??= this.#findingOf(from)));
  }

  /** What is said of the archive. */
  get namedArchive() {
    return { address: this.text('archive'), env: this.terminal.env, signal: this.signal };
  }

  /** Gives the conversations of the archive, where these are meant. */
  get archive(): (() => Promise<ArchiveSessions>) | undefined {
    if (this.text('from') !== ARCHIVE_SOURCE) return undefined;
    return async () => {
      const { archiveSessionsOf } = await import('./archive.js');
      return archiveSessionsOf(this.namedArchive);
    };
  }

  async #findingOf(from: FromTools): Promise<ToolSessions> {
    const { env } = this.terminal;
    const machine = { home: env.HOME ?? homedir(), platform: process.platform, env };
    const { ToolSessions } = await import('../../app/sources/toolSessions.js');
    return new ToolSessions(from, machine, (source, message, why) =>
      this.#onProblem({ source, message, isLoss: why === 'loss' }),
    );
  }

  /** What is to be told of sources. */
  readonly #troubles: string[] = [];

  readonly #onProgress = (source: string, done: number): void => {
    this.out.progress(`Reading ${source}: ${Math.round(done * 100)}%`);
  };

  /** Takes what is to be told of sources, where it is not told at the end. */
  takeProblems: ((problem: SourceProblem) => void) | undefined;

  readonly #onProblem = (problem: SourceProblem): void => {
    if (this.takeProblems) {
      this.takeProblems(problem);
      return;
    }
    const { source, message, isLoss } = problem;
    if (isLoss) this.#code = EXIT.notAll;
    this.#troubles.push(source === '' ? message : `${source}: ${message}`);
  };

  /** A session could not be read, which is told with what else could not be. */
  trouble(source: string, message: string): void {
    this.#onProblem({ source, message, isLoss: true });
  }

  /** How a file is read by itself: its progress is shown and its problems are told. */
  reading(name: string): FileReading {
    collectSoon();
    return {
      signal: this.signal,
      onProgress: (done) => this.#onProgress(name, done),
      onProblem: this.#onProblem,
    };
  }

  /** What the run ends with where nothing is thrown. */
  get code(): number {
    return this.#code;
  }

  has(option: string): boolean {
    return this.#values.has(option);
  }

  text(option: string): string | undefined {
    const value = this.#values.get(option);
    return typeof value === 'string' ? value : undefined;
  }

  number(option: string): number | undefined {
    const value = this.#values.get(option);
    return typeof value === 'number' ? value : undefined;
  }

  /** The run ends with the code of a program that it ran. */
  endWith(code: number): void {
    this.#code = code;
  }

  /** Something that was asked for does not hold, or a part could not be read. */
  fail(): void {
    this.#code = EXIT.notAll;
  }

  /** The sessions that were named, or of `--session` only the one; those of the workspace's store without a name. */
  async *sessions(
    names: readonly string[] = this.words,
    way: FileWay = {},
  ): AsyncGenerator<NamedSession, void, undefined> {
    // That which is named by --session has to be found, whatever it edits.
    const { isMeant, ...rest } = way;
    const isOne = this.text('session') !== undefined;
    yield* this.#wanted(this.sources.sessions(names, isOne ? rest : { ...rest, isMeant }), names);
  }

  /** The same for sums and questions: what several of them tell is told by one, see `Sources.counted`. */
  async *counted(
    names: readonly string[] = this.words,
    ahead?: Ahead,
  ): AsyncGenerator<NamedSession, void, undefined> {
    const isOne = this.text('session') !== undefined;
    const { sources } = this;
    yield* this.#wanted(isOne ? sources.sessions(names) : sources.counted(names, ahead), names);
  }

  async *#wanted(
    sessions: AsyncIterable<NamedSession>,
    names: readonly string[],
  ): AsyncGenerator<NamedSession, void, undefined> {
    const wanted = this.text('session');
    let found = 0;
    collectSoon();
    for await (const session of sessions) {
      this.signal.throwIfAborted();
      await this.tellTroubles();
      if (wanted !== undefined && session.id !== wanted) continue;
      found++;
      yield session;
    }
    await this.tellTroubles();
    if (wanted !== undefined && found === 0)
      throw new UserError(
        `No session is called ${wanted}; agent-logbook list ${names.join(' ')} shows which there are.`,
      );
  }

  /** Does something with the one session that was named. Throws a UserError where it is not one. */
  async withOne<T>(
    names: readonly string[],
    work: (session: NamedSession) => Promise<T>,
    way: FileWay = {},
  ): Promise<T> {
    for await (const session of this.sessions(names, way)) {
      if (this.text('session') === undefined && (session.others > 0 || names.length > 1))
        throw new UserError(
          `${session.where} holds ${formatCount(session.others + 1, 'session')}; name one with --session, as agent-logbook list shows them.`,
        );
      return await work(session);
    }
    throw new UserError('There is no session there.');
  }

  /** The absolute path of the file with own prices; '' for none. */
  get ownPrices(): string {
    const { terminal } = this;
    const file = this.text('prices');
    return file === undefined ? '' : resolvePath(terminal.cwd, file);
  }

  /** In which days are days. */
  get timeZone(): string {
    if (this.has('utc')) return 'UTC';
    return this.text('time-zone') ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  }

  /** Tells what was wrong with sources. */
  async tellTroubles(): Promise<void> {
    const troubles = this.#troubles.splice(0);
    for (const trouble of troubles.slice(0, MAX_TROUBLES)) await this.out.note(trouble);
    const more = troubles.length - MAX_TROUBLES;
    if (more > 0) await this.out.note(`${formatCount(more, 'more problem')} of this kind.`);
  }
}

/** Rejects with a UserError where a file that was named cannot be read. */
async function checkReadable(file: unknown, cwd: string): Promise<void> {
  if (typeof file !== 'string') return;
  const path = resolvePath(cwd, file);
  try {
    await access(path, constants.R_OK);
    if ((await stat(path)).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  } catch (error) {
    throw new UserError(`${file} cannot be read: ${whyUnread(error)}.`);
  }
}

/** The policy for sharing in a file. Rejects with a UserError that names the file, and the field that is wrong. */
async function rulesIn(file: unknown, cwd: string): Promise<SharingRules> {
  if (typeof file !== 'string') return DEFAULT_RULES;
  try {
    return await sharingRules(parseSharingPolicy(JSON.parse(await readFile(resolvePath(cwd, file), 'utf8'))));
  } catch (error) {
    throw new UserError(`${file} is no policy for sharing: ${messageOf(error)}`);
  }
}

/** Where what is worked out of sessions is kept: in this person's cache, or where the environment says; undefined for nowhere. */
function cacheOf({ env, program }: Terminal): SourcesOptions['cache'] {
  const named = env.AGENT_LOGBOOK_CACHE;
  const caches = env.XDG_CACHE_HOME ?? env.LOCALAPPDATA ?? (env.HOME && join(env.HOME, '.cache'));
  const folder = named ?? (caches && join(caches, 'agent-logbook', 'sessions'));
  return program === undefined || !folder || !isAbsolute(folder) ? undefined : { folder, program };
}

/** How many problems of one source are told; all of them count. */
const MAX_TROUBLES = 20;

/** Collects memory soon instead of when the machine runs short: what is read may be far larger than what is held. */
function collectSoon(): void {
  setFlagsFromString('--heap-growing-percent=20');
  setFlagsFromString('--semi-space-growth-factor=1');
}
