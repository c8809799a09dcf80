import type { IncomingMessage } from 'node:http';
import { PassThrough, type Transform } from 'node:stream';
import { createGunzip, createInflate } from 'node:zlib';
import { messageOf } from '../../core/text.js';
import { Refusal } from './refusal.js';

/** How many bytes the bodies that are being read may hold together. */
export class BodyBudget {
  readonly #max: number;
  #used = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Bytes that are held now. */
  get used(): number {
    return this.#used;
  }

  /** Takes bytes where there is room for them; says whether there was. */
  tryTake(bytes: number): boolean {
    const hasRoom = this.#used + bytes <= this.#max;
    if (hasRoom) this.#used += bytes;
    return hasRoom;
  }

  /** Takes bytes, or refuses them with the answer that tells a sender to wait. */
  take(bytes: number): void {
    if (!this.tryTake(bytes))
      throw new Refusal(429, 'More is sent than can be taken at once. Send it again later.', {
        'retry-after': '1',
      });
  }

  free(bytes: number): void {
    this.#used -= bytes;
  }
}

/** What bounds a body. */
export interface BodyLimits {
  /** The most bytes of one body, as sent and unpacked. */
  readonly maxBytes: number;
  readonly budget: BodyBudget;
  /** How long a sender may take for each `MIN_BYTES` of a body, in milliseconds; ten seconds where nothing is said. */
  readonly paceMs?: number;
}

/**
 * How much of a body must come in each while: a sender that stops in the middle of a large one would hold the room of others
 * for as long as a request may take.
 */
const MIN_BYTES = 16 * 1024;
const PACE_MS = 10_000;

/** A body that was read; `free` is to be called when its bytes are no longer held. */
export interface RequestBody {
  readonly bytes: Buffer;
  free(): void;
}

/**
 * Reads the body of a request, unpacked. Throws a `Refusal`: 413 for more than is taken, sent or unpacked, 415 for an
 * encoding that is not known, 400 for what is not encoded so, 408 for one that does not come on, 429 where too much is held
 * already.
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, budget, paceMs = PACE_MS }: BodyLimits,
): Promise<RequestBody> {
  const unpack = unpackerOf(request.headers['content-encoding']);
  const isPlain = unpack instanceof PassThrough;
  const tooLarge = (how = '') => new Refusal(413, `The request is larger than ${maxBytes} bytes${how}.`);
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let held = 0;
  const free = () => {
    budget.free(held);
    held = 0;
  };
  // Not a pipeline: it would end the connection with the error, and the answer could not be sent.
  request.pipe(unpack);
  const broken = () => unpack.destroy(new Error('The sender ended before its request did.'));
  request.once('error', broken).once('aborted', broken);
  let sent = 0;
  let sentBefore = 0;
  const count = (chunk: Buffer) => (sent += chunk.length);
  request.on('data', count);
  const pace = setInterval(() => {
    if (sent - sentBefore < MIN_BYTES) unpack.destroy(new Refusal(408, 'The request does not come on.'));
    sentBefore = sent;
  }, paceMs);
  try {
    for await (const chunk of unpack as AsyncIterable<Buffer>) {
      if (held + chunk.length > maxBytes) throw tooLarge(isPlain ? '' : ' when it is unpacked');
      budget.take(chunk.length);
      held += chunk.length;
      chunks.push(chunk);
    }
  } catch (error) {
    free();
    throw error instanceof Refusal ? error : new Refusal(400, `The body cannot be read: ${messageOf(error)}`);
  } finally {
    clearInterval(pace);
    request.off('error', broken).off('aborted', broken).off('data', count).unpipe(unpack);
  }
  return { bytes: Buffer.concat(chunks), free };
}

function unpackerOf(encoding: string | undefined): Transform {
  switch (encoding?.trim().toLowerCase()) {
    case undefined:
    case '':
    case 'identity':
      return new PassThrough();
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    default:
      throw new Refusal(
        415,
        `Bodies are taken plain, as gzip or as deflate, not as ${JSON.stringify(encoding)}.`,
      );
  }
}
