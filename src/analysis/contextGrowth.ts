import type { CallNode } from './callTree.js';
import type { Reading } from './transcriptReader.js';
import { tokensOf } from './tokens.js';

/** The most lines, and points of one, that are sent. */
const LINES = 24;
const POINTS = 200;

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
  readonly points: Point[];
}

/** The size of each call's context, request by request, as reported with its answers. */
export class ContextGrowth {
  readonly #lines = new Map<CallNode, Point[]>();
  #estimated = false;

  add({ record, message, call, position }: Reading): void {
    const tokens = message && tokensOf(record?.usage);
    if (!tokens) return;
    const points = this.#lines.get(call) ?? [];
    this.#lines.set(call, points);
    points.push({ position, request: points.length + 1, tokens: tokens.input });
    this.#estimated ||= tokens.estimated;
  }

  /** The calls with the largest contexts, each thinned to what a chart can show. */
  lines(): { readonly contextGrowth: readonly GrowthLine[]; readonly contextEstimated: boolean } {
    const last = (points: readonly Point[]): number => points.at(-1)?.tokens ?? 0;
    const largest = [...this.#lines]
      .filter(([, points]) => points.length > 1)
      .sort(([, a], [, b]) => last(b) - last(a))
      .slice(0, LINES);
    const contextGrowth = largest.map(([{ agent, depth }, points]) => {
      const step = Math.max(1, Math.ceil(points.length / POINTS));
      const kept = points.filter((_, at) => at % step === 0 || at === points.length - 1);
      return { agent, depth, points: kept };
    });
    return { contextGrowth, contextEstimated: this.#estimated };
  }
}
