/** What a part of a message is, as far as its place among the others goes. */
export type PartPlace = 'said' | 'result' | 'answered' | 'step';

/**
 * The parts of one message in the turns in which they were said: each ends with what tools gave, and whatever stands behind
 * that begins the next, so that no word moves before the result that it speaks of. `answered` is a call with its result in
 * it, of which several may be made at once; a `step` only marks where one begins or ends, and says nothing.
 */
export function partTurns<Part>(
  parts: readonly Part[],
  placeOf: (part: Part) => PartPlace,
): readonly (readonly Part[])[] {
  const turns: Part[][] = [];
  let last: PartPlace = 'said';
  let isStepOver = false;
  for (const part of parts) {
    const place = placeOf(part);
    const turn = turns.at(-1);
    const isGiven = place === 'result' || (place === 'answered' && last === 'answered' && !isStepOver);
    const isOver = place !== 'step' && !isGiven && (last === 'result' || last === 'answered');
    if (!turn || isOver) turns.push([part]);
    else turn.push(part);
    isStepOver = place === 'step';
    if (!isStepOver) last = place;
  }
  return turns;
}
