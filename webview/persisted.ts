import * as v from 'valibot';
import { criteria, NO_CRITERIA } from '../src/protocol/criteria.js';
import { count } from '../src/protocol/row.js';
import { TABS, type State } from './state.js';

const persisted = v.object({
  conversation: v.string(),
  tab: v.picklist(TABS),
  criteria,
  expandedAll: v.boolean(),
  showsRaw: v.optional(v.boolean(), false),
  expanded: v.array(count),
  open: v.array(count),
  selected: v.exactOptional(count),
  top: v.exactOptional(v.object({ id: count, offset: v.number() })),
  following: v.boolean(),
});

/** What a page saves for its successor when it is hidden or the window is closed. */
export type Persisted = v.InferOutput<typeof persisted>;

const NEW_PAGE: Persisted = {
  conversation: '',
  tab: 'messages',
  criteria: NO_CRITERIA,
  expandedAll: false,
  showsRaw: false,
  expanded: [],
  open: [],
  following: false,
};

/** What the previous page saved, or the defaults of a new page. */
export function readPersisted(left: unknown): Persisted {
  const parsed = v.safeParse(persisted, left);
  return parsed.success ? parsed.output : NEW_PAGE;
}

/** What to save. */
export function persist(state: State, top: Persisted['top']): Persisted {
  const { conversation, tab, criteria: asked, expandedAll, expanded, open, selected, following } = state;
  return {
    conversation,
    tab,
    criteria: asked,
    expandedAll,
    showsRaw: state.list.showsRaw,
    expanded: [...expanded],
    open: [...open],
    ...(selected && { selected: selected.id }),
    ...(top && { top }),
    following,
  };
}
