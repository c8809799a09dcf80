import * as v from 'valibot';
import { criteria } from '../src/page/protocol/criteria.js';
import {
  NO_QUESTION,
  question as questionSchema,
  questionOfCriteria,
} from '../src/page/protocol/question.js';
import type { ArchiveLocation } from '../src/page/protocol/panelState.js';
import type { Question } from '../src/query/language/question.js';
import { count } from '../src/page/protocol/row.js';
import { TABS, type State } from './state.js';

const persisted = v.object({
  conversation: v.string(),
  tab: v.picklist(TABS),
  question: v.optional(questionSchema),
  asked: v.optional(questionSchema),
  expandedAll: v.boolean(),
  showsRaw: v.optional(v.boolean(), false),
  expanded: v.array(count),
  open: v.array(count),
  selected: v.exactOptional(count),
  top: v.exactOptional(v.object({ id: count, offset: v.number() })),
  following: v.boolean(),
});

/** What a page saves for its successor when it is hidden or the window is closed. */
export type Persisted = v.InferOutput<typeof persisted> & {
  readonly question: Question;
  readonly asked: Question;
  /** For the host, which finds the conversation again by it. */
  readonly archived?: ArchiveLocation;
};

const NEW_PAGE: Persisted = {
  conversation: '',
  tab: 'messages',
  question: NO_QUESTION,
  asked: NO_QUESTION,
  expandedAll: false,
  showsRaw: false,
  expanded: [],
  open: [],
  following: false,
};

/** What the previous page saved, or the defaults of a new page. */
export function readPersisted(left: unknown): Persisted {
  const parsed = v.safeParse(persisted, left);
  if (!parsed.success) return NEW_PAGE;
  const { question = filterIn(left), asked = question } = parsed.output;
  return { ...parsed.output, question, asked };
}

/** The filter that a page of an older version saved, as a question. */
function filterIn(left: unknown): Question {
  const parsed = v.safeParse(v.object({ criteria }), left);
  return parsed.success ? questionOfCriteria(parsed.output.criteria) : NO_QUESTION;
}

/** What to save. */
export function persist(state: State, top: Persisted['top']): Persisted {
  const { conversation, tab, question, asked, expandedAll, expanded, open, selected, following } = state;
  const { archived } = state.provenance;
  return {
    conversation,
    ...(archived && { archived }),
    tab,
    question,
    asked,
    expandedAll,
    showsRaw: state.list.showsRaw,
    expanded: [...expanded],
    open: [...open],
    ...(selected && { selected: selected.id }),
    ...(top && { top }),
    following,
  };
}
