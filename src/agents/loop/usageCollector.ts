import type { CallSite } from '../../core/record.js';
import { addUsage, NO_USAGE, type Usage } from '../../core/usage.js';

interface Entry {
  readonly parent: string | undefined;
  own: Usage;
  total: Usage;
}

/** The usage of each call, rolled up as it arrives: a child's usage is part of its parent's total. */
export class UsageCollector {
  readonly #calls = new Map<string, Entry>();
  #all: Usage = NO_USAGE;

  /** Adds the usage of one request of a call, whose parents must have been seen before to be counted as parents. */
  add(place: Pick<CallSite, 'call' | 'parentCall'>, usage: Usage): void {
    const entry = this.#entry(place);
    entry.own = addUsage(entry.own, usage);
    this.#all = addUsage(this.#all, usage);
    let at: Entry | undefined = entry;
    while (at) {
      at.total = addUsage(at.total, usage);
      at = at.parent === undefined ? undefined : this.#calls.get(at.parent);
    }
  }

  /** Registers a call, so that its children's usage is part of its total even before its first request. */
  begin(place: Pick<CallSite, 'call' | 'parentCall'>): void {
    this.#entry(place);
  }

  /** The usage of a call's own requests. */
  own(call: string): Usage {
    return this.#calls.get(call)?.own ?? NO_USAGE;
  }

  /** The usage of a call and all calls below it. */
  total(call: string): Usage {
    return this.#calls.get(call)?.total ?? NO_USAGE;
  }

  /** The usage of everything so far. */
  all(): Usage {
    return this.#all;
  }

  #entry({ call, parentCall }: Pick<CallSite, 'call' | 'parentCall'>): Entry {
    const known = this.#calls.get(call);
    if (known) return known;
    const entry: Entry = { parent: parentCall, own: NO_USAGE, total: NO_USAGE };
    this.#calls.set(call, entry);
    return entry;
  }
}
