import { isObject } from '../../core/message.js';
import type { Fields } from '../reading/fields.js';
import type { StandingTexts } from './standingTexts.js';

/** Shorter texts are kept where they were: they cost little, and most are ids and kinds. */
export const MIN_MOVED = 24;

/** The `type` of parts whose kind is clear from where their text now stands. */
const PLAIN_KINDS = new Set(['text', 'image', 'thinking', 'tool_use', 'tool_result', 'message', 'function']);

/**
 * What is left of another tool's value once the texts that stand elsewhere are taken out: everything that a reader did
 * not turn into a message, in its place. Undefined where nothing is left.
 */
export function restOf(value: unknown, standing: Pick<StandingTexts, 'hasText'>): unknown {
  if (typeof value === 'string')
    return value.length >= MIN_MOVED && standing.hasText(value) ? undefined : value;
  if (Array.isArray(value)) return restOfList(value, standing);
  return isObject(value) ? restOfObject(value, standing) : value;
}

/** A list without some of its lines is another list: where anything of it is left, its plain values all are. */
function restOfList(
  list: readonly unknown[],
  standing: Pick<StandingTexts, 'hasText'>,
): readonly unknown[] | undefined {
  const rests = list.map((each) => restOf(each, standing));
  if (list.length > 0 && rests.every((each) => each === undefined)) return undefined;
  return list.flatMap((each, at) => {
    const rest = rests[at] ?? (isPlain(each) ? each : undefined);
    return rest === undefined ? [] : [rest];
  });
}

/** Whether a value holds no object, at any depth, which would leave a trace of what is taken out of it. */
function isPlain(value: unknown): boolean {
  return Array.isArray(value) ? value.every((each) => isPlain(each)) : !isObject(value);
}

function restOfObject(value: Fields, standing: Pick<StandingTexts, 'hasText'>): Fields | undefined {
  // Filled key by key: this is done with every value of a large file.
  const rest: Record<string, unknown> = {};
  let [count, only] = [0, ''];
  let isSmaller = false;
  for (const key in value) {
    const left = restOf(value[key], standing);
    if (left === undefined) {
      isSmaller = true;
      continue;
    }
    count++;
    only = key;
    // An assignment to this key would change the prototype.
    if (key === '__proto__')
      Object.defineProperty(rest, key, { value: left, enumerable: true, configurable: true, writable: true });
    else rest[key] = left;
  }
  if (count === 0) return isSmaller ? undefined : {};
  const isKindOnly = count === 1 && only === 'type' && PLAIN_KINDS.has(String(rest.type));
  return isSmaller && isKindOnly ? undefined : rest;
}

/** The texts, numbers and truths directly in a rest, for the further records made of one value. */
export function scalarsOf(rest: unknown): unknown {
  if (!isObject(rest)) return undefined;
  return Object.fromEntries(Object.entries(rest).filter(([, each]) => typeof each !== 'object'));
}
