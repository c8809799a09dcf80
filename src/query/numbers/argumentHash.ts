import { MAX_READ_ARGUMENTS, rawArgumentsOf } from './toolCalls.js';

/** FNV-1a, 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/ */
const START = 0x811c9dc5;
const PRIME = 0x01000193;

const QUOTED = 0x80;
const BACKSLASH = 0x5c;

/**
 * A number from 1 made of the arguments of a tool call, letter by letter: the same for the same arguments, and another one
 * for others, but for one case in four thousand million. 0 where they are too long to be compared.
 */
export function argumentHash(input: unknown): number {
  const text = rawArgumentsOf(input);
  return text.length > MAX_READ_ARGUMENTS ? 0 : textHash(text);
}

/** A number from 1 made of a text in the same way. */
export function textHash(text: string): number {
  let hash = START;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  return finished(hash);
}

/**
 * The same of arguments that stand in a JSON string in which nothing but quotes and backslashes is escaped, from the bytes
 * between its quotes; they are not too long. `decoded`: these bytes as a text.
 */
export function argumentHashIn(bytes: Uint8Array, from: number, to: number, decoded: () => string): number {
  let hash = START;
  for (let at = from; at < to; at++) {
    let code = bytes[at] ?? 0;
    if (code >= QUOTED) return hashOfEscaped(decoded());
    if (code === BACKSLASH) code = bytes[++at] ?? 0;
    hash = Math.imul(hash ^ code, PRIME);
  }
  return finished(hash);
}

function hashOfEscaped(text: string): number {
  let hash = START;
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) === BACKSLASH) at++;
    hash = Math.imul(hash ^ text.charCodeAt(at), PRIME);
  }
  return finished(hash);
}

function finished(hash: number): number {
  return hash >>> 0 || 1;
}
