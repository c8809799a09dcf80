import { join } from 'node:path';
import { mkdir, readdir, stat, unlink } from 'node:fs/promises';
import { backoffMs } from '../../core/backoff.js';
import { Emitter, type Disposable } from '../../core/event.js';
import { t } from '../../core/l10n.js';
import { messageOf } from '../../core/text.js';
import { NotCleanError } from '../../export/sharing/resultCheck.js';
import { sharingRules } from '../../export/sharing/sharingPolicy.js';
import type { Log } from '../../core/ports/log.js';
import type { CatalogEntry } from '../../core/ports/transcript.js';
import type { Prices } from '../../core/ports/prices.js';
import type { TraceSerializer } from '../../export/collector/encodeSpans.js';
import { SpanQueue } from '../../export/collector/spanQueue.js';
import { sendQueued, type Sent, type Stop } from '../../export/collector/spanSender.js';
import type { Settings, Secrets } from '../ports/settings.js';
import { sharingPolicyOf } from '../sharing/sharingSettings.js';
import type { StoredConversation } from '../stores/storedConversation.js';
import { withTranscript } from '../transcripts/withTranscript.js';
import { UserError } from '../userError.js';
import { collectorOf, spanSettings } from './telemetrySettings.js';
import { addSpans, NO_SPANS, TranscriptSpans, type QueuedSpans, type SpanWork } from './transcriptSpans.js';
import { errorCode } from '../../core/errorCode.js';
import { isObject } from '../../core/message.js';
import { readIfThere, writeAtomically } from '../../node/atomicFile.js';

/** After how long what is known of a conversation that has ended is forgotten, in milliseconds. */
const FORGOTTEN_MS = 30 * 24 * 60 * 60_000;

/** Up to which record each conversation was sent while it ran: a small file for each, so that windows do not disturb each other. */
class LiveMarks {
  readonly #folder: string;

  /** `folder` is absolute, and made with the first mark. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** How many records of a conversation are done; undefined where nothing of it was sent. */
  async get(conversation: string): Promise<number | undefined> {
    return (await this.#read(conversation))?.done;
  }

  /** Notes how many are done, and whether it may gain more in the run that it is in. */
  async set(conversation: string, done: number, isOpen: boolean): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeAtomically(this.#pathOf(conversation), Buffer.from(JSON.stringify({ done, isOpen })));
  }

  /** The conversations that were open when somebody last looked; forgets those that ended long ago. */
  async open(now = Date.now()): Promise<readonly string[]> {
    const open: string[] = [];
    for (const name of await this.#names()) {
      const conversation = name.slice(0, -ENDING.length);
      if ((await this.#read(conversation))?.isOpen === true) open.push(conversation);
      else await this.#forgetOld(join(this.#folder, name), now);
    }
    return open;
  }

  async #read(
    conversation: string,
  ): Promise<{ readonly done: number; readonly isOpen: boolean } | undefined> {
    const text = await readIfThere(this.#pathOf(conversation));
    if (text === undefined) return undefined;
    try {
      const value: unknown = JSON.parse(text);
      if (isObject(value) && typeof value.done === 'number')
        return { done: value.done, isOpen: value.isOpen === true };
    } catch {
      // A file that a power cut has damaged knows nothing; all is sent again, as the same spans.
    }
    return undefined;
  }

  async #forgetOld(path: string, now: number): Promise<void> {
    try {
      if (now - (await stat(path)).mtimeMs > FORGOTTEN_MS) await unlink(path);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  async #names(): Promise<readonly string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => name.endsWith(ENDING));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #pathOf(conversation: string): string {
    return join(this.#folder, `${encodeURIComponent(conversation)}${ENDING}`);
  }
}

const ENDING = '.json';

/** How waits between tries grow; a collector that says how long to wait is obeyed. */
const WAITS = { firstMs: 2_000, maxMs: 5 * 60_000, jitter: 0.3 };

/** How long it is waited where a person has to change something, in milliseconds. */
const SETUP_MS = 10 * 60_000;

/** How often running conversations are looked at, in milliseconds. */
const LIVE_MS = 3_000;

/** Where conversations are found. */
export interface ConversationSource {
  /** The conversation with this id; rejects where it no longer exists. */
  find(conversation: string): Promise<StoredConversation>;
  /** What is known of it without waiting. */
  known(conversation: string): CatalogEntry | undefined;
}

/** What sending spans needs of the application. */
export interface OpenTelemetryOptions {
  readonly settings: Settings;
  readonly secrets: Secrets;
  readonly stores: ConversationSource;
  /** The conversations in which an agent of this window is running. */
  readonly running: () => readonly string[];
  /** A folder of the application's own for this person, absolute. */
  readonly storage: string;
  readonly version: string;
  readonly loadPrices: () => Promise<Prices>;
  readonly loadSerializer: () => Promise<TraceSerializer>;
  readonly log: Log;
}

/** What came of sending chosen conversations. */
export interface SendOutcome extends QueuedSpans {
  readonly sent: Sent;
}

/** What waits to be sent. */
export interface PendingSpans {
  readonly spans: number;
  /** Why they wait, in words; undefined where they are about to be sent. */
  readonly words?: string | undefined;
}

/**
 * Sends conversations to a collector of OpenTelemetry: chosen ones, and those that run while that is wanted. Everything goes through a queue
 * on the disk, so that no run waits for a network, and what cannot be sent now is sent later.
 */
export class OpenTelemetry implements Disposable {
  readonly #options: OpenTelemetryOptions;
  readonly #queue: SpanQueue;
  readonly #marks: LiveMarks;
  readonly #changed: Emitter<void>;
  readonly #closing = new AbortController();
  readonly #following = new Map<string, TranscriptSpans>();
  #looking: Promise<void> = Promise.resolve();
  readonly #sending = new Set<Promise<unknown>>();
  #looks: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #failures = 0;
  #hasSent = false;
  /** Until when nobody but a person asks the collector again, by the clock of this process. */
  #notBefore = 0;
  #waiting: PendingSpans = { spans: 0 };

  constructor(options: OpenTelemetryOptions) {
    this.#options = options;
    const folder = join(options.storage, 'opentelemetry');
    this.#queue = new SpanQueue(join(folder, 'queue'));
    this.#marks = new LiveMarks(join(folder, 'live'));
    this.#changed = new Emitter((error) => options.log.error('A view could not follow OpenTelemetry', error));
  }

  /** Fires when what waits has changed. */
  get onDidChange() {
    return this.#changed.event;
  }

  get waiting(): PendingSpans {
    return this.#waiting;
  }

  /**
   * Sends conversations as they are now, and whatever waited before. What the collector does not take now is kept and sent later; the outcome
   * says so. Rejects with a UserError where no collector is set or something must not go out, and with the signal's reason.
   */
  send(kept: readonly StoredConversation[], signal: AbortSignal): Promise<SendOutcome> {
    return this.#untilClosed(signal, (until) => this.#sendThese(kept, until));
  }

  /** Sends what waits. Rejects as `send` does. */
  sendWaiting(signal: AbortSignal): Promise<Sent> {
    return this.#untilClosed(signal, (until) => this.#sendWaiting(until));
  }

  async #sendThese(kept: readonly StoredConversation[], signal: AbortSignal): Promise<SendOutcome> {
    const { settings, secrets } = this.#options;
    await collectorOf(settings, secrets);
    let queued = NO_SPANS;
    for (const one of kept) queued = addSpans(queued, await this.#queueOne(one, signal));
    return { ...queued, sent: await this.#sendWaiting(signal) };
  }

  async #sendWaiting(signal: AbortSignal): Promise<Sent> {
    const { settings, secrets, loadSerializer } = this.#options;
    clearTimeout(this.#again);
    this.#hasSent = true;
    const collector = await collectorOf(settings, secrets);
    const sent = await sendQueued(this.#queue, collector, await loadSerializer(), { signal });
    this.#failures = sent.stopped ? this.#failures + 1 : 0;
    this.#notBefore = sent.stopped ? performance.now() + this.#waitFor(sent.stopped) : 0;
    if (sent.stopped) this.#sendAgain(0);
    if (sent.lost > 0) this.#options.log.warn(`The collector did not take ${sent.lost} spans. ${sent.why}`);
    await this.#tellWaiting(sent.stopped?.words);
    return sent;
  }

  /** Goes on with what was left when the last window was closed: spans that wait, and runs of which not all was sent. */
  async resume(): Promise<void> {
    await this.#queue.sweep();
    for (const conversation of await this.#marks.open()) {
      const state = this.#options.stores.known(conversation)?.state;
      if (state !== undefined && state !== 'running' && state !== 'waiting') this.follow(conversation);
    }
    // Whoever has sent since the start knows better when to try again.
    if (this.#hasSent) return;
    await this.#tellWaiting(undefined);
    if (this.#waiting.spans > 0) this.#sendAgain(0);
  }

  /** Sends what a conversation gains from now on, until its run has ended; what it gained before that run is left as it is. */
  follow(conversation: string): void {
    if (this.#closing.signal.aborted) return;
    if (!this.#following.has(conversation))
      this.#options.log.info(`Spans of ${conversation} are sent as it runs.`);
    void this.#look(conversation);
    this.#looks ??= setInterval(() => {
      for (const each of this.#following.keys()) void this.#look(each);
    }, LIVE_MS).unref();
  }

  /** Resolves when everything that was begun by `follow` is in the queue. */
  async settled(): Promise<void> {
    await this.#looking;
  }

  /** Breaks off what it does; when it resolves, nothing is read nor written any more. What was not sent is sent by the next window. */
  async close(): Promise<void> {
    this.#stop();
    await Promise.allSettled([this.#looking, ...this.#sending]);
  }

  dispose(): void {
    this.#stop();
    this.#changed.dispose();
  }

  /** Does something that closing breaks off and waits for. */
  async #untilClosed<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const working = work(AbortSignal.any([signal, this.#closing.signal]));
    this.#sending.add(working);
    try {
      return await working;
    } finally {
      this.#sending.delete(working);
    }
  }

  #stop(): void {
    this.#closing.abort();
    clearInterval(this.#looks);
    clearTimeout(this.#again);
  }

  /** Looks at a conversation after all others that are looked at. Never rejects. */
  #look(conversation: string): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      if (this.#closing.signal.aborted) return;
      try {
        await this.#advance(conversation);
      } catch (error) {
        this.#following.delete(conversation);
        this.#options.log.warn(`Spans of ${conversation} are not sent: ${messageOf(error)}`);
        await this.#tellWaiting(messageOf(error));
      }
    });
    return this.#looking;
  }

  async #advance(conversation: string): Promise<void> {
    const { stores, running } = this.#options;
    // Asked first: what a run that has ended meanwhile has written is there when it is read.
    const isOver = !running().includes(conversation);
    const { store, entry } = await stores.find(conversation);
    const spans =
      this.#following.get(conversation) ??
      new TranscriptSpans(await this.#workOn(conversation, entry.startedAt));
    this.#following.set(conversation, spans);
    const { signal } = this.#closing;
    const queued = await withTranscript(store, conversation, async (transcript) => {
      const from = (await this.#marks.get(conversation)) ?? (await lastRunIn(transcript));
      const more = await spans.advance(transcript, from, signal);
      return isOver ? addSpans(more, await spans.end()) : more;
    });
    await this.#marks.set(conversation, spans.position, !isOver);
    if (isOver) this.#following.delete(conversation);
    if (queued.dropped > 0)
      this.#options.log.warn(`${queued.dropped} spans were dropped, because too much waits to be sent.`);
    if (queued.spans > 0) this.#sendAgain(0);
  }

  async #queueOne({ store, entry }: StoredConversation, signal: AbortSignal): Promise<QueuedSpans> {
    const { conversation, startedAt, title } = entry;
    const spans = new TranscriptSpans(await this.#workOn(conversation, startedAt));
    try {
      return await withTranscript(store, conversation, async (transcript) =>
        addSpans(await spans.advance(transcript, 0, signal), await this.#ended(conversation, spans)),
      );
    } catch (error) {
      if (error instanceof NotCleanError)
        throw new UserError(t`${spans.clean(title)} was not sent. ${error.message}`);
      throw error;
    }
  }

  async #ended(conversation: string, spans: TranscriptSpans): Promise<QueuedSpans> {
    return this.#options.running().includes(conversation) ? NO_SPANS : await spans.end();
  }

  async #workOn(conversation: string, timeless: number): Promise<SpanWork> {
    const { settings, loadPrices, version } = this.#options;
    return {
      ...spanSettings(settings),
      conversation,
      timeless,
      queue: this.#queue,
      rules: await sharingRules(sharingPolicyOf(settings)),
      prices: await loadPrices(),
      origin: {
        resource: { 'service.name': 'agent-logbook', 'openinference.project.name': 'agent-logbook' },
        version,
      },
    };
  }

  #waitFor({ kind, afterMs }: Stop): number {
    if (kind === 'setup') return SETUP_MS;
    return afterMs ?? backoffMs(this.#failures, WAITS, Math.random);
  }

  /** Sends what waits after so many milliseconds, but not before the collector wants to be asked again. */
  #sendAgain(ms: number): void {
    clearTimeout(this.#again);
    if (this.#closing.signal.aborted) return;
    const wait = Math.max(ms, this.#notBefore - performance.now());
    this.#again = setTimeout(() => {
      this.sendWaiting(this.#closing.signal).catch((error: unknown) => {
        if (this.#closing.signal.aborted) return;
        if (!(error instanceof UserError)) this.#options.log.error('Spans could not be sent', error);
        void this.#tellWaiting(messageOf(error));
      });
    }, wait).unref();
  }

  async #tellWaiting(words: string | undefined): Promise<void> {
    const batches = await this.#queue.list();
    const spans = batches.reduce((sum, batch) => sum + batch.spans, 0);
    this.#waiting = { spans, ...(words !== undefined && { words }) };
    this.#changed.fire();
  }
}

/** Where the last run of a transcript begins. */
async function lastRunIn(transcript: Parameters<TranscriptSpans['advance']>[0]): Promise<number> {
  const [last] = await transcript.read(transcript.length - 1, transcript.length);
  let first = Math.max(0, transcript.length - 1);
  for (let end = transcript.length; end > 0; end -= PAGE) {
    const start = Math.max(0, end - PAGE);
    const page = await transcript.read(start, end);
    const before = page.findLastIndex(({ run }) => run !== last?.run);
    if (before >= 0) return start + before + 1;
    first = start;
  }
  return first;
}

/** How many records are looked at at once. */
const PAGE = 500;
