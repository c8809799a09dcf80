import { Transform } from 'node:stream';
import { isObject } from '../../core/message.js';

/** The longest frame that is read, in bytes: no argument is longer than some thousand characters. */
const MAX_FRAME = 4 * 1024 * 1024;
/** The longest that is looked at, to answer by its id; of a longer one nothing is held. */
const MAX_LOOKED_AT = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

/** An answer to a frame that is none. */
export interface FrameRefusal {
  readonly jsonrpc: '2.0';
  readonly id: string | number | null;
  readonly error: { readonly code: number; readonly message: string };
}

/**
 * The frames of a stream that are messages of JSON-RPC, as they came; each other one is refused with what is wrong: −32700 for
 * what is no JSON, −32600 for what is no message or longer than is read, −32602 for a cursor or an address that cannot be one. A
 * frame is a line.
 */
export function checkedFrames(refuse: (refusal: FrameRefusal) => void): Transform {
  let line: Buffer[] = [];
  let length = 0;
  const end = (): Buffer | undefined => {
    const [whole, bytes] = [length > MAX_LOOKED_AT ? undefined : Buffer.concat(line), length];
    [line, length] = [[], 0];
    const refusal = refusalOf(whole, bytes);
    if (refusal) refuse(refusal);
    const text = refusal ? undefined : whole?.toString('utf8');
    const said = text?.trim() ?? '';
    if (said === '') return undefined;
    // What stands around a message, as the mark of a byte order, is none of it; whoever parses it would not take it.
    return said === text ? whole : Buffer.from(said);
  };
  const add = (bytes: Buffer) => {
    length += bytes.length;
    if (length > MAX_LOOKED_AT) line = [];
    else line.push(bytes);
  };
  return new Transform({
    transform(chunk: Buffer, _, done) {
      let from = 0;
      for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, from)) {
        add(chunk.subarray(from, at));
        from = at + 1;
        const frame = end();
        if (frame) this.push(Buffer.concat([frame, Buffer.of(LINE_FEED)]));
      }
      add(chunk.subarray(from));
      done();
    },
    flush(done) {
      const frame = end();
      if (frame) this.push(Buffer.concat([frame, Buffer.of(LINE_FEED)]));
      done();
    },
  });
}

function refusalOf(frame: Buffer | undefined, bytes: number): FrameRefusal | undefined {
  if (!frame) return refused(null, -32600, tooLong(bytes));
  const text = frame.toString('utf8').trim();
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return refused(null, -32700, 'This is no JSON. A frame is one line with one message of JSON-RPC.');
  }
  const id = idOf(value);
  if (bytes > MAX_FRAME) return refused(id, -32600, tooLong(bytes));
  const problem = problemOf(value);
  if (problem !== undefined) return refused(id, -32600, problem);
  const wrong = id === null ? undefined : wrongParameter(value);
  return wrong === undefined ? undefined : refused(id, -32602, wrong);
}

/** Lists that are told at once, so that no cursor is one of theirs. */
const LISTS = /^(?:tools|resources|resources\/templates|prompts)\/list$/;

/** What is wrong with what a request says besides its method, where whoever answers it would call that a failure of its own. */
function wrongParameter(request: unknown): string | undefined {
  const { method, params } = isObject(request) ? request : {};
  const given = isObject(params) ? params : {};
  if (typeof method !== 'string') return undefined;
  if (LISTS.test(method) && given.cursor !== undefined)
    return 'No "cursor" was given for this list; all of it is told without one.';
  if (method === 'resources/read' && typeof given.uri !== 'string')
    return 'The "uri" of a resource is a text, as resources/list tells it.';
  if (method !== 'initialize') return undefined;
  const { protocolVersion, capabilities, clientInfo } = given;
  const isWhole = typeof protocolVersion === 'string' && isObject(capabilities) && isObject(clientInfo);
  return isWhole ? undefined : 'To initialize takes a "protocolVersion", "capabilities" and "clientInfo".';
}

const tooLong = (bytes: number) =>
  `A message of ${bytes} bytes is longer than the ${MAX_FRAME} that are read.`;

function refused(id: FrameRefusal['id'], code: number, message: string): FrameRefusal {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Why a value is no message of JSON-RPC; undefined where it is one. */
function problemOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return 'Several messages in one frame are not taken. Send one on each line.';
  if (!isObject(value)) return 'A message is an object.';
  const { jsonrpc, id, method, params, result, error } = value;
  if (jsonrpc !== '2.0') return 'A message says "jsonrpc": "2.0".';
  if ('id' in value && !isId(id) && !(id === null && error !== undefined))
    return 'The "id" of a message is a text or a whole number.';
  if (method === undefined)
    return id !== undefined && (isObject(result) || isObject(error))
      ? undefined
      : 'A message has a "method", or an "id" with a "result" or an "error".';
  if (typeof method !== 'string' || method === '') return 'The "method" of a message is a text.';
  if (result !== undefined || error !== undefined)
    return 'A message has a "method", or a "result" or an "error", and not both.';
  return params === undefined || isObject(params) ? undefined : 'The "params" of a message are an object.';
}

function idOf(value: unknown): FrameRefusal['id'] {
  const id = isObject(value) ? value.id : undefined;
  return isId(id) ? id : null;
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id));
}
