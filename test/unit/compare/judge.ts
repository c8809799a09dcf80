import { COSTS } from '../../../src/compare/costTable.js';
import type { Step } from '../../../src/compare/steps.js';

/** A step for tests: `shape` and `input` say what it does, `output` what came. */
export function step(
  shape: string,
  input = '',
  { output = '', end = 'done', group, below = [], kind = 'call' }: Partial<Step> = {},
): Step {
  const own = `${kind} ${shape}\n${input}\n${output}\n${end}`;
  return {
    number: 0,
    kind,
    name: shape,
    agent: 'Cook',
    position: 0,
    resultPosition: undefined,
    about: input,
    use: undefined,
    end,
    said: '',
    inputText: input,
    outputText: output,
    tookMs: undefined,
    group,
    shape: `${kind} ${shape}`,
    input,
    output,
    key: below.length === 0 ? own : `${own}(${below.map(({ key }) => key).join('\n')})`,
    size: below.reduce((sum, { size }) => sum + size, 1),
    below,
  };
}

/** The least that one list of steps costs to become the other: every way is tried, and nothing is remembered but the best. */
export function leastCost(left: readonly Step[], right: readonly Step[]): number {
  const [a, b] = [unitsOf(left), unitsOf(right)];
  const known = new Map<string, number>();
  const best = (i: number, j: number, gap: '' | 'left' | 'right'): number => {
    if (i === a.length && j === b.length) return 0;
    const key = `${i} ${j} ${gap}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const ways: number[] = [];
    const [x, y] = [a[i], b[j]];
    if (x && y) ways.push(unitCost(x, y) + best(i + 1, j + 1, ''));
    if (x) ways.push(sizeOf(x) * COSTS.step + (gap === 'left' ? 0 : COSTS.open) + best(i + 1, j, 'left'));
    if (y) ways.push(sizeOf(y) * COSTS.step + (gap === 'right' ? 0 : COSTS.open) + best(i, j + 1, 'right'));
    const least = Math.min(...ways);
    known.set(key, least);
    return least;
  };
  return best(0, 0, '');
}

const sizeOf = (steps: readonly Step[]) => steps.reduce((sum, { size }) => sum + size, 0);
const isCall = ({ kind }: Step) => kind === 'call' || kind === 'agent';

function unitsOf(steps: readonly Step[]): Step[][] {
  const units: Step[][] = [];
  let last: number | undefined;
  for (const each of steps) {
    if (each.group !== undefined && each.group === last) units.at(-1)?.push(each);
    else units.push([each]);
    last = each.group;
  }
  return units;
}

function unitCost(a: readonly Step[], b: readonly Step[]): number {
  if (isCall(a[0] as Step) !== isCall(b[0] as Step)) return COSTS.never;
  if (a.length === 1 && b.length === 1) return stepCost(a[0] as Step, b[0] as Step);
  const [few, many] = a.length <= b.length ? [a, b] : [b, a];
  const tried = (at: number, taken: readonly number[]): number => {
    if (at === few.length) {
      const rest = many.filter((_, index) => !taken.includes(index));
      return rest.length === 0 ? 0 : COSTS.open + COSTS.step * sizeOf(rest);
    }
    return Math.min(
      ...many.flatMap((other, index) =>
        taken.includes(index) ? [] : [stepCost(few[at] as Step, other) + tried(at + 1, [...taken, index])],
      ),
    );
  };
  return tried(0, []);
}

function stepCost(a: Step, b: Step): number {
  if (a.shape !== b.shape) {
    if (!isCall(a) || !isCall(b)) return COSTS.never;
    return COSTS.tool + COSTS.step * (a.size + b.size - 2);
  }
  const own =
    a.input !== b.input
      ? COSTS.arguments
      : a.end !== b.end
        ? COSTS.end
        : a.output !== b.output
          ? COSTS.text
          : 0;
  return own + leastCost(a.below, b.below);
}
