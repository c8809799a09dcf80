import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ChatMessage } from '../../src/core/message.js';
import { temporaryFolder } from '../harness/temporaryFolder.js';
import type { MakeWriter, Writer } from './writers.js';

/** How many messages are kept before the event loop has its turn, as in a run with a fast model. */
const BURST = 32;

/** What keeping some messages cost. */
export interface Cost {
  /** From the first message until all are where the way puts them. */
  readonly milliseconds: number;
  /** Processor time of all threads until then, in milliseconds. */
  readonly processor: number;
  /** For each message, how long the caller waited, in milliseconds. */
  readonly waits: Float64Array;
}

const root = temporaryFolder();
let folders = 0;

/** A writer in a folder that nobody has used. */
export async function freshWriter(make: MakeWriter): Promise<Writer> {
  const folder = join(root, String(++folders));
  mkdirSync(folder);
  return make(folder);
}

/** Keeps messages one after another, then `finish`es. */
export async function costOf(
  writer: Writer,
  messages: readonly ChatMessage[],
  finish: () => Promise<void>,
): Promise<Cost> {
  const waits = new Float64Array(messages.length);
  global.gc?.();
  const usedBefore = process.cpuUsage();
  const start = performance.now();
  for (const [n, message] of messages.entries()) {
    const before = performance.now();
    const written = writer.write(message);
    if (written) await written;
    waits[n] = performance.now() - before;
    if (n % BURST === BURST - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  await finish();
  const milliseconds = performance.now() - start;
  const { user, system } = process.cpuUsage(usedBefore);
  return { milliseconds, processor: (user + system) / 1000, waits };
}
