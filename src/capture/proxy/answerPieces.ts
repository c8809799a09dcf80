import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, constants } from 'node:zlib';
import { isObject } from '../../core/message.js';
import { piecesIn, type AnswerPiece } from '../../import/general/answerPieces.js';
import { fields, text } from '../../import/reading/fields.js';
import { isOllamaPiece, streamedObjects } from '../../import/reading/streamedObjects.js';
import type { EchoedKeys } from './echoedKeys.js';

/** What a stream of server-sent events begins with. */
const EVENTS = /^\ufeff?\s*(?:data|event|id|retry)?:/;
/** What may become an object on the first line of a stream of those; longer ones are an answer in one piece. */
const MAX_FIRST = 64 * 1024;

type Kind = 'events' | 'lines' | 'body';
type Unpack = ReturnType<typeof createGunzip>;

/**
 * What of an answer was said between one look and the next, while it is on its way. What may be the beginning of a key waits for
 * what follows it.
 */
export class AnswerPieces {
  readonly #keys: EchoedKeys;
  readonly #decoder = new StringDecoder('utf8');
  #unpack: Unpack | undefined;
  #unpacked: Buffer[] = [];
  #isBroken = false;
  #kind: Kind | undefined;
  /** What is no whole event yet. */
  #rest = '';
  /** What was said and waits, by where it stands in a piece. */
  readonly #held = new Map<string, string>();
  #id = '';

  constructor(keys: EchoedKeys) {
    this.#keys = keys;
  }

  /** The answer's id, where its stream is one of the Responses API and has told it; else ''. */
  get id(): string {
    return this.#id;
  }

  /** Takes what came since the last time, packed as `encoding` says; gives what it says, in order. */
  async take(bytes: Uint8Array, encoding: string | undefined): Promise<readonly AnswerPiece[]> {
    this.#rest += this.#decoder.write(await this.#plain(Buffer.from(bytes), encoding));
    this.#kind ??= kindOf(this.#rest);
    if (this.#kind === undefined) return [];
    if (this.#kind === 'body') {
      const body = this.#rest;
      this.#rest = '';
      return this.#given([{ body }]);
    }
    const end = this.#kind === 'events' ? endOfEvents(this.#rest) : this.#rest.lastIndexOf('\n') + 1;
    const whole = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    const events = eventsIn(whole, this.#kind);
    for (const { response } of events) this.#id ||= text(fields(response).id) ?? '';
    return this.#given(events.flatMap(piecesIn));
  }

  /** Pieces of one kind that follow each other become one, without what may begin a key. */
  #given(pieces: readonly AnswerPiece[]): readonly AnswerPiece[] {
    const joined: AnswerPiece[] = [];
    for (const piece of pieces) {
      const last = joined.at(-1);
      const both = last && together(last, piece);
      if (both) joined[joined.length - 1] = both;
      else joined.push(piece);
    }
    return joined.flatMap((piece) => this.#released(piece));
  }

  #released(piece: AnswerPiece): readonly AnswerPiece[] {
    const [place = '', words = ''] =
      piece.toolCall === undefined
        ? ((Object.entries(piece) as [string, string][])[0] ?? [])
        : [`call ${piece.toolCall.index}`, piece.toolCall.arguments ?? ''];
    const text = this.#keys.without(`${this.#held.get(place) ?? ''}${words}`).value;
    const end = this.#keys.heldFrom(text);
    this.#held.set(place, text.slice(end));
    const told = text.slice(0, end);
    if (piece.toolCall) {
      const { index, id, name } = this.#keys.without(piece.toolCall).value;
      const call = { index, ...(id !== undefined && { id }), ...(name !== undefined && { name }) };
      if (told === '' && id === undefined && name === undefined) return [];
      return [{ toolCall: { ...call, ...(told !== '' && { arguments: told }) } }];
    }
    return told === '' ? [] : [{ [place]: told }];
  }

  async #plain(bytes: Buffer, encoding: string | undefined): Promise<Buffer> {
    const name = (encoding ?? '').trim().toLowerCase();
    if (name === '' || name === 'identity') return bytes;
    if (bytes.length > 0) this.#unpack ??= this.#begin(name, bytes[0]);
    const unpack = this.#unpack;
    // What cannot be unpacked is told when the answer has ended.
    if (!unpack || this.#isBroken) return Buffer.alloc(0);
    await new Promise<void>((resolve) => {
      unpack.once('error', () => resolve());
      unpack.write(bytes, () => resolve());
    });
    const plain = Buffer.concat(this.#unpacked);
    this.#unpacked = [];
    return plain;
  }

  #begin(name: string, first: number | undefined): Unpack | undefined {
    const sync = { flush: constants.Z_SYNC_FLUSH };
    const unpack =
      name === 'gzip' || name === 'x-gzip'
        ? createGunzip(sync)
        : name === 'deflate'
          ? // Some servers leave out what says that it is deflated.
            ((first ?? 0) & 0x0f) === 8
            ? createInflate(sync)
            : createInflateRaw(sync)
          : name === 'br'
            ? createBrotliDecompress({ flush: constants.BROTLI_OPERATION_FLUSH })
            : undefined;
    unpack?.on('data', (chunk: Buffer) => this.#unpacked.push(chunk));
    unpack?.on('error', () => (this.#isBroken = true));
    return unpack;
  }

  /** Gives up what is held. */
  end(): void {
    this.#unpack?.destroy();
  }
}

/** What an answer is that begins like this; undefined where that is not told yet. */
function kindOf(text: string): Kind | undefined {
  if (text.trim() === '') return undefined;
  if (EVENTS.test(text)) return 'events';
  const end = text.indexOf('\n');
  if (end < 0) return text.length < MAX_FIRST && /^\s*\{[^\n]{0,100}"model"/.test(text) ? undefined : 'body';
  return isOllamaPiece(objectIn(text.slice(0, end))) ? 'lines' : 'body';
}

function eventsIn(text: string, kind: 'events' | 'lines') {
  if (kind === 'events') return streamedObjects(text);
  return text.split('\n').map(objectIn).filter(isObject);
}

/** Where the last event ends that has come whole. */
function endOfEvents(text: string): number {
  return ['\n\n', '\r\n\r\n', '\r\r'].reduce((end, mark) => {
    const at = text.lastIndexOf(mark);
    return at < 0 ? end : Math.max(end, at + mark.length);
  }, 0);
}

/** Two pieces as one, where the second goes on with the first. */
function together(first: AnswerPiece, second: AnswerPiece): AnswerPiece | undefined {
  for (const name of ['text', 'reasoning', 'body'] as const) {
    const [before, after] = [first[name], second[name]];
    if (before !== undefined && after !== undefined) return { [name]: before + after };
  }
  const [call, more] = [first.toolCall, second.toolCall];
  if (call?.index !== more?.index || !call || more?.name !== undefined) return undefined;
  return { toolCall: { ...call, arguments: `${call.arguments ?? ''}${more?.arguments ?? ''}` } };
}

function objectIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // It was cut, or is the first line of something longer.
    return undefined;
  }
}
