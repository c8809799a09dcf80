import { isObject } from '../core/message.js';
import { firstCodePoints } from '../core/text.js';
import { FACTS, IMPORTED } from './reading/importResult.js';

/** How many details are shown, and how long each part of one may be, in code points; a log may contain any number. */
const MAX_DETAILS = 40;
const MAX_DETAIL = 200;

/** A fact about a whole conversation, such as a score. */
export interface SourceDetail {
  readonly name: string;
  readonly value: string;
}

/** What the source of an imported conversation tells of the whole, which its first record keeps; none for any other. */
export function sourceDetails(record: unknown): SourceDetail[] {
  if (!isObject(record) || record.type !== IMPORTED || record.kind !== FACTS) return [];
  if (!isObject(record.value) || Array.isArray(record.value)) return [];
  const facts = Object.entries(record.value).flatMap(([name, value]) =>
    typeof value === 'string' && value !== ''
      ? [{ name: clipped(name), value: clipped(rounded(value)) }]
      : [],
  );
  const left = facts.length - MAX_DETAILS;
  return left > 0
    ? [...facts.slice(0, MAX_DETAILS), { name: 'More', value: `${left} in the first record` }]
    : facts;
}

/** A number with more digits than anybody reads, with four behind its point; the record has all of them. */
function rounded(value: string): string {
  return /^-?\d{1,9}\.\d{5,}$/.test(value) ? String(Number(Number(value).toFixed(4))) : value;
}

function clipped(text: string): string {
  const start = firstCodePoints(text, MAX_DETAIL);
  return start === text ? text : `${start}…`;
}
