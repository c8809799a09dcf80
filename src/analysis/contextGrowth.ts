import type { CallNode } from './callTree.js';
import type { Reading } from './transcriptReader.js';

/** The most lines, and points of one, that are sent. */
const MAX_LINES = 24;
const MAX_POINTS = 200;

/** The size of one request's context. */
interface Point {
  readonly position: number;
  /** 1 for the first request of its call. */
  readonly request: number;
  readonly tokens: number;
}

/** How the context of one call grew, thinned to what a chart can show. */
export interface GrowthLine {
  readonly agent: string;
  readonly depth: number;
  readonly points: readonly Point[];
}

/** The requests of one call, as far apart from each other as a chart needs them; the last one always. */
class ThinnedPoints {
  #points: Point[] | undefined;
  /** Every how many requests one is kept; doubled whenever there are too many. */
  #step = 1;
  #requests = 0;
  last: Point | undefined;

  add(position: number, tokens: number): void {
    const at = this.#requests++;
    this.last = { position, request: this.#requests, tokens };
    if (at % this.#step !== 0) return;
    if (!this.#points) {
      this.#points = [this.last];
      return;
    }
    this.#points.push(this.last);
    if (this.#points.length <= MAX_POINTS) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0);
    this.#step *= 2;
  }

  get length(): number {
    return this.#requests;
  }

  list(): Point[] {
    const { last } = this;
    const points = this.#points ?? [];
    return last && points.at(-1) !== last ? [...points, last] : [...points];
  }
}

/** The size of each call's context, request by request, as reported with its answers. */
export class ContextGrowth {
  readonly #lines = new Map<CallNode, ThinnedPoints>();
  #estimated = false;

  add({ facts: { role, tokens }, call, position }: Reading): void {
    // A source that counts what models wrote and not what they read says nothing of a context.
    if (role === undefined || !tokens || tokens.input === 0) return;
    let points = this.#lines.get(call);
    if (!points) this.#lines.set(call, (points = new ThinnedPoints()));
    points.add(position, tokens.input);
    this.#estimated ||= tokens.estimated;
  }

  /** The calls with the largest contexts, each thinned to what a chart can show. */
  lines(): { readonly contextGrowth: readonly GrowthLine[]; readonly contextEstimated: boolean } {
    const last = (points: ThinnedPoints): number => points.last?.tokens ?? 0;
    const contextGrowth = [...this.#lines]
      .filter(([, points]) => points.length > 1)
      .sort(([, a], [, b]) => last(b) - last(a))
      .slice(0, MAX_LINES)
      .map(([{ agent, depth }, points]) => ({ agent, depth, points: points.list() }));
    return { contextGrowth, contextEstimated: this.#estimated };
  }
}
