import { mkdir, readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { errorCode } from '../../core/errorCode.js';
import { isObject } from '../../core/message.js';
import type { SpanOrigin } from '../otlp/otlpJson.js';
import type { OtlpSpan } from '../otlp/otlpSpan.js';
import { TEMPORARY, writeAtomically } from '../../node/atomicFile.js';

const [packed, unpacked] = [promisify(gzip), promisify(gunzip)];

/** How much waits at most, packed, in bytes. */
const MAX_QUEUE = 256 * 1024 * 1024;

/** How much one batch is unpacked, in bytes: more than any of ours is. */
const MAX_BATCH = 64 * 1024 * 1024;

/** What is written and older than this was left by a crash, in milliseconds. */
const LEFT_MS = 60 * 60_000;

/** The name of a batch: when it came, a number that tells those of one moment apart, its spans and its bytes. */
const NAME = /^(\d{15})-(\d{6})-(\d+)-(\d+)-(\d+)\.json\.gz$/;

/** Spans that wait on the disk. */
export interface QueuedBatch {
  readonly name: string;
  /** How many spans it has, and how many bytes it is on the disk. */
  readonly spans: number;
  readonly bytes: number;
}

/** What is in a batch. */
export interface BatchContent {
  readonly origin: SpanOrigin;
  readonly spans: readonly OtlpSpan[];
}

/**
 * Spans on their way to a collector, in a folder: each batch is a file that is whole or not there, durable once `add` resolves, and stays
 * until it is removed, whatever happens to whoever sends it. Several processes may add to it and take from it at once.
 */
export class SpanQueue {
  readonly folder: string;
  readonly #maxBytes: number;
  #count = 0;

  /** `folder` is absolute, and made with the first batch. */
  constructor(folder: string, maxBytes = MAX_QUEUE) {
    this.folder = folder;
    this.#maxBytes = maxBytes;
  }

  /** Adds a batch; gives its name, or undefined where the queue is full, so that it was not added. */
  async add(content: BatchContent): Promise<string | undefined> {
    const bytes = await packed(JSON.stringify(content));
    const waiting = (await this.list()).reduce((sum, batch) => sum + batch.bytes, 0);
    if (waiting + bytes.length > this.#maxBytes) return undefined;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const name = this.#nameOf(Date.now(), content.spans.length, bytes.length);
    await writeAtomically(join(this.folder, name), bytes);
    return name;
  }

  /** All that waits, in the order in which it came. */
  async list(): Promise<readonly QueuedBatch[]> {
    const names = await this.#names();
    return names.sort().flatMap((name) => {
      const [, , , , spans, bytes] = NAME.exec(name) ?? [];
      return spans === undefined ? [] : [{ name, spans: Number(spans), bytes: Number(bytes) }];
    });
  }

  /** What is in a batch; undefined where another process has taken it meanwhile, or where it is damaged and was removed. */
  async read(batch: QueuedBatch): Promise<BatchContent | 'gone' | 'damaged'> {
    try {
      const file = await readFile(join(this.folder, batch.name));
      const bytes = await unpacked(file, { maxOutputLength: MAX_BATCH });
      const content: unknown = JSON.parse(bytes.toString('utf8'));
      if (isObject(content) && Array.isArray(content.spans) && isObject(content.origin))
        return content as unknown as BatchContent;
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return 'gone';
      // What cannot be unpacked or parsed never will be; whatever else the disk says is its own trouble.
      const isDamaged = error instanceof SyntaxError || /^Z_|ERR_BUFFER_TOO_LARGE/.test(errorCode(error));
      if (!isDamaged) throw error;
    }
    await this.remove(batch);
    return 'damaged';
  }

  /** Removes a batch; nothing where it is gone. */
  async remove({ name }: Pick<QueuedBatch, 'name'>): Promise<void> {
    try {
      await unlink(join(this.folder, name));
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
  }

  /** Puts two halves in the place of a batch that is more than a receiver takes. */
  async split(batch: QueuedBatch, { origin, spans }: BatchContent): Promise<void> {
    const middle = Math.ceil(spans.length / 2);
    const [time = '0'] = batch.name.split('-');
    for (const half of [spans.slice(0, middle), spans.slice(middle)]) {
      const bytes = await packed(JSON.stringify({ origin, spans: half }));
      const name = this.#nameOf(Number(time), half.length, bytes.length);
      await writeAtomically(join(this.folder, name), bytes);
    }
    await this.remove(batch);
  }

  /** Removes what a crash has left half-written. */
  async sweep(now = Date.now()): Promise<void> {
    for (const name of await this.#names()) {
      if (!name.startsWith(TEMPORARY)) continue;
      const path = join(this.folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found && now - found.mtimeMs > LEFT_MS) await this.remove({ name });
    }
  }

  async #names(): Promise<string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  #nameOf(time: number, spans: number, bytes: number): string {
    const count = String(this.#count++ % 1_000_000).padStart(6, '0');
    return `${String(time).padStart(15, '0')}-${count}-${process.pid}-${spans}-${bytes}.json.gz`;
  }
}
