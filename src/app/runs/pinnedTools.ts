import type { Memory } from '../ports/storage.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { isObject } from '../../core/message.js';
import type { Log } from '../../ports/log.js';
import type { ToolPins } from '../../tools/foreignTool.js';

const KEY = 'pinnedTools';
/** How many are kept; the oldest are forgotten first and count as new when they come again. */
const MAX_PINS = 2_000;

/** The definition last allowed of each tool of other extensions, kept for this person across windows. */
export class PinnedTools implements ToolPins {
  readonly #state: Memory;
  readonly #log: Log;
  readonly #pins: Map<string, string>;

  constructor(state: Memory, log: Log) {
    this.#state = state;
    this.#log = log;
    const kept: unknown = state.get(KEY);
    this.#pins = new BoundedMap(
      MAX_PINS,
      Object.entries(isObject(kept) ? kept : {}).flatMap(([name, definition]) =>
        typeof definition === 'string' ? [[name, definition]] : [],
      ),
    );
  }

  get(name: string): string | undefined {
    return this.#pins.get(name);
  }

  set(name: string, definition: string): void {
    if (this.#pins.get(name) === definition) return;
    this.#pins.set(name, definition);
    this.#state.update(KEY, Object.fromEntries(this.#pins)).then(undefined, (error: unknown) => {
      this.#log.error('Which tools were allowed could not be kept', error);
    });
  }
}
