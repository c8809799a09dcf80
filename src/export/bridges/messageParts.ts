import { isObject } from '../../core/message.js';
import { answeredIdOf, idOf } from '../../query/numbers/transcriptItem.js';
import { pictureAddressIn, pictureAsPart, pictureIn, type Picture } from '../../core/picture.js';
import type { Path, TakenRecord } from './takenRecord.js';

/** A part of a content that formats know; a picture is inside the record, or elsewhere on the web. */
export type KnownPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'picture'; readonly picture: Picture }
  | { readonly kind: 'linkedPicture'; readonly url: string };

/** The parts of a message's content that formats know, with what of the record each is; a content that is a text is one. */
export function* knownParts(record: TakenRecord): Generator<readonly [KnownPart, Path], void, undefined> {
  const at: Path = ['message', 'content'];
  const content = record.get(at);
  if (typeof content === 'string' && content !== '') yield [{ kind: 'text', text: content }, at];
  if (!Array.isArray(content)) return;
  for (const [index, part] of (content as unknown[]).entries()) {
    const known = knownPart(part);
    if (known) yield [known, [...at, index, ...fieldOf(known, part)]];
  }
}

/** The address of a picture; of one inside, all of it. */
export function addressOf(part: Exclude<KnownPart, { readonly kind: 'text' }>): string {
  return part.kind === 'linkedPicture' ? part.url : pictureAsPart(part.picture).image_url.url;
}

function knownPart(part: unknown): KnownPart | undefined {
  if (!isObject(part)) return undefined;
  if (part.type === 'text')
    return typeof part.text === 'string' ? { kind: 'text', text: part.text } : undefined;
  const picture = pictureIn(part);
  if (picture) return { kind: 'picture', picture };
  const url = pictureAddressIn(part);
  return url === undefined ? undefined : { kind: 'linkedPicture', url };
}

/** Which field of a part says what is known of it. */
function fieldOf({ kind }: KnownPart, part: unknown): Path {
  if (kind === 'text') return ['text'];
  return isObject(part) && isObject(part.image_url) ? ['image_url', 'url'] : ['image_url'];
}

/** The id of the call that a result answers, taken; '' where it says of none. */
export function takeAnsweredId(record: TakenRecord): string {
  const message = record.get(['message']);
  if (!isObject(message)) return '';
  const id = answeredIdOf(message);
  if (id === '') return '';
  const isListed = idOf(message.tool_call_id) === '';
  record.take(isListed ? ['message', 'tool_call_ids', 0] : ['message', 'tool_call_id']);
  return id;
}

/** A tool call of a message; `input` is undefined where its arguments are no object. */
export interface TakenCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** Where it stands in the record. */
  readonly at: Path;
}

/**
 * The tool calls of a message, taken, as far as `isFree` lets them: what has no name, or the id of another that may still be
 * answered, is none that other tools could read. Arguments that say something else once they are read and
 * written again (a key twice, a number of too many digits) do not count as taken, nor do those that are no object.
 */
export function takeCalls(record: TakenRecord, isFree: (id: string) => boolean = () => true): TakenCall[] {
  const calls = record.get(['message', 'tool_calls']);
  if (!Array.isArray(calls)) return [];
  const taken = new Map<string, TakenCall>();
  for (const index of calls.keys()) {
    const at: Path = ['message', 'tool_calls', index];
    const id = idOf(record.get([...at, 'id']));
    const call = taken.has(id) || !isFree(id) ? undefined : takeCall(record, id, at);
    if (call) taken.set(id, call);
  }
  return [...taken.values()];
}

function takeCall(record: TakenRecord, id: string, at: Path): TakenCall | undefined {
  const name = record.get([...at, 'function', 'name']);
  if (typeof name !== 'string' || name === '') return undefined;
  record.take([...at, 'id']);
  record.take([...at, 'function', 'name']);
  const written = record.get([...at, 'function', 'arguments']);
  const input = objectIn(written);
  if (input && plainJson(JSON.stringify(input)) === plainJson(String(written)))
    record.take([...at, 'function', 'arguments']);
  return { id, name, input, at };
}

function objectIn(json: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof json !== 'string') return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    // Models do write arguments that are not JSON.
    return undefined;
  }
}

/** A JSON text without the space between its tokens, its strings in one spelling. */
function plainJson(json: string): string {
  return json.replace(/\s+|"(?:[^"\\]|\\.)*"/g, (token) =>
    token.startsWith('"') ? JSON.stringify(JSON.parse(token)) : '',
  );
}
