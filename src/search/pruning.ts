import { couldMatch } from '../query/language/recordsOf.js';
import { fieldOf } from '../query/language/fields.js';
import { hasOthers, type QueryPlan } from '../query/language/plan.js';
import type { SessionFacts } from '../query/language/sessionFacts.js';
import { holdsForAny } from '../query/language/byShape.js';
import type { Part, Sequence, Term } from '../query/language/syntax.js';
import { contentSearchFor, type ContentSearch } from './stored/contentSearch.js';
import { linesWithAny, rawTextsOf, type RawText } from './bytes/rawText.js';
import { mayHaveGrams, type GramBlock } from './stored/columns/gramFilter.js';
import type { LineFilter } from './bytes/rawText.js';
import type { Session } from './sessions/session.js';

/** Whether a term may hold for anything in a session, by its shapes; true where they do not tell. */
export function mayHold(
  term: Term,
  { terms, needsFactGuard }: QueryPlan,
  { info, recordKinds }: SessionFacts,
): boolean {
  const compiled = terms.get(term);
  // What may take long is left to whoever limits its time.
  if (needsFactGuard && compiled?.on !== 'texts') return true;
  if (compiled?.on === 'session') return compiled.test(info);
  if (!recordKinds || !compiled) return true;
  switch (compiled.on) {
    case 'measure':
      return true;
    case 'facts': {
      const { mayHold: inTime, isOfUnit, needsNotes } = compiled;
      if (needsNotes === true && (info.notes ?? []).length === 0) return false;
      if (inTime) return recordKinds.span !== undefined && inTime(recordKinds.span.from, recordKinds.span.to);
      if (isOfUnit === true) return true;
      return holdsForAny(compiled, recordKinds, fieldOf(term).ofToolCalls);
    }
    case 'arguments':
      return recordKinds.hasArguments.includes(true);
    case 'texts':
      return compiled.grams.some((some) => some.length === 0 || recordKinds.mayHave(some));
  }
}

/** Whether a session may have the texts that a question asks for, by what is kept of all of them. */
export function mayHaveTexts({ query, terms }: QueryPlan, blocks: readonly GramBlock[]): boolean {
  return couldMatch(query, (term) => {
    const compiled = terms.get(term);
    if (compiled?.on !== 'texts') return true;
    return compiled.grams.some((some) => some.length === 0 || mayHaveGrams(blocks, some));
  });
}

/** Whether a session may be of a source that a question asks for, as far as that is told without reading anything of it. */
export function mayBeOfSource({ query, terms }: QueryPlan, { sources }: Pick<Session, 'sources'>): boolean {
  const isOf = (source: string) => (term: Term) => {
    const compiled = term.field === 'source' ? terms.get(term) : undefined;
    return compiled?.on !== 'session' || compiled.test({ session: '', title: '', source });
  };
  return !sources || sources.some((source) => couldMatch(query, isOf(source)));
}

/** More lists of texts than this are not looked for, each by itself, in the bytes of a session. */
const MAX_NEEDED = 3;

/**
 * Texts that stand in the bytes of every session in which anything matches: one of each list. Of many lists only those
 * whose texts are long are given, because these are rare.
 */
export function neededTexts(sequence: Sequence): readonly (readonly RawText[])[] {
  const shortest = (texts: readonly RawText[]) =>
    texts.reduce((least, { text }) => Math.min(least, text.length), Infinity);
  const lists = new Map(allNeededTexts(sequence).map((texts) => [JSON.stringify(texts), texts]));
  return [...lists.values()].sort((a, b) => shortest(b) - shortest(a)).slice(0, MAX_NEEDED);
}

function allNeededTexts(sequence: Sequence): readonly (readonly RawText[])[] {
  const sides = sequence.kind === 'order' ? [sequence.left, sequence.right] : [sequence];
  return sides.flatMap(({ of }) => of.flatMap(neededBy));
}

/**
 * The lines that have to be parsed to answer a question: where none of the texts stands that it asks for, nothing that it
 * asks of texts holds, so that such a line may be taken for an empty one. Undefined where that cannot be told from bytes.
 */
export function linesFor({ query, terms }: QueryPlan): LineFilter | undefined {
  if (sidesOf(query).some((side) => asksForFiles(side))) return undefined;
  const texts: RawText[] = [];
  for (const [term, { on }] of terms) {
    if (on === 'arguments') return undefined;
    if (on !== 'texts') continue;
    const raw = rawTextsOf(term);
    if (!raw) return undefined;
    for (const text of raw) texts.push(text);
  }
  return texts.length === 0 || texts.length > MAX_TEXTS ? undefined : linesWithAny(texts);
}

/**
 * Proves by the bytes of records that the only text holds which a question asks for; undefined where it asks for more of
 * texts, or of other rows: the texts of a tool call stand in two records.
 */
export function proofFor({ query, rows, terms }: QueryPlan): ContentSearch | undefined {
  if ((rows !== 'messages' && rows !== 'records') || hasOthers(query)) return undefined;
  const [asked, ...others] = [...terms].filter(([, { on }]) => on === 'texts');
  if (!asked || others.length > 0) return undefined;
  const [{ field, values }] = asked;
  const [value, ...more] = values;
  if (value?.kind !== 'text' || more.length > 0 || (field !== 'text' && field !== 'content'))
    return undefined;
  return contentSearchFor({ text: value.text, matchCase: value.exact });
}

/** More texts than this are not looked for at once. */
const MAX_TEXTS = 50;

/** All sequences of a question, those in brackets too. */
function sidesOf(sequence: Sequence): readonly Sequence[] {
  const own = sequence.kind === 'order' ? [...sequence.left.of, ...sequence.right.of] : sequence.of;
  const inner = own.map((part) => (part.kind === 'not' ? part.of : part));
  return [sequence, ...inner.flatMap((part) => (part.kind === 'term' ? [] : part.of.flatMap(sidesOf)))];
}

function asksForFiles(sequence: Sequence): boolean {
  return sequence.kind === 'order' && sequence.same.includes('path');
}

function neededBy(part: Part): readonly (readonly RawText[])[] {
  if (part.kind === 'term') return listOf(rawTextsOf(part));
  if (part.kind === 'not') return [];
  const [only, ...others] = part.of;
  return only && others.length === 0 ? allNeededTexts(only) : [];
}

function listOf<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
