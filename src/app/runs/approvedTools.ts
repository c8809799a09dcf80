import type { Memory } from '../ports/storage.js';
import { BoundedMap } from '../../core/boundedMap.js';
import { isObject } from '../../core/message.js';
import type { Log } from '../../core/ports/log.js';
import type { ApprovedDefinitions } from '../../agents/tools/foreignTool.js';

const KEY = 'pinnedTools';
/** How many are kept; the oldest are forgotten first and count as new when they come again. */
const MAX_DEFINITIONS = 2_000;

/** The definition last allowed of each tool of other extensions, kept for this person across windows. */
export class ApprovedTools implements ApprovedDefinitions {
  readonly #state: Memory;
  readonly #log: Log;
  readonly #definitions: Map<string, string>;

  constructor(state: Memory, log: Log) {
    this.#state = state;
    this.#log = log;
    const kept: unknown = state.get(KEY);
    this.#definitions = new BoundedMap(
      MAX_DEFINITIONS,
      Object.entries(isObject(kept) ? kept : {}).flatMap(([name, definition]) =>
        typeof definition === 'string' ? [[name, definition]] : [],
      ),
    );
  }

  get(name: string): string | undefined {
    return this.#definitions.get(name);
  }

  set(name: string, definition: string): void {
    if (this.#definitions.get(name) === definition) return;
    this.#definitions.set(name, definition);
    this.#state.update(KEY, Object.fromEntries(this.#definitions)).then(undefined, (error: unknown) => {
      this.#log.error('Which tools were allowed could not be kept', error);
    });
  }
}
