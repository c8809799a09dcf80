import * as v from 'valibot';
import { criteria } from './criteria.js';
import {
  approval,
  facets,
  listState,
  liveState,
  matchState,
  transcriptFacts,
  writing,
} from './panelState.js';
import { count, row } from './row.js';

/** What the host sends without a request, in batches, while the page is visible. */
export const events = {
  /** The list has grown or changed: at each `at`, `removed` rows went, then `inserted` rows came. */
  list: v.object({
    ...listState.entries,
    changes: v.array(v.object({ at: count, removed: count, inserted: count })),
    /** True where the list is a new one and everything known of the old one must be discarded. */
    replaced: v.boolean(),
  }),
  /** Rows that have changed, of those requested recently. */
  changed: v.object({ rows: v.array(row) }),
  matches: matchState,
  live: liveState,
  approvals: v.object({ approvals: v.array(approval) }),
  facets,
  facts: transcriptFacts,
  /** What agents are writing at this moment: all of it each time, because a retry makes it void. */
  writing,
  /** A text that could not be sent and belongs back in the chat box. */
  returned: v.object({ text: v.string() }),
  title: v.object({ title: v.string() }),
  /** Asks the page to show a record, a tab, or the messages that meet criteria. */
  show: v.object({
    position: v.exactOptional(count),
    tab: v.exactOptional(v.picklist(['messages', 'timeline', 'statistics', 'tools'])),
    focusFilter: v.exactOptional(v.boolean()),
    /** The new filter. */
    criteria: v.exactOptional(criteria),
    /** What was searched for and found in the record at `position`, to be unfolded and marked there. */
    found: v.exactOptional(v.object({ text: v.string(), matchCase: v.boolean(), wholeWord: v.boolean() })),
  }),
} as const;

/** The name of an event from the host. */
export type EventName = keyof typeof events;
/** The data of an event. */
export type EventData<N extends EventName> = v.InferOutput<(typeof events)[N]>;
