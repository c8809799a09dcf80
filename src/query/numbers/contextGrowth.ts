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

/**
 * The requests of one call, as far apart from each other as a chart needs them; the last one always. In plain numbers, two
 * for each, because there are as many of these as there are calls.
 */
class ThinnedPoints {
  #points: number[];
  /** Every how many requests one is kept; doubled whenever there are too many. */
  #step = 1;
  #requests = 1;
  #lastPosition: number;
  #lastTokens: number;

  /** Begins with the first request. */
  constructor(position: number, tokens: number) {
    this.#points = [position, tokens];
    this.#lastPosition = position;
    this.#lastTokens = tokens;
  }

  add(position: number, tokens: number): void {
    const at = this.#requests++;
    this.#lastPosition = position;
    this.#lastTokens = tokens;
    if (at % this.#step !== 0) return;
    this.#points.push(position, tokens);
    if (this.#points.length <= 2 * MAX_POINTS) return;
    this.#points = this.#points.filter((_, index) => index % 4 < 2);
    this.#step *= 2;
  }

  get length(): number {
    return this.#requests;
  }

  /** The tokens of the last request. */
  get lastTokens(): number {
    return this.#lastTokens;
  }

  list(): Point[] {
    const points: Point[] = [];
    for (let at = 0; at < this.#points.length; at += 2) {
      const [position = 0, tokens = 0] = this.#points.slice(at, at + 2);
      points.push({ position, request: (at / 2) * this.#step + 1, tokens });
    }
    const last = { position: this.#lastPosition, request: this.#requests, tokens: this.#lastTokens };
    return points.at(-1)?.request === last.request ? points : [...points, last];
  }
}

/** The size of each call's context, request by request, as reported with its answers. */
export class ContextGrowth {
  readonly #lines = new Map<CallNode, ThinnedPoints>();
  #estimated = false;

  add({ facts: { role, tokens }, call, position }: Reading): void {
    // A source that counts what models wrote and not what they read says nothing of a context.
    if (role === undefined || !tokens || tokens.input === 0) return;
    const points = this.#lines.get(call);
    if (points) points.add(position, tokens.input);
    else this.#lines.set(call, new ThinnedPoints(position, tokens.input));
    this.#estimated ||= tokens.estimated;
  }

  /** The calls with the largest contexts, each thinned to what a chart can show. */
  lines(): { readonly contextGrowth: readonly GrowthLine[]; readonly contextEstimated: boolean } {
    const contextGrowth = [...this.#lines]
      .filter(([, points]) => points.length > 1)
      .sort(([, a], [, b]) => b.lastTokens - a.lastTokens)
      .slice(0, MAX_LINES)
      .map(([{ agent, depth }, points]) => ({ agent, depth, points: points.list() }));
    return { contextGrowth, contextEstimated: this.#estimated };
  }
}
