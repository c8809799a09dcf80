import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { ProcessLock } from '../../node/processLock.js';
import { verdictOf, verdictOfFailure, type Verdict } from './collectorVerdict.js';
import { encodeSpans, type TraceSerializer } from './encodeSpans.js';
import { postTraces, type Collector } from './postTraces.js';
import type { BatchContent, QueuedBatch, SpanQueue } from './spanQueue.js';

const packed = promisify(gzip);

/** How often it is looked whether another process has ended sending, in milliseconds. */
const AGAIN_MS = 100;

/** What stops sending: the collector is to be asked again later, or a person has to change something. */
export interface Stop {
  readonly kind: 'later' | 'setup';
  readonly words: string;
  /** How long the collector asks to wait, in milliseconds. */
  readonly afterMs?: number;
}

/** What came of sending what waits. */
export interface Sent {
  /** Spans that the collector took. */
  readonly taken: number;
  /** Spans that it will never take: rejected one by one, refused with their request, or damaged on the disk. */
  readonly lost: number;
  /** Why spans were lost, in the collector's words; '' where it said none. */
  readonly why: string;
  /** What stopped it before everything was sent; undefined where nothing did. */
  readonly stopped?: Stop;
}

/** What sending needs. */
export interface SendOptions {
  readonly signal: AbortSignal;
  /** How long the collector may take for an answer, in milliseconds. */
  readonly answerMs?: number;
  /** Hears how many spans were taken by each request. */
  readonly onTaken?: (spans: number) => void;
}

/**
 * Sends what waits in a queue, the oldest first, until it is empty or something stops it; it waits for nothing but answers. One process
 * sends at a time. A batch is removed once it is answered, so that whatever breaks off before is sent again, as the same spans.
 * Rejects with the signal's reason and with errors of the disk.
 */
export async function sendQueued(
  queue: SpanQueue,
  collector: Collector,
  serializer: TraceSerializer,
  options: SendOptions,
): Promise<Sent> {
  if ((await queue.list()).length === 0) return { taken: 0, lost: 0, why: '' };
  const lock = await lockOf(queue, options.signal);
  try {
    return await sendAll(queue, collector, serializer, options);
  } finally {
    await lock.release();
  }
}

async function lockOf(queue: SpanQueue, signal: AbortSignal): Promise<ProcessLock> {
  await mkdir(queue.folder, { recursive: true, mode: 0o700 });
  for (;;) {
    const acquired = await ProcessLock.acquire(join(queue.folder, 'lock'));
    if ('lock' in acquired) {
      // Whoever takes it over because this process slept sends the same spans.
      acquired.lock.keepBeating(
        () => undefined,
        () => undefined,
      );
      return acquired.lock;
    }
    await sleep(AGAIN_MS, undefined, { signal });
  }
}

async function sendAll(
  queue: SpanQueue,
  collector: Collector,
  serializer: TraceSerializer,
  options: SendOptions,
): Promise<Sent> {
  let sent = { taken: 0, lost: 0, why: '' };
  for (let [batch] = await queue.list(); batch; [batch] = await queue.list()) {
    options.signal.throwIfAborted();
    const content = await queue.read(batch);
    if (content === 'gone') continue;
    if (content === 'damaged') {
      sent = { ...sent, lost: sent.lost + batch.spans };
      continue;
    }
    const verdict = await sendOne(content, collector, serializer, options);
    if (verdict.kind === 'later' || verdict.kind === 'setup')
      return { ...sent, stopped: { ...verdict, kind: verdict.kind } };
    const taken = await settle(queue, batch, content, verdict);
    if (taken === undefined) continue;
    if (taken > 0) options.onTaken?.(taken);
    sent = {
      taken: sent.taken + taken,
      lost: sent.lost + batch.spans - taken,
      why: verdict.words === '' ? sent.why : verdict.words,
    };
  }
  return sent;
}

/** Takes a batch from the queue as its answer says; gives how many of its spans were taken, undefined where it was put back in two halves. */
async function settle(
  queue: SpanQueue,
  batch: QueuedBatch,
  content: BatchContent,
  verdict: Verdict,
): Promise<number | undefined> {
  if (verdict.kind === 'tooLarge' && content.spans.length > 1) {
    await queue.split(batch, content);
    return undefined;
  }
  await queue.remove(batch);
  return verdict.kind === 'taken' ? Math.max(0, batch.spans - verdict.rejected) : 0;
}

async function sendOne(
  { spans, origin }: BatchContent,
  collector: Collector,
  serializer: TraceSerializer,
  { signal, answerMs }: SendOptions,
): Promise<Verdict> {
  const body = await packed(encodeSpans(spans, origin, serializer));
  try {
    const answer = await postTraces(collector, body, { signal, ...(answerMs !== undefined && { answerMs }) });
    return verdictOf(answer, serializer, Date.now());
  } catch (error) {
    signal.throwIfAborted();
    return verdictOfFailure(error, collector.url.host);
  }
}
