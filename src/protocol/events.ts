import * as v from 'valibot';
import { criteria } from './criteria.js';
import { approval, facets, listState, liveState, matchState } from './panelState.js';
import { count, row } from './row.js';

/** What the host tells unasked, in batches, while the page can be seen. */
export const events = {
  /** The list became longer, or rows came into or left its middle: `removed` of them at `at`, then `inserted`. */
  list: v.object({
    ...listState.entries,
    changes: v.array(v.object({ at: count, removed: count, inserted: count })),
    /** True where the list is another one: everything known of it must go. */
    replaced: v.boolean(),
  }),
  /** Rows that look different now, of those that were asked for lately. */
  changed: v.object({ rows: v.array(row) }),
  matches: matchState,
  live: liveState,
  approvals: v.object({ approvals: v.array(approval) }),
  facets,
  /** A text that could not be said and belongs into the chat box again. */
  returned: v.object({ text: v.string() }),
  title: v.object({ title: v.string() }),
  /** Asks the page to show a record, which tab, and what of the messages. */
  show: v.object({
    position: v.exactOptional(count),
    tab: v.exactOptional(v.picklist(['messages', 'timeline', 'statistics', 'tools'])),
    focusFilter: v.exactOptional(v.boolean()),
    /** What to filter by from here on. */
    criteria: v.exactOptional(criteria),
  }),
} as const;

/** The name of an event from the host. */
export type EventName = keyof typeof events;
/** The data of an event. */
export type EventData<N extends EventName> = v.InferOutput<(typeof events)[N]>;
