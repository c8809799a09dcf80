import { createHash } from 'node:crypto';
import type { Redactor } from '../secrets/redact.js';

/** Where a secret stands. */
export interface FindingLocation {
  /** Which of those that were looked through, from 0. */
  readonly position: number;
  /** The number of the record; its position where it has none. */
  readonly seq: number;
  /** The field, such as `message.content` or `message.tool_calls.0.function.arguments`. */
  readonly field: string;
  /** What stands on the same line before it and behind it, cut. */
  readonly before: string;
  readonly after: string;
}

/** A value that would not be shared, and where it stands. */
export interface Finding {
  /** What placeholders call its kind. */
  readonly kind: string;
  /** What a person calls its kind. */
  readonly name: string;
  readonly value: string;
  /** What is written in its place. */
  readonly placeholder: string;
  /** How often it was found. */
  readonly count: number;
  /** The first places. */
  readonly places: readonly FindingLocation[];
  /** Whether it was decided that it stays. */
  readonly isLeftIn: boolean;
  /** Whether a policy decides that, and not only the default. */
  readonly isDecided: boolean;
}

/** When a person is asked before anything is written: where something was found that no policy decides, or always. */
export type Asks = 'never' | 'whenFound' | 'always';

/** Whether a person is to decide about what was found. */
export function isAsked(asks: Asks, findings: readonly Finding[]): boolean {
  if (asks === 'never') return false;
  return asks === 'always' || findings.some(({ isDecided }) => !isDecided);
}

/**
 * The same value as it was found in two transcripts that leave together: as the one says that leaves it out, and decided only where
 * both are.
 */
export function foundTogether(one: Finding, other: Finding): Finding {
  const stricter = one.isLeftIn && !other.isLeftIn ? other : one;
  return {
    ...stricter,
    isDecided: one.isDecided && other.isDecided,
    count: one.count + other.count,
  };
}

/** A value of which a person recognises the ends, and nobody learns it: for logs, messages and tests. */
export function masked(value: string): string {
  return value.length < 12 ? '•'.repeat(value.length) : `${value.slice(0, 2)}…${value.slice(-2)}`;
}

/**
 * The id by which something is told apart: itself, or where something in it is left out, one that is made of it: the same each
 * time and another for every id, which placeholders are not.
 */
export function cleanId(id: string, redactor: Redactor | undefined): string {
  return redactor === undefined || redactor.text(id) === id ? id : derivedUuid(id);
}

/** A UUID that is made of a name, the same one each time (RFC 9562, version 8). */
export function derivedUuid(name: string): string {
  const hash = createHash('sha256').update(name).digest('hex');
  const variant = ((parseInt(hash.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    variant + hash.slice(17, 20),
    hash.slice(20, 32),
  ].join('-');
}
