import type { Part, Sequence, Value } from './syntax.js';

/** A text or a pattern that a question asks to stand in what it finds, so that it can be marked there. */
export interface MarkedText {
  readonly value: Extract<Value, { kind: 'text' | 'pattern' }>;
  readonly wholeWord: boolean;
}

const TEXT_FIELDS: ReadonlySet<string> = new Set(['text', 'word', 'content', 'content.word', 'args']);

/** All texts and patterns that a question asks for anywhere, but for those that must not be there. */
export function markedTexts(query: Sequence): readonly MarkedText[] {
  const marked: MarkedText[] = [];
  const visit = (part: Part): void => {
    if (part.kind === 'not') return;
    if (part.kind !== 'term') part.of.forEach(walk);
    else if (TEXT_FIELDS.has(part.field))
      for (const value of part.values)
        if (value.kind === 'text' || value.kind === 'pattern')
          marked.push({ value, wholeWord: part.field.endsWith('word') });
  };
  const walk = (sequence: Sequence): void => {
    const sides = sequence.kind === 'all' ? [sequence] : [sequence.left, sequence.right];
    for (const side of sides) side.of.forEach(visit);
  };
  walk(query);
  return marked;
}
