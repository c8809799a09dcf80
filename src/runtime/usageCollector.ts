import type { CallPlace } from '../core/record.js';
import { addUsage, NO_USAGE, type Usage } from '../core/usage.js';

interface Entry {
  readonly parent: string | undefined;
  own: Usage;
  total: Usage;
}

/** What each call cost, rolled up the tree as it comes in: a child's usage is part of its parent's total. */
export class UsageCollector {
  readonly #calls = new Map<string, Entry>();
  #all: Usage = NO_USAGE;

  /** Adds what one request of a call cost. The parents must have been seen before, or are not known to be parents. */
  add(place: Pick<CallPlace, 'call' | 'parentCall'>, usage: Usage): void {
    const entry = this.#entry(place);
    entry.own = addUsage(entry.own, usage);
    this.#all = addUsage(this.#all, usage);
    let at: Entry | undefined = entry;
    while (at) {
      at.total = addUsage(at.total, usage);
      at = at.parent === undefined ? undefined : this.#calls.get(at.parent);
    }
  }

  /** Makes a call known, so that what its children cost is part of its total even before it asked anything. */
  begin(place: Pick<CallPlace, 'call' | 'parentCall'>): void {
    this.#entry(place);
  }

  /** What a call itself cost. */
  own(call: string): Usage {
    return this.#calls.get(call)?.own ?? NO_USAGE;
  }

  /** What a call and all it dispatched cost. */
  total(call: string): Usage {
    return this.#calls.get(call)?.total ?? NO_USAGE;
  }

  /** What everything so far cost. */
  all(): Usage {
    return this.#all;
  }

  #entry({ call, parentCall }: Pick<CallPlace, 'call' | 'parentCall'>): Entry {
    const known = this.#calls.get(call);
    if (known) return known;
    const entry: Entry = { parent: parentCall, own: NO_USAGE, total: NO_USAGE };
    this.#calls.set(call, entry);
    return entry;
  }
}
