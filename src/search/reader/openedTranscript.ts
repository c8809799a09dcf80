import { type Disposable, Emitter, type Event, type ListenerFailure } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import { sourceDetails } from '../../import/sourceDetails.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../node/patterns/timeGuard.js';
import type { CountedRecord, CountTokens } from '../../page/panel/ports.js';
import type { PriorityGate } from '../../page/panel/recordReader.js';
import type { AnswerKeeper } from '../../page/panel/projection/cachedAnswers.js';
import { TranscriptSession } from '../../page/panel/transcriptSession.js';
import type { Log } from '../../core/ports/log.js';
import type { PatternMatcher } from '../../core/ports/patternMatcher.js';
import type { PanelEvent } from '../../page/protocol/events.js';
import { pathsOf, type ConversationPaths } from '../../store/files/storePaths.js';
import { FactReader } from '../../store/read/factReader.js';
import { FollowedLines } from '../../store/read/followedLines.js';
import { JournalLines, type SegmentState } from '../../store/read/journalLines.js';
import type { LiveGrowth } from '../../store/read/liveFeed.js';
import type { ScanOnThread } from '../../store/read/scannedParts.js';
import { SharedSource, type ReplaceableSource } from '../../store/read/sharedSource.js';
import { sourceInPieces } from '../../store/read/sourceTable.js';
import { StoredTranscript } from '../../store/read/storedTranscript.js';
import type { ReadTarget } from '../../store/transcriptStore.js';
import { restoredRecord } from '../../store/read/restoredRecords.js';
import type { MarkedPrices } from '../columns/readSession.js';
import { countsOfRecords } from '../../query/tokens/countedRecords.js';
import type { TokenService } from '../../query/tokens/tokenService.js';
import { IndexedTranscript } from './indexedTranscript.js';
import { loadPatterns } from './readerFeatures.js';
import type { CachedFacts } from '../../page/panel/filter/sessionAnswers.js';
import type { SessionFacts, SessionInfo } from '../../query/language/sessionFacts.js';
import { ColumnCache } from '../columns/columnCache.js';
import { StoredSession } from '../sessions/storedSession.js';
import { isObject } from '../../core/message.js';
import { loadChecked, saveChecked } from '../../store/read/checkedFile.js';
import { LineIndex } from '../../store/read/lineIndex.js';
import type { LogRecord } from '../../core/record.js';
import type { DamagedLine } from '../../core/ports/transcript.js';

/** The version of the file: JSON with a checksum behind it. */
const VERSION = 5;

/** What the answers are of, and who made them. */
interface Head {
  readonly version: typeof VERSION;
  /** Of whom: the program that worked them out, and what it counted with. */
  readonly by: string;
  /** Of how many records, and a number made of their lines, see `LineIndex.markOf`. */
  readonly length: number;
  readonly mark: number;
}

/**
 * Stores answers about a whole conversation beside its journal, of which the index knows all lines. They must be plain JSON.
 * Throws errors of the file system.
 */
export async function saveAnswers(
  paths: ConversationPaths,
  index: LineIndex,
  by: string,
  answers: object,
): Promise<void> {
  const length = index.size;
  const head: Head = { version: VERSION, by, length, mark: index.markOf(length) };
  await saveChecked(paths.views, [Buffer.from(JSON.stringify({ ...head, answers }))]);
}

/**
 * The answers stored beside a journal; undefined where there are none, or they are damaged, of other lines or of more or
 * fewer of them, or made by somebody else. Throws errors of the file system.
 */
export async function loadAnswers(paths: ConversationPaths, index: LineIndex, by: string): Promise<unknown> {
  const bytes = await loadChecked(paths.views);
  if (!bytes) return undefined;
  const value: unknown = JSON.parse(bytes.toString('utf8'));
  if (!isObject(value) || value.version !== VERSION || value.by !== by) return undefined;
  if (value.length !== index.size || value.mark !== index.markOf(index.size)) return undefined;
  return value.answers;
}

/** What an open transcript needs of its thread. */
export interface OpenedOptions {
  readonly tokens: () => TokenService;
  /** What people wait for on this thread. */
  readonly gate: PriorityGate;
  /** What models cost, being loaded. */
  readonly prices: Promise<MarkedPrices>;
  /** Who works out answers, and what with: those of anybody else are not taken. Left out, none are kept. */
  readonly madeBy?: string;
  /** Reads large journals too; left out, this thread alone does. */
  readonly scan?: ScanOnThread;
  readonly log: Log;
  readonly send: (event: PanelEvent) => PromiseLike<unknown>;
}

/** A transcript that is open on the reader's thread, whether its files are followed or another thread tells of them. */
export class OpenedTranscript implements Disposable {
  readonly session: TranscriptSession;
  readonly #source: SharedSource;
  readonly #facts: FactReader;
  readonly #paths: ConversationPaths;
  readonly #log: Log;
  #mirror: MirroredRecords | undefined;

  private constructor(
    paths: ConversationPaths,
    source: SharedSource,
    mirror: MirroredRecords | undefined,
    { tokens, gate, log, send, scan, readOnly, madeBy }: OpenedOptions & Pick<ReadTarget, 'readOnly'>,
    prices: MarkedPrices,
  ) {
    this.#paths = paths;
    this.#source = source;
    this.#mirror = mirror;
    this.#log = log;
    const stored = new StoredTranscript(paths, source, () => source.dispose());
    const facts = new FactReader({ paths, source, scan, log, readOnly });
    this.#facts = facts;
    const transcript = new IndexedTranscript(stored, { source, paths }, facts, undefined, gate);
    this.session = new TranscriptSession({
      transcript,
      facts: (start, end) => transcript.facts(start, end),
      keptFacts: new CachedColumns(paths, {
        prices,
        readOnly,
        log,
        isWrittenHere: () => this.#mirror !== undefined,
      }),
      gate,
      ...(madeBy !== undefined && { keeper: keeperBeside(paths, source, { log, readOnly, madeBy }) }),
      scan: (question, signal, from) => transcript.scan(question, signal, from),
      guard: (work) => endsWithin(MAX_TEXT_TEST_MS, work),
      whole: (record) => restoredRecord(record, paths),
      patterns: latePatterns,
      prices: prices.prices,
      countTokens: countTokens(paths, tokens),
      details: sourceDetails,
      log,
      send,
    });
  }

  /** Opens a conversation; with `live`, one that another thread writes. Rejects where there is no such conversation. */
  static async open(
    { root, id, name, readOnly }: ReadTarget,
    live: LiveGrowth | undefined,
    options: OpenedOptions,
  ): Promise<OpenedTranscript> {
    const { log } = options;
    const paths = pathsOf(root, id, name);
    const mirror = live && new MirroredRecords(live, (error) => reportListener(log, error));
    const source = new SharedSource(
      mirror ?? (await sourceInPieces(paths, log, readOnly, options.scan)),
      log,
    );
    const opened = new OpenedTranscript(
      paths,
      source,
      mirror,
      { ...options, readOnly },
      await options.prices,
    );
    // Whoever opens it is told where its files cannot be read.
    await opened.#facts.readOn();
    return opened;
  }

  /** From now on another thread writes the conversation, and tells of what comes. */
  begin(growth: LiveGrowth): void {
    this.#mirror = new MirroredRecords(growth, (error) => reportListener(this.#log, error));
    this.#source.replace(this.#mirror);
  }

  grow(growth: LiveGrowth): void {
    this.#mirror?.take(growth);
  }

  /** From now on the conversation's files are followed, of which the places up to these are known. */
  end(growth: LiveGrowth, segments: readonly SegmentState[]): void {
    const mirror = this.#mirror;
    if (!mirror) return;
    mirror.take(growth);
    this.#mirror = undefined;
    const lines = new JournalLines(this.#paths, mirror.index, segments);
    this.#source.replace(new FollowedLines(lines, this.#log));
  }

  dispose(): void {
    this.session.dispose();
  }
}

/** Finds patterns; the engine is loaded with the first, because the first rows wait for all that is loaded before. */
const latePatterns: PatternMatcher = {
  find: async (question, options) => {
    const { guardedPatterns } = await loadPatterns();
    return guardedPatterns.find(question, options);
  },
};

/** Keeps answers in a file beside the journal: only a cache, so that nothing of it fails. */
function keeperBeside(
  paths: ConversationPaths,
  source: SharedSource,
  { log, readOnly, madeBy }: { readonly log: Log; readonly readOnly: boolean; readonly madeBy: string },
): AnswerKeeper {
  const attempt = async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      log.debug(`The answers about ${paths.id} are not kept: ${messageOf(error)}`);
      return undefined;
    }
  };
  return {
    load: () => attempt(() => loadAnswers(paths, source.index, madeBy)),
    save: async (answers) => {
      // What waits in memory has no line yet that answers could be of.
      if (readOnly || source.index.size !== answers.records) return;
      await attempt(() => saveAnswers(paths, source.index, madeBy, answers));
    },
  };
}

function reportListener(log: Log, error: unknown): void {
  log.error('A listener of a transcript failed', error);
}

/** Counts the tokens of messages with all of their texts. */
function countTokens(paths: ConversationPaths, tokens: () => TokenService): CountTokens {
  return async (transcript, start, end, signal) => {
    const read = await transcript.read(start, end);
    const messages = read.filter(({ type }) => type === 'message');
    const whole = await Promise.all(messages.map((record) => restoredRecord(record, paths)));
    const counts = await countsOfRecords(tokens(), whole, signal);
    return messages.map((record, at): CountedRecord => ({ record, tokens: counts[at] ?? 0 }));
  };
}

/** What the columns of a conversation are taken with. */
interface CachedColumnsOptions {
  readonly prices: MarkedPrices;
  /** Whether nothing may be written, not even a cache. */
  readonly readOnly: boolean;
  readonly log: Log;
  /** Whether this program writes the conversation now, so that it knows more records than the files have. */
  readonly isWrittenHere: () => boolean;
}

/**
 * The facts of a conversation from the columns beside its journal, which are those that the search asks: what it has read once,
 * no panel reads again. None where there are no columns of the journal as it is.
 */
export class CachedColumns implements CachedFacts {
  readonly #paths: ConversationPaths;
  readonly #options: CachedColumnsOptions;
  #session: StoredSession | undefined;

  constructor(paths: ConversationPaths, options: CachedColumnsOptions) {
    this.#paths = paths;
    this.#options = options;
  }

  async of(info: SessionInfo, needsCosts: boolean): Promise<SessionFacts | undefined> {
    const { prices, readOnly, log, isWrittenHere } = this.#options;
    if (isWrittenHere()) return undefined;
    this.#session ??= new StoredSession(this.#paths, { readOnly, log, cache: new ColumnCache() });
    try {
      return (await this.#session.known(prices, needsCosts))?.about(info);
    } catch (error) {
      // Whoever reads the journal instead meets the same error, and says it.
      log.debug(`What ${this.#paths.id} is searched by cannot be used: ${messageOf(error)}`);
      return undefined;
    }
  }

  forget(): void {
    this.#session = undefined;
  }
}

/** The records of a conversation that another thread writes, as it tells of them. */
class MirroredRecords implements ReplaceableSource {
  readonly index = new LineIndex();
  readonly #grown: Emitter<void>;
  #damaged: readonly DamagedLine[] = [];
  /** The records that are in no file; the first is at the position `index.size`. */
  #waiting: LogRecord[] = [];

  constructor(first: LiveGrowth, onListenerFailure: ListenerFailure) {
    this.#grown = new Emitter(onListenerFailure);
    this.take(first);
  }

  get length(): number {
    return this.index.size + this.#waiting.length;
  }

  get damaged(): readonly DamagedLine[] {
    return this.#damaged;
  }

  get onDidGrow(): Event<void> {
    return this.#grown.event;
  }

  peek(start: number, end: number): readonly LogRecord[] {
    return this.#waiting.slice(start, end);
  }

  /** Takes what has come since the last time. */
  take({ from, columns, damaged, first, waiting }: LiveGrowth): void {
    const before = this.length;
    const kept = this.#waiting.slice(Math.max(0, from + columns.starts.length - this.index.size));
    this.index.replaceFrom(from, columns);
    const end = this.index.size + kept.length;
    if (waiting.length > 0 && first !== end) throw new Error(`Records from ${first} on follow ${end}.`);
    this.#waiting = [...kept, ...waiting];
    this.#damaged = damaged;
    if (this.length > before) this.#grown.fire();
  }

  dispose(): void {
    this.#grown.dispose();
  }
}
