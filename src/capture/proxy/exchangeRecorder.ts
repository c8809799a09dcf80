import { randomUUID, createHash } from 'node:crypto';
import { brotliDecompress, constants, gunzip, inflate, inflateRaw } from 'node:zlib';
import { promisify } from 'node:util';
import { messageOf } from '../../core/text.js';
import { MAX_RECORDING, RecordingFiles, type Growth } from '../servers/recordingFiles.js';
import { AnswerPieces } from './answerPieces.js';
import { ConversationTracker, type Turn } from './conversationTracker.js';
import { EchoedKeys } from './echoedKeys.js';
import {
  MAX_COPY,
  type AnswerBytes,
  type AnsweredExchange,
  type ProxiedRequest,
  type ExchangeSink,
  type SentBody,
} from './exchanges.js';
import { withoutKeys, type RecordableBody } from './withoutKeys.js';
import { errorCode } from '../../core/errorCode.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { isObject } from '../../core/message.js';
import type { RepeatedParts } from '../../core/repeatedParts.js';

/** Of how many conversations it is remembered what their last request sent. */
const MAX_REMEMBERED = 500;
/** What is shorter, in characters of JSON, is written again: a mark would take as much. */
const MIN_REPEATED = 64;

/** A request as it is written. */
interface WrittenRequest {
  /** The body without what it repeats. */
  readonly request: unknown;
  /** What it repeats; undefined for nothing. */
  readonly repeats: RepeatedParts | undefined;
}

/** What a request sent, by fingerprints. */
interface Sent {
  readonly exchange: string;
  readonly fields: ReadonlyMap<string, string>;
  readonly entries: ReadonlyMap<string, readonly string[]>;
}

/**
 * Finds what a request repeats of the one before it in its conversation: clients send the instructions, the tools and
 * everything that was said with each request. So a recording grows by what is new.
 */
export class RepeatFinder {
  readonly #last = new BoundedMap<number, Sent>(MAX_REMEMBERED);

  /** Takes a request of a conversation that is written now under the name `exchange`. */
  take(conversation: number, exchange: string, body: unknown): WrittenRequest {
    const before = this.#last.get(conversation);
    const sent = sentBy(exchange, body);
    if (!sent || !isObject(body)) return { request: body, repeats: undefined };
    this.#last.set(conversation, sent);
    const repeats = before && repeatedOf(sent, before);
    if (!repeats) return { request: body, repeats };
    const written = Object.entries(body).flatMap(([name, value]) => {
      if (repeats.fields.includes(name)) return [];
      const count = Object.hasOwn(repeats.entries, name) ? repeats.entries[name] : undefined;
      return [[name, count === undefined ? value : (value as unknown[]).slice(count)]];
    });
    return { request: Object.fromEntries(written) as unknown, repeats };
  }

  /** Takes back what was taken of a conversation, because it could not be written. */
  forget(conversation: number): void {
    this.#last.delete(conversation);
  }
}

/** Fingerprints of a body's fields; undefined where it is no object, or lies too deep to be written. */
function sentBy(exchange: string, body: unknown): Sent | undefined {
  if (!isObject(body)) return undefined;
  const fields = new Map<string, string>();
  const entries = new Map<string, readonly string[]>();
  try {
    for (const [name, value] of Object.entries(body)) {
      if (name === '__proto__') continue;
      if (Array.isArray(value)) {
        const texts = value.map((each) => fingerprint(JSON.stringify(each)));
        entries.set(name, texts);
        continue;
      }
      const text = JSON.stringify(value);
      if (text.length >= MIN_REPEATED) fields.set(name, fingerprint(text));
    }
  } catch {
    return undefined;
  }
  return { exchange, fields, entries };
}

function repeatedOf(sent: Sent, before: Sent): RepeatedParts | undefined {
  const fields = [...sent.fields].flatMap(([name, text]) => (before.fields.get(name) === text ? [name] : []));
  const entries = [...sent.entries].flatMap(([name, texts]) => {
    const count = sameAtStart(texts, before.entries.get(name) ?? []);
    return count > 0 ? [[name, count] as const] : [];
  });
  if (fields.length === 0 && entries.length === 0) return undefined;
  return { exchange: before.exchange, fields, entries: Object.fromEntries(entries) };
}

function sameAtStart(texts: readonly string[], before: readonly string[]): number {
  const end = texts.findIndex((text, at) => text !== before[at]);
  return end < 0 ? texts.length : end;
}

function fingerprint(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

/** What of a body is worth keeping. */
interface ReadBody {
  /** JSON, or the text as it is; undefined where nothing of it can be read. */
  readonly value: unknown;
  /** Why it is not whole; '' where it is. */
  readonly problem: string;
}

/** Reads a body that went past, of at most so many bytes when it is unpacked. Never rejects. */
export async function readSent({ bytes, length, encoding }: SentBody, max: number): Promise<ReadBody> {
  if (!bytes) return { value: undefined, problem: `${length} bytes are more than is kept at once.` };
  try {
    const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const { bytes: plain, isCut } = await unpacked(packed, encoding, max);
    const problem = isCut ? `What is packed as ${encoding ?? ''} was cut; it is kept as far as it came.` : '';
    return { value: parsed(plain.toString('utf8')), problem };
  } catch {
    return { value: undefined, problem: `${length} bytes that are no ${encoding ?? 'text'} were not kept.` };
  }
}

/** Bytes without their packing, and whether that ended before its end. */
interface Unpacked {
  readonly bytes: Buffer;
  readonly isCut: boolean;
}

/** How many packings in each other are undone. */
const MAX_PACKINGS = 4;

/** Undoes the packings that a header names, the last one first. Rejects for what is not packed so. */
async function unpacked(packed: Buffer, encoding: string | undefined, max: number): Promise<Unpacked> {
  const names = (encoding ?? '').split(',').map((name) => name.trim().toLowerCase());
  const packings = names.filter((name) => name !== '' && name !== 'identity').reverse();
  if (packings.length > MAX_PACKINGS) throw new Error('more packings than are undone');
  let [bytes, isCut] = [packed, false];
  for (const name of packings) {
    const outer = await withoutPacking(bytes, name, max);
    [bytes, isCut] = [outer.bytes, isCut || outer.isCut];
  }
  return { bytes, isCut };
}

async function withoutPacking(bytes: Buffer, name: string, maxOutputLength: number): Promise<Unpacked> {
  // Where an answer has no bytes, there is nothing to undo.
  if (bytes.length === 0) return { bytes, isCut: false };
  const [unpack, finishFlush] = unpackerOf(name, bytes);
  try {
    return { bytes: await unpack(bytes, { maxOutputLength }), isCut: false };
  } catch (error) {
    if (errorCode(error) !== 'Z_BUF_ERROR') throw error;
    // It ended too early.
    return { bytes: await unpack(bytes, { maxOutputLength, finishFlush }), isCut: true };
  }
}

function unpackerOf(name: string, bytes: Buffer) {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return [promisify(gunzip), constants.Z_SYNC_FLUSH] as const;
    case 'deflate':
      // Some servers leave out the header of zlib, which tells itself by RFC 1950.
      return [promisify(isZlib(bytes) ? inflate : inflateRaw), constants.Z_SYNC_FLUSH] as const;
    case 'br':
      return [promisify(brotliDecompress), constants.BROTLI_OPERATION_FLUSH] as const;
    default:
      throw new Error('unknown');
  }
}

function isZlib(bytes: Buffer): boolean {
  const [method = 0, flags = 0] = bytes;
  return (method & 0x0f) === 8 && (method * 256 + flags) % 31 === 0;
}

/** JSON where the text is that, else the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What a recorder is given. */
export interface ExchangeRecorderOptions {
  /** The folder of the recordings. */
  readonly folder: string;
  /** Hears of every recording that grew. */
  readonly onGrown: (growth: Growth) => void;
  /** Hears of what went wrong, in words. */
  readonly onProblem: (words: string) => void;
}

/** What was asked: the conversation that it was taken for, and whether it stands in the recording. */
interface Asking {
  readonly turn: Turn;
  readonly isAdded: Promise<boolean>;
  readonly pieces: AnswerPieces;
  isOver: boolean;
}

/**
 * Records requests to models with their answers, a file for each conversation: which one a request belongs to, what of it
 * was sent before, and what of it is a key for other servers and is not kept.
 */
export class ExchangeRecorder implements ExchangeSink {
  readonly #onProblem: (words: string) => void;
  readonly #files: RecordingFiles;
  readonly #tracker = new ConversationTracker();
  readonly #repeats = new RepeatFinder();
  /** Conversations of two recorders are never one. */
  readonly #id = randomUUID();
  readonly #keys = new EchoedKeys();
  /** The requests that wait for their answers. */
  readonly #asking = new Map<string, Asking>();
  /** Settles when what came last was read. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ folder, onGrown, onProblem }: ExchangeRecorderOptions) {
    this.#onProblem = onProblem;
    this.#files = new RecordingFiles({
      folder,
      extension: '.exchanges.jsonl',
      maxBytes: MAX_RECORDING,
      onGrown,
    });
  }

  /** Records a request at once: its answer may take minutes. */
  async asked({ id, body, url, start, isRetry, keys }: ProxiedRequest): Promise<void> {
    this.#keys.add(keys);
    const asking = await this.#inTurn(body, (question) => {
      const turn = this.#tracker.begin({ body: question.value, isRetry });
      const { value, count } = this.#withoutKeys(question.value, (clean) => this.#keys.withoutOwn(clean));
      const { request, repeats } = this.#repeats.take(turn.conversation, id, value);
      const isAdded = this.#add(turn, {
        exchange: id,
        url,
        startTime: new Date(start).toISOString(),
        ...leftOutIn('request', question, count),
        ...(repeats && { repeats }),
        request: request ?? null,
        response: null,
      });
      const begun: Asking = { turn, isAdded, pieces: new AnswerPieces(this.#keys), isOver: false };
      this.#asking.set(id, begun);
      return begun;
    });
    if (!(await asking.isAdded)) this.#repeats.forget(asking.turn.conversation);
  }

  async answered({ id, body, status, end, failure }: AnsweredExchange): Promise<void> {
    const { answer, asked } = await this.#inTurn(body, (read) => {
      const asking = this.#asking.get(id);
      this.#asking.delete(id);
      if (asking) asking.isOver = true;
      asking?.pieces.end();
      asking?.turn.end({ isFailed: failure !== '' || (status ?? 500) >= 400, answer: read.value });
      return { answer: read, asked: asking };
    });
    // Without its request an answer says nothing.
    if (!asked || !(await asked.isAdded)) return;
    const { value, count } = this.#withoutKeys(answer.value, (clean) => this.#keys.inAnswer(clean));
    const { value: why } = this.#keys.without(failure);
    await this.#add(asked.turn, {
      exchange: id,
      status: status ?? 0,
      endTime: new Date(end).toISOString(),
      ...(why !== '' && { failure: why }),
      ...leftOutIn('answer', answer, count),
      response: value === '' && why !== '' ? { error: { message: why } } : (value ?? null),
    });
  }

  /** Records what came of an answer that is on its way: what follows it replaces it, and nothing may follow. */
  async passing({ id, bytes, encoding }: AnswerBytes): Promise<void> {
    // In the order in which all came: what is asked next may name this answer.
    const taken = this.#last.then(async () => {
      const asking = this.#asking.get(id);
      if (!asking) return undefined;
      const pieces = await asking.pieces.take(bytes, encoding);
      asking.turn.names(asking.pieces.id);
      return { asking, pieces };
    });
    this.#last = taken.catch(() => undefined);
    const { asking, pieces = [] } = (await taken) ?? {};
    if (!asking || !(await asking.isAdded)) return;
    for (const piece of pieces) {
      if (asking.isOver) return;
      await this.#add(asking.turn, { exchange: id, piece });
    }
  }

  /** A body without the keys that it carries for other servers, and without those that requests came with. */
  #withoutKeys(body: unknown, withoutEchoes: (value: unknown) => RecordableBody): RecordableBody {
    const clean = withoutKeys(body);
    const { value, count } = withoutEchoes(clean.value);
    return { value, count: clean.count + count };
  }

  /** Resolves when all that was given is on the disk. */
  async settled(): Promise<void> {
    await this.#last;
    await this.#files.settled();
  }

  /**
   * Reads a body, and goes on with what it says in the order in which they came: a request that follows an answer may go on
   * with what was said in it, however long that takes to be unpacked.
   */
  #inTurn<T>(body: SentBody, goOn: (read: ReadBody) => T): Promise<T> {
    const reading = readSent(body, MAX_COPY);
    const done = this.#last.then(async () => goOn(await reading));
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** Adds a line to the recording of a conversation; tells whether it is there. Never rejects. */
  async #add({ conversation }: Turn, line: Readonly<Record<string, unknown>>): Promise<boolean> {
    try {
      const isAdded = await this.#files.add(`${this.#id} ${conversation}`, [JSON.stringify(line)]);
      if (!isAdded) this.#onProblem('A recording is full; a request was passed on without being recorded.');
      return isAdded;
    } catch (error) {
      this.#onProblem(`A request was passed on but cannot be recorded: ${messageOf(error)}`);
      return false;
    }
  }
}

/** What a line says of a body that is not there, or not whole. */
function leftOutIn(what: string, { problem }: ReadBody, keys: number): { readonly leftOut?: string } {
  const told = keys === 0 ? '' : `${keys} ${keys === 1 ? 'key was' : 'keys were'} not kept.`;
  const words = [problem, told].filter((each) => each !== '').join(' ');
  return words === '' ? {} : { leftOut: `${what}: ${words}` };
}
