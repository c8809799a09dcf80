import type { Disposable } from '../../core/event.js';
import { messageOf } from '../../core/text.js';
import { sourceDetails } from '../../import/sourceDetails.js';
import { endsWithin, MAX_TEXT_TEST_MS } from '../../node/patterns/timeGuard.js';
import type { CountedRecord, CountTokens } from '../../page/panel/ports.js';
import type { PriorityGate } from '../../page/panel/projection/priorityGate.js';
import type { AnswerKeeper } from '../../page/panel/projection/cachedAnswers.js';
import { TranscriptSession } from '../../page/panel/transcriptSession.js';
import type { Log } from '../../core/ports/log.js';
import type { PatternMatcher } from '../../core/ports/patternMatcher.js';
import type { PanelEvent } from '../../page/protocol/events.js';
import { pathsOf, type ConversationPaths } from '../../store/files/storePaths.js';
import { loadAnswers, saveAnswers } from '../../store/read/answersFile.js';
import { FactReader } from '../../store/read/factReader.js';
import { FollowedLines } from '../../store/read/followedLines.js';
import { JournalLines, type SegmentState } from '../../store/read/journalLines.js';
import type { LiveGrowth } from '../../store/read/liveFeed.js';
import { MirroredRecords } from '../../store/read/mirroredRecords.js';
import type { ScanOnThread } from '../../store/read/scannedParts.js';
import { SharedSource } from '../../store/read/sharedSource.js';
import { sourceInPieces } from '../../store/read/sourceTable.js';
import { StoredTranscript } from '../../store/read/storedTranscript.js';
import type { ReadTarget } from '../../store/transcriptStore.js';
import { restoredRecord } from '../../store/read/restoredRecords.js';
import type { MarkedPrices } from '../columns/readSession.js';
import { countsOfRecords } from '../../query/tokens/countRecords.js';
import type { TokenService } from '../../query/tokens/tokenService.js';
import { IndexedTranscript } from './indexedTranscript.js';
import { loadPatterns } from './readerFeatures.js';
import { CachedColumns } from './cachedColumns.js';

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
