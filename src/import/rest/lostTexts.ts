import { isObject } from '../../core/message.js';
import { cutEvent, cutValue, isEventStream, serverEvents } from '../reading/serverEvents.js';
import { ollamaLines } from '../reading/streamedObjects.js';
import { jsonIn, type StandingTexts } from './standingTexts.js';

/** The shortest text that must stand in a record; shorter ones are mostly kinds and roles, which records have of their own. */
export const MIN_TEXT = 8;

/** The smallest number that must; smaller ones are mostly counts and versions. */
export const MIN_NUMBER = 10_000;

/** The keys under which formats write what kind of thing an object is. */
const KIND_KEYS = new Set(['type', 'kind', 'role', 'object', 'say', 'ask', 'event', 'subtype']);

/** A text or a number of a file that stands in no record. */
export interface LostText {
  /** Where it stands in the file: keys and indices, after the line number where the file has lines. */
  readonly path: string;
  readonly value: string | number;
  /** Whether it is too short to be sought within others: what no reader keeps of a part of a value. */
  readonly isPart?: boolean;
}

/** The texts and numbers of a value that stand nowhere in the records, in the value's order. */
export function* lostTexts(value: unknown, path: string, standing: StandingTexts): Generator<LostText> {
  if (standsWhole(value, standing)) return;
  yield* lostWords(value, path, standing);
  yield* lostParts(value, path, standing);
}

/**
 * Whether all of a value stands in the records as it is, so that nothing of it is lost: true of most values, and found without a
 * path for each of their texts. `isLost`: whether no reader has kept what it is a part of.
 */
function standsWhole(value: unknown, standing: StandingTexts, isLost = false): boolean {
  if (typeof value === 'string') return value.trim().length < MIN_TEXT || standing.hasWhole(value);
  if (typeof value === 'number') return Math.abs(value) < MIN_NUMBER || standing.hasWholeNumber(value);
  if (Array.isArray(value)) return value.every((each) => standsWhole(each, standing, isLost));
  if (!isObject(value)) return true;
  const isPair = 'value' in value;
  for (const [key, each] of Object.entries(value)) {
    if (isKind(key, each) || (isPair && key === 'key')) continue;
    const isKept = !isLost && standing.hasKey(key);
    const isPartLost = isLost || (!isKept && isSmall(each));
    if (!standsWhole(each, standing, isPartLost)) return false;
    if (typeof each === 'string' && !isKept && isShort(each) && !standing.hasWord(each.trim())) return false;
  }
  return true;
}

function* lostWords(value: unknown, path: string, standing: StandingTexts): Generator<LostText> {
  for (const each of soughtTexts(value, path)) {
    if (stands(each, standing)) continue;
    const inside = textInside(each);
    if (inside) yield* lostWords(inside.value, inside.path, standing);
    else yield each;
  }
}

/** The texts and numbers of a value that must stand in records, in the value's order. */
export function* soughtTexts(value: unknown, path: string): Generator<LostText> {
  if (typeof value === 'string') {
    if (value.trim().length >= MIN_TEXT) yield { path, value };
  } else if (typeof value === 'number') {
    if (Math.abs(value) >= MIN_NUMBER) yield { path, value };
  } else if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) yield* soughtTexts(each, `${path}[${index}]`);
  } else if (isObject(value)) {
    const isPair = 'value' in value;
    const named = isPair && typeof value.key === 'string' ? value.key : undefined;
    for (const [key, each] of Object.entries(value)) {
      // The name of an attribute in a list of pairs is a key, like those of objects, which need not stand anywhere either.
      if (isKind(key, each) || (isPair && key === 'key')) continue;
      const name = key === 'value' ? (named ?? key) : key;
      yield* soughtTexts(each, path === '' ? name : `${path}.${name}`);
    }
  }
}

/** Whether a text or a number stands in records as it is. */
export function stands({ value }: LostText, standing: StandingTexts): boolean {
  if (typeof value === 'number') return standing.hasNumber(value);
  if (standing.hasText(value)) return true;
  const name = referredIn(value);
  return name !== value && standing.hasText(name);
}

/** What a text says in another form, like JSON or a recorded stream, whose texts may stand in its place. */
export function textInside({ value, path }: LostText): { value: unknown; path: string } | undefined {
  if (typeof value === 'number') return undefined;
  const inside = jsonIn(value) ?? quotedIn(value) ?? eventsIn(value) ?? beginningIn(value);
  return inside === undefined ? undefined : { value: inside, path: `${path}→` };
}

/** Whether a value only says what kind of thing its object is: what record was made of it says the same. */
function isKind(key: string, value: unknown): boolean {
  return KIND_KEYS.has(key) && typeof value === 'string' && /^[\w./-]{1,40}$/.test(value);
}

/** The text that a reference names, which tells what stands elsewhere under this name; any other text is itself. */
export function referredIn(text: string): string {
  return text.replace(/^attachment:\/\//, '');
}

/** The events of a recorded stream, and those of its lines of data that are no JSON; the marks between them say nothing. */
function eventsIn(text: string): readonly unknown[] | undefined {
  const pieces = ollamaLines(text);
  if (pieces.length > 0) return pieces;
  if (!isEventStream(text)) return undefined;
  const data = text.split(/\r\n|\r|\n/).filter((line) => line.startsWith('data:'));
  const broken = data
    .map((line) => line.slice('data:'.length).trim())
    .filter((line) => jsonIn(line) === undefined);
  const cut = cutEvent(text);
  if (cut) broken.splice(-1, 1, cut.rest);
  return [...serverEvents(text), ...broken];
}

/** The value that a JSON text is the beginning of, where that says something, and what stands behind its last whole thing. */
function beginningIn(text: string): readonly unknown[] | undefined {
  const cut = /^\s*[[{]/.test(text) ? cutValue(text) : undefined;
  const says = cut && soughtTexts(cut.value, '').next().done !== true;
  return says ? [cut.value, cut.rest] : undefined;
}

/** The text that a JSON text in quotes stands for. */
function quotedIn(text: string): string | undefined {
  if (!/^\s*"[^]*"\s*$/.test(text)) return undefined;
  try {
    return JSON.parse(text) as string;
  } catch {
    // Words in quotes are not always JSON.
    return undefined;
  }
}

/** How long a part of a value may be that is kept whole where no reader keeps anything of it, in characters of JSON. */
const MAX_PART = 2_000;

/**
 * The texts of a value that are too short to be sought one by one, where neither they nor the keys that they stand under stand in
 * a record: no reader has kept these parts of it.
 */
function* lostParts(
  value: unknown,
  path: string,
  standing: StandingTexts,
  isLost = false,
): Generator<LostText> {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries())
      yield* lostParts(each, `${path}[${index}]`, standing, isLost);
    return;
  }
  if (!isObject(value)) return;
  for (const [key, each] of Object.entries(value)) {
    if (isKind(key, each) || (key === 'key' && 'value' in value)) continue;
    const place = path === '' ? key : `${path}.${key}`;
    const isKept = !isLost && standing.hasKey(key);
    if (typeof each === 'object') {
      yield* lostParts(each, place, standing, isLost || (!isKept && isSmall(each)));
    } else if (typeof each === 'string' && !isKept && isShort(each) && !standing.hasWord(each.trim()))
      yield { path: place, value: each, isPart: true };
  }
}

function isShort(text: string): boolean {
  const { length } = text.trim();
  return length > 0 && length < MIN_TEXT && /[\p{L}\p{N}]/u.test(text);
}

/** Whether a value is a few words about something, and no list of things that records are made of. */
function isSmall(value: unknown): boolean {
  if (!isObject(value) || Object.values(value).some((each) => Array.isArray(each) && each.some(isObject)))
    return false;
  return JSON.stringify(value).length <= MAX_PART;
}
