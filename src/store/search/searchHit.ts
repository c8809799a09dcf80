import { escapeRegExp } from '../../core/escapeRegExp.js';
import { isObject } from '../../core/message.js';
import type { FilterCriteria } from '../../query/filterCriteria.js';
import { allTextOf, asksForText, contentTextOf, patternOf } from '../../query/textTest.js';
import type { SearchHit } from './scanQuestion.js';
import type { FoundRecord } from './scanRecords.js';

/** How much is shown before and after a match, and of a match itself, in UTF-16 code units. */
const BEFORE = 40;
const AFTER = 120;
const MAX_MATCH = 200;

/** A hit with the part of a found record's text that matches, or its beginning where the criteria ask for no text. */
export function hitOf({ position, record }: FoundRecord, criteria: FilterCriteria): SearchHit {
  const message: unknown = record.type === 'message' ? record.message : undefined;
  const text = asksForText(criteria) ? allTextOf(record) : (contentTextOf(record) ?? '');
  const { seq, id, time, agent, conversation } = record;
  const role = isObject(message) && typeof message.role === 'string' ? message.role : record.type;
  const match = matchPattern(criteria)?.exec(text);
  const start = match?.index ?? 0;
  return {
    conversation,
    position,
    seq,
    id,
    time,
    agent,
    role,
    ...around(text, start, start + (match?.[0].length ?? 0)),
  };
}

/** What to look for in the text of a hit; where it is not found, the beginning is shown. */
function matchPattern(criteria: FilterCriteria): RegExp | undefined {
  const needle = asksForText(criteria) ? criteria.text : criteria.content;
  if (needle === undefined || needle === '') return undefined;
  const { regex, matchCase = regex ?? false } = criteria;
  const isLiteral = typeof needle === 'string' && !regex;
  const found = patternOf(isLiteral ? escapeRegExp(needle) : needle, { ...criteria, regex: true, matchCase });
  return found && new RegExp(found.source, found.flags.replace('y', ''));
}

function around(text: string, start: number, end: number): Pick<SearchHit, 'snippet' | 'start' | 'end'> {
  const cut = Math.min(end, start + MAX_MATCH);
  const before = flat(text.slice(Math.max(0, start - BEFORE), start));
  const match = flat(text.slice(start, cut));
  const after = flat(text.slice(cut, cut + AFTER));
  return { snippet: before + match + after, start: before.length, end: before.length + match.length };
}

/** The text on one line, without a lone surrogate at either end. */
function flat(text: string): string {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '').replace(/[\s\p{Cc}]+/gu, ' ');
}
