import { asText, objects, type Fields } from '../../reading/fields.js';

/** A tool call as it stands in a round of requests. */
export interface RoundCall {
  readonly call: Fields;
  readonly round: Fields;
}

/**
 * The tool calls of an answer's rounds, matched with what was shown of them: ids and names may differ between the two,
 * and a call need not have been shown.
 */
export class RoundCalls {
  readonly #calls: readonly RoundCall[];
  readonly #shown = new Map<Fields, number>();
  #next = 0;

  constructor(rounds: readonly Fields[]) {
    this.#calls = rounds.flatMap((round) => objects(round.toolCalls).map((call) => ({ call, round })));
  }

  /** Matches what was shown: by id, then by name, then by order where as many are left on both sides. */
  match(invocations: readonly Fields[]): void {
    const free = new Set(this.#calls.keys());
    const waiting = new Set(invocations);
    const take = (isSame: (call: Fields, part: Fields) => boolean) => {
      for (const part of waiting) {
        const found = [...free].find((index) => isSame(this.#calls[index]?.call ?? {}, part));
        if (found === undefined) continue;
        this.#shown.set(part, found);
        free.delete(found);
        waiting.delete(part);
      }
    };
    take(({ id }, { toolCallId }) => id === toolCallId);
    take(({ name }, { toolId }) => plain(name) === plain(toolId));
    if (free.size === waiting.size) take(() => true);
  }

  /** The call that was shown as this part; undefined where no round has it. */
  of(part: Fields): RoundCall | undefined {
    return this.#calls[this.#shown.get(part) ?? -1];
  }

  /** The calls before the one that was shown as this part, that were not shown themselves; each is given once. */
  before(part: Fields): readonly RoundCall[] {
    const end = this.#shown.get(part);
    return end === undefined ? [] : this.#unshown(end);
  }

  /** The calls that were not shown and have not been given yet. */
  rest(): readonly RoundCall[] {
    return this.#unshown(this.#calls.length);
  }

  #unshown(end: number): readonly RoundCall[] {
    const shown = new Set(this.#shown.values());
    const from = this.#next;
    this.#next = Math.max(from, end);
    return this.#calls.slice(from, end).filter((_call, index) => !shown.has(from + index));
  }
}

/** A tool's name without the prefix and the spelling by which it is registered: `copilot_readFile` is `read_file`. */
function plain(name: unknown): string {
  return asText(name)
    .replace(/^(?:copilot|vscode)_/, '')
    .replace(/[^A-Za-z0-9]/g, '')
    .toLowerCase();
}
