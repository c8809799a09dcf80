import { onAbort } from '../../core/abort.js';
import type { AgentDefinition } from '../../core/agent.js';
import { presentTranslations, type Translations } from '../../core/l10n.js';
import { ChannelClosed } from '../../node/portCalls.js';
import { Thread } from '../../node/thread.js';
import type { TestResult } from './checkExpectations.js';
import type { Log } from '../../core/ports/log.js';
import type { SharingPolicy } from '../../export/sharing/sharingPolicy.js';
import type { CompareBodies, CompareEngine, ComparePlace } from '../../page/panel/compare/compareSession.js';
import type {
  CompareChoices,
  CompareFormat,
  CompareFound,
  CompareRow,
  CompareView,
} from '../../page/protocol/comparePage.js';

/** Where a run that is compared is: a conversation of a store, or one of a file by its number there. */
export interface RunPlace {
  readonly kind: 'stored' | 'file';
  /** The folder of the store, or the path of the file. */
  readonly root: string;
  /** '' for all that a file holds. */
  readonly conversation: string;
  /** One of its runs, from 1; the whole where it is left out. */
  readonly run?: number;
}

/** What the thread is started with. */
export interface CompareThreadData {
  readonly translations: Translations | undefined;
  readonly places: readonly RunPlace[];
  readonly ownPrices: string;
  /** What is left out, besides secrets. */
  readonly policy: SharingPolicy;
}

/** What the thread answers. */
export interface CompareCalls {
  compare(choices: CompareChoices): Promise<CompareView>;
  rows(from: number, count: number): readonly CompareRow[];
  ask(text: string): Promise<CompareFound>;
  bodies(row: number): Promise<CompareBodies>;
  place(row: number, side: 'left' | 'right'): ComparePlace;
  text(format: CompareFormat): string;
  /** Where each run that was read is, in their order. */
  places(): readonly RunPlace[];
  check(asked: AskedTest): Promise<TestResult>;
  make(place: RunPlace): Promise<string>;
}

/** A test of a file of expectations that is to be run. */
export interface AskedTest {
  /** The folder of the file, and what stands in it now. */
  readonly folder: string;
  readonly text: string;
  readonly name: string;
  /** The store that ids and agents are of. */
  readonly store: string;
  /** The agents as their files have them now, and whether every run is replayed with them. */
  readonly agents: readonly AgentDefinition[];
  readonly replays: boolean;
  /** The conversations that were run for it. */
  readonly live?: readonly string[] | undefined;
  /** Whether what is recorded is looked at anew; else as for the last test. */
  readonly isFirst: boolean;
}

/** What it tells. */
export interface CompareHostCalls {
  progress(run: string, done: number, of: number): void;
}

/** How the thread works. */
export interface CompareThreadOptions extends Pick<CompareThreadData, 'ownPrices' | 'policy'> {
  readonly log: Log;
  /** The bundle of `compare.worker.ts`; by default where the build puts it. */
  readonly script?: URL;
}

const SCRIPT = new URL('./workers/compare.js', import.meta.url);

/** Runs that are compared on a thread of their own, which holds what it found; cancelled, it ends at once. */
export class CompareThread implements CompareEngine {
  readonly #thread: Thread<CompareCalls>;
  #onProgress: (run: string, done: number, of: number) => void = () => undefined;

  constructor(
    places: readonly RunPlace[],
    { ownPrices, policy, log, script = SCRIPT }: CompareThreadOptions,
  ) {
    const host: CompareHostCalls = { progress: (...told) => this.#onProgress(...told) };
    this.#thread = new Thread({
      name: 'compare',
      script,
      data: () =>
        ({ translations: presentTranslations(), places, ownPrices, policy }) satisfies CompareThreadData,
      host,
      log,
    });
  }

  async compare(
    choices: CompareChoices,
    signal: AbortSignal,
    onProgress: (run: string, done: number, of: number) => void,
  ): Promise<CompareView> {
    this.#onProgress = onProgress;
    const stopWaiting = onAbort(signal, () => void this.#thread.stop());
    try {
      return await this.#thread.call('compare', choices);
    } catch (error) {
      signal.throwIfAborted();
      // Why it ended says more than that it did.
      throw error instanceof ChannelClosed && error.cause instanceof Error ? error.cause : error;
    } finally {
      stopWaiting();
    }
  }

  readonly rows = (from: number, count: number) => this.#thread.call('rows', from, count);
  readonly ask = (text: string) => this.#thread.call('ask', text);
  readonly bodies = (row: number) => this.#thread.call('bodies', row);
  readonly place = (row: number, side: 'left' | 'right') => this.#thread.call('place', row, side);
  readonly text = (format: CompareFormat) => this.#thread.call('text', format);
  readonly places = () => this.#thread.call('places');

  dispose(): void {
    this.#thread.dispose();
  }
}

/** How long an idle thread is kept, in milliseconds. */
const IDLE_MS = 60_000;

/** Runs that are held to expectations, on a thread of their own; cancelled, it ends at once. */
export class CheckThread {
  readonly #thread: Thread<CompareCalls>;

  constructor({ ownPrices, policy, log, script = SCRIPT }: CompareThreadOptions) {
    this.#thread = new Thread({
      name: 'check',
      script,
      idleMs: IDLE_MS,
      data: () =>
        ({ translations: presentTranslations(), places: [], ownPrices, policy }) satisfies CompareThreadData,
      log,
    });
  }

  /** What comes of a test. Rejects with the signal's reason. */
  async check(asked: AskedTest, signal: AbortSignal): Promise<TestResult> {
    const stopWaiting = onAbort(signal, () => void this.#thread.stop());
    try {
      return await this.#thread.call('check', asked);
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof ChannelClosed && error.cause instanceof Error ? error.cause : error;
    } finally {
      stopWaiting();
    }
  }

  /** A file with a test that a run passes. */
  readonly make = (place: RunPlace) => this.#thread.call('make', place);

  dispose(): void {
    this.#thread.dispose();
  }
}
