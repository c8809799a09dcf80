import type { ConversationPaths } from '../files/storePaths.js';
import { PartScanner, type PartRange } from './partScanner.js';
import type { ScannedPart } from './scannedPart.js';

/** Reads parts of journals on other threads, in the order in which they are asked for. */
export interface ScanOnThread {
  /** How many parts are read at the same time. */
  readonly threads: number;
  /** How large a part is, in bytes, and how much of a file makes it worth to start the threads. */
  readonly partBytes: number;
  readonly leastBytes: number;
  /** See `PartScanner`; rejects as well where its thread ends, and with the signal's reason. */
  scan(paths: ConversationPaths, range: PartRange, signal: AbortSignal): Promise<ScannedPart>;
}

/** How many parts a thread is asked for at once: one to read, and one to go on with. */
const ASKED_AT_ONCE = 2;
/** How many parts may wait in memory for those before them, for each thread: some 300 KB each. */
const MAX_AHEAD = 8;

interface ScanQuery {
  readonly part: Promise<ScannedPart>;
  isSettled: boolean;
}

/**
 * The parts of a journal file from the byte `from`, where a line begins that is not the first, in order; read by other
 * threads, and by this one where it would wait. Throws what the others reject with.
 */
export async function* scannedParts(
  onThread: ScanOnThread,
  paths: ConversationPaths,
  { from, to, ...file }: Omit<PartRange, 'until'>,
): AsyncGenerator<ScannedPart, void, undefined> {
  const { partBytes } = onThread;
  const count = Math.ceil((to - from) / partBytes);
  const rangeAt = (at: number): PartRange => ({
    ...file,
    from: from + at * partBytes,
    until: Math.min(to, from + (at + 1) * partBytes),
    to,
  });
  const own = new PartScanner(paths);
  const asked = new Map<number, ScanQuery>();
  const cancel = new AbortController();
  let next = 0;
  let wanted = 0;
  const mayGoOn = () => next < Math.min(count, wanted + MAX_AHEAD * onThread.threads);
  const ask = (scan: (range: PartRange) => Promise<ScannedPart>) => {
    const settled = () => {
      one.isSettled = true;
      askOthers();
    };
    const part = scan(rangeAt(next));
    const one: ScanQuery = { part, isSettled: false };
    asked.set(next++, one);
    part.then(settled, settled);
    return one;
  };
  /** How many parts other threads are asked for now. */
  let beingRead = 0;
  const askOthers = () => {
    while (!cancel.signal.aborted && mayGoOn() && beingRead < ASKED_AT_ONCE * onThread.threads) {
      beingRead++;
      void ask((range) => onThread.scan(paths, range, cancel.signal).finally(() => beingRead--));
    }
  };
  try {
    for (; wanted < count; wanted++) {
      askOthers();
      const one = asked.get(wanted) ?? ask((range) => own.scan(range));
      while (!one.isSettled && mayGoOn()) await ask((range) => own.scan(range)).part;
      asked.delete(wanted);
      yield await one.part;
    }
  } finally {
    cancel.abort();
  }
}
