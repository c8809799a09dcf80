import { HUES } from '../../protocol/row.js';

/** Gives each agent its colour: the next free one at first, then always the same. */
export class AgentHues {
  readonly #hues = new Map<string, number>();

  of(agent: string): number {
    let hue = this.#hues.get(agent);
    if (hue === undefined) this.#hues.set(agent, (hue = this.#hues.size % HUES));
    return hue;
  }

  /** All agents so far, in the order of their first appearance. */
  list(): { name: string; hue: number }[] {
    return [...this.#hues].map(([name, hue]) => ({ name, hue }));
  }

  get size(): number {
    return this.#hues.size;
  }
}
