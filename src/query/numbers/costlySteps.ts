import type { RequestCost } from '../../core/cost.js';
import type { Reading } from './transcriptReader.js';
import type { Facts } from './facts.js';
import { clipName } from './values.js';

const TOP = 20;

/** One of the steps that took longest or used most tokens. */
export interface CostlyStep {
  readonly position: number;
  readonly agent: string;
  readonly label: string;
  readonly kind: 'model' | 'tool' | 'dispatch';
  /** In milliseconds. */
  readonly durationMs?: number;
  readonly tokens?: number;
  /** What the request cost. */
  readonly cost?: RequestCost;
}

/** Keeps the `limit` entries with the largest weights; of equals, the earliest. */
class TopSteps<T> {
  readonly #kept: { readonly weight: number; readonly value: T }[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Offers an entry; `make` is called only if it is kept. */
  offer(weight: number, make: () => T): void {
    const last = this.#kept.at(-1);
    if (this.#kept.length >= this.#limit && last && last.weight >= weight) return;
    const at = this.#kept.findIndex((each) => each.weight < weight);
    this.#kept.splice(at < 0 ? this.#kept.length : at, 0, { weight, value: make() });
    if (this.#kept.length > this.#limit) this.#kept.pop();
  }

  list(): T[] {
    return this.#kept.map(({ value }) => value);
  }
}

/** The steps that took longest, and the requests with the most tokens. */
export class CostlySteps {
  readonly #slowest = new TopSteps<CostlyStep>(TOP);
  readonly #dearest = new TopSteps<CostlyStep>(TOP);

  /** Adds a reading; `cost` is what its request cost. */
  add(reading: Reading, cost: RequestCost | undefined): void {
    const { facts, call } = reading;
    if (!facts.isRecord) return;
    const { role, type, durationMs } = facts;
    if (role !== undefined) this.#addMessage(reading, cost);
    else if (type === 'request') this.#offerTime(reading, durationMs, 'model', () => modelOf(facts));
    else if (type === 'callEnd' && call.parent)
      this.#offerTime(reading, durationMs, 'dispatch', () => clipName(call.agent));
  }

  lists(): { readonly slowest: CostlyStep[]; readonly mostExpensive: CostlyStep[] } {
    return { slowest: this.#slowest.list(), mostExpensive: this.#dearest.list() };
  }

  #addMessage(reading: Reading, cost: RequestCost | undefined): void {
    const { facts, result } = reading;
    if (result && result.kind !== 'orphan' && result.made?.isDispatch !== true)
      this.#offerTime(reading, result.tookMs, 'tool', () => clipName(result.tool));
    if (!facts.tokens) return;
    const tokens = facts.tokens.input + facts.tokens.output;
    this.#dearest.offer(tokens, () => ({
      ...placeOf(reading),
      label: modelOf(facts),
      kind: 'model',
      tokens,
      ...(cost && { cost }),
    }));
  }

  #offerTime(
    reading: Reading,
    durationMs: number | undefined,
    kind: CostlyStep['kind'],
    label: () => string,
  ): void {
    if (durationMs === undefined || durationMs === 0) return;
    this.#slowest.offer(durationMs, () => ({ ...placeOf(reading), label: label(), kind, durationMs }));
  }
}

function modelOf({ model }: Facts): string {
  return clipName(model) || 'model';
}

function placeOf({ position, facts }: Reading) {
  return { position, agent: facts.place.agent ?? '' };
}
