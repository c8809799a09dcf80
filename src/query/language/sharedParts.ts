import type { All, Part } from './syntax.js';

/** Parts that a unit must meet at once, as one sequence: the same for every session, whose shapes it is asked of once. */
export function together(parts: readonly Part[]): readonly All[] {
  return sequencesOf(sharedParts, parts, () => [allOf(parts)]);
}

/** What is denied, each as a sequence of its own. */
export function eachDenied(parts: readonly Part[]): readonly All[] {
  return sequencesOf(deniedParts, parts, () =>
    parts.flatMap((part) => (part.kind === 'not' ? allOf([part.of]) : [])),
  );
}

type Sequences = WeakMap<Part, readonly All[]>;
/** By the first of the parts, which says what the others are: those side by side with it that ask for the same unit. */
const sharedParts: Sequences = new WeakMap();
const deniedParts: Sequences = new WeakMap();

function sequencesOf(known: Sequences, parts: readonly Part[], make: () => readonly All[]): readonly All[] {
  const [first] = parts;
  const made = (first && known.get(first)) ?? make();
  if (first) known.set(first, made);
  return made;
}

function allOf(parts: readonly Part[]): All {
  return { kind: 'all', of: parts, range: { start: 0, end: 0 } };
}
