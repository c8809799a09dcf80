import { planQuery } from '../../query/language/plan.js';
import type { RowKind } from '../../query/language/syntax.js';
import { Asking } from '../../search/asking.js';
import { markedPrices } from '../../search/markedPrices.js';
import type { McpLibrary } from './library.js';
import { NotRead } from './notRead.js';
import { shownId, shownName, shownTime } from './shown.js';

/** What is said of sessions that are not looked at, and of nothing found. */
export function emptyHint(found: number, { active }: NotRead, plan?: string): object {
  const left =
    active === 0
      ? []
      : [
          `${active} ${active === 1 ? 'session' : 'sessions'} active in the last 10 minutes ${active === 1 ? 'was' : 'were'} left out; "include_active": true looks at them, too.`,
        ];
  const tried = found === 0 && plan !== undefined ? [plan] : [];
  return left.length + tried.length === 0 ? {} : { left_out_because: [...left, ...tried].join(' ') };
}

/** How many terms of a question that finds nothing are asked one by one. */
const MAX_TRIED = 8;
/** How many sessions are told that hold most of a question. */
const MAX_NEAREST = 3;
/** Words that a question in plain language has, and nearly every session, too. */
const FILLING =
  /^(?:the|a|an|of|to|in|on|at|it|is|was|were|did|do|does|that|this|which|what|why|who|when|where|how|and|or|for|with|by|from|session|sessions|find)$/i;

/** What to try where nothing holds all of a question. */
export interface Tried {
  readonly words: string;
  /** The sessions that hold most of it, with the terms that they hold: what is rare counts more. */
  readonly nearest: readonly object[];
}

interface Near {
  readonly shape: object;
  readonly holds: string[];
}

/** What to try where nothing holds all of a question: how many sessions each of its terms finds alone, and those that hold most. */
export async function whatEachFinds(
  library: McpLibrary,
  question: string,
  rows: RowKind,
  includeActive: boolean,
): Promise<Tried> {
  const all = question.match(/"[^"]*"|[^\s"()]+/g) ?? [];
  const telling = all.filter((term) => !FILLING.test(term));
  const terms = telling.length > 0 ? telling : all;
  if (all.length < 2 || terms.length > MAX_TRIED || /[()]|\b(?:OR|after|before)\b/.test(question))
    return {
      words:
        'Nothing matches. Try fewer or other words, or "rows": "sessions", in which each term may hold anywhere.',
      nearest: [],
    };
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const prices = await markedPrices('');
  const counts = new Map<string, number>();
  const near = new Map<string, Near>();
  for (const term of terms) {
    const planned = planQuery(term, { rows, now: library.now(), timeZone });
    if (!planned.ok) return { words: 'Nothing matches.', nearest: [] };
    const asking = new Asking(planned.plan, prices, 'not told');
    let count = 0;
    const unread = new NotRead();
    for await (const { session, entry } of library.sessions(includeActive, unread)) {
      const answer = await library.attempt(unread, session.id, async () =>
        asking.ask(session.session, library.signal),
      );
      if (!answer || answer.indexes.length === 0) continue;
      count++;
      const shape = {
        session: shownId(session.id),
        title: shownName(entry.title),
        ...shownTime('startedAt', entry.startedAt),
      };
      const known = near.get(session.id) ?? { shape, holds: [] };
      known.holds.push(term);
      near.set(session.id, known);
    }
    counts.set(term, count);
  }
  const weight = ({ holds }: Near) => holds.reduce((sum, term) => sum + 1 / (counts.get(term) ?? 1), 0);
  const nearest = [...near.values()].sort((a, b) => weight(b) - weight(a)).slice(0, MAX_NEAREST);
  const told = [...counts].map(([term, count]) => `${shownName(term)} (${count})`).join(', ');
  return {
    words: `Nothing holds all of it. Sessions in which each term matches alone: ${told}. "nearest" are those that hold most; or try "rows": "sessions", in which each may hold anywhere.`,
    nearest: nearest.map(({ shape, holds }) => ({ ...shape, holds: holds.map((term) => shownName(term)) })),
  };
}
